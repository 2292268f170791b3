import { useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { type OpenHost, openHost } from "../../session/live/host.ts";
import { recallHidesAddress } from "../devices/address.tsx";
import { DevicesContext } from "../devices/devices-context.ts";
import { recallDevices } from "../effects/recalled.ts";
import { HostEnded } from "./host-ended.tsx";
import { HostRoom } from "./host-room.tsx";
import { HostContext, useHost } from "./live-context.ts";

/** One room's address, at its host. Every attempt is a stream of its own: nothing of the last one is left in it. */
export default function HostPage({ room }: { room: string }) {
  const [attempt, setAttempt] = useState(0);
  const again = () => setAttempt((last) => last + 1);
  return <Attempt key={`${room} ${attempt}`} room={room} again={again} />;
}

function Attempt({ room, again }: { room: string; again: () => void }) {
  const { t } = useLingui();
  const [host, setHost] = useState<OpenHost | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another language opens no other stream
  useEffect(() => {
    const chosen = { choice: recallDevices(null), hidesAddress: recallHidesAddress() };
    const opened = openHost({ room, name: (number) => t`Viewer ${number}`, ...chosen });
    setHost(opened);
    return () => opened.close();
  }, [room]);

  return (
    host && (
      <HostContext value={host}>
        <DevicesContext value={host}>
          <Screen again={again} />
        </DevicesContext>
      </HostContext>
    )
  );
}

function Screen({ again }: { again: () => void }) {
  const phase = useHost((view) => view.phase);
  return phase === "ended" || phase === "refused" ? <HostEnded again={again} /> : <HostRoom />;
}
