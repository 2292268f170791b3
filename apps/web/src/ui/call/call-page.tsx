import { useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { openCall } from "../../session/call/call.ts";
import { recallHidesAddress } from "../devices/address.tsx";
import { DevicesContext } from "../devices/devices-context.ts";
import { recallDevices } from "../effects/recalled.ts";
import { Loaded } from "../parts/loaded.tsx";
import { Preloadable, Preloaded } from "../parts/preloaded.tsx";
import { CallContext, useView } from "./call-context.ts";
import { type Comeback, forgetInCall, keepInCall, reloadedIn } from "./comeback.ts";
import { Ended } from "./ended.tsx";
import { Lobby } from "./lobby.tsx";
import { recallName } from "./people/own-name.tsx";

/** Loaded while the person is in the lobby. */
const roomPage = new Preloadable(() => import("./room.tsx"));

/** One room's address. Every attempt to join is a call of its own: nothing of the last one is left in it. */
export function CallPage({ room }: { room: string }) {
  const { t } = useLingui();
  const [{ attempt, comeback }, setAttempt] = useState(() => {
    const before = reloadedIn(room);
    return { attempt: 0, comeback: before && { name: recallName() || t`Guest`, ...before } };
  });
  const again = (comeback: Comeback | null) => setAttempt(({ attempt }) => ({ attempt: attempt + 1, comeback }));
  return <Attempt key={`${room} ${attempt}`} {...{ room, comeback, again }} />;
}

interface AttemptProps {
  room: string;
  /** Null: the lobby comes first. */
  comeback: Comeback | null;
  again: (comeback: Comeback | null) => void;
}

function Attempt({ room, comeback, again }: AttemptProps) {
  const { t } = useLingui();
  const [call, setCall] = useState<ReturnType<typeof openCall> | null>(null);

  // The secret goes from the address straight to the session and is kept in no state here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language opens no other call
  useEffect(() => {
    const secret = location.hash.slice(1);
    const devicesOn = comeback?.devicesOn;
    const chosen = { choice: recallDevices(comeback), hidesAddress: recallHidesAddress() };
    const opened = openCall({ room, secret, ...chosen, devicesOn, nameless: t`No name` });
    if (comeback !== null) opened.actions.join(comeback.name);
    setCall(opened);
    return () => opened.close();
  }, [room, comeback]);

  return (
    call && (
      <CallContext value={call}>
        <DevicesContext value={call}>
          <Screen room={room} again={again} />
        </DevicesContext>
      </CallContext>
    )
  );
}

function Screen({ room, again }: Pick<AttemptProps, "room" | "again">) {
  const phase = useView((view) => view.phase);
  const inCall = phase === "in-call";
  const camera = useView((view) => view.me.camera.on);
  const microphone = useView((view) => view.me.microphone.on);
  const hidesRoom = useView((view) => view.effects.background !== "none");

  // Where it does not load, that shows once it is needed.
  useEffect(() => void roomPage.load().catch(() => undefined), []);

  // Another link pasted into this tab changes the fragment alone and loads nothing by itself.
  useEffect(() => {
    if (inCall) return;
    const changed = () => again(null);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, [inCall, again]);

  // Who loads the page again comes back as they were; nothing of this runs then.
  useEffect(() => {
    if (!inCall) return;
    keepInCall(room, { devicesOn: { camera, microphone }, hidesRoom });
    return forgetInCall;
  }, [room, inCall, camera, microphone, hidesRoom]);

  if (inCall)
    return (
      <Loaded>
        <Preloaded page={roomPage} props={{}} />
      </Loaded>
    );
  if (phase === "left" || phase === "refused") return <Ended again={again} />;
  return <Lobby />;
}
