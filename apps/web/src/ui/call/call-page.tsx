import { useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { openCall } from "../../session/call/call.ts";
import { DevicesContext } from "../devices-context.ts";
import { recallHidesSpeech } from "../speech.tsx";
import { CallContext, useView } from "./call-context.ts";
import { Ended } from "./ended.tsx";
import { LayoutProvider } from "./layout/layout-provider.tsx";
import { Lobby } from "./lobby.tsx";
import { Room } from "./room.tsx";

/** One room's address. Every attempt to join is a call of its own: nothing of the last one is left in it. */
export function CallPage({ room }: { room: string }) {
  const [attempt, setAttempt] = useState(0);
  const again = () => setAttempt((last) => last + 1);
  return <Attempt key={`${room} ${attempt}`} room={room} again={again} />;
}

function Attempt({ room, again }: { room: string; again: () => void }) {
  const { t } = useLingui();
  const nameless = t`No name`;
  const [call, setCall] = useState<ReturnType<typeof openCall> | null>(null);

  // The secret goes from the address straight to the session and is kept in no state here.
  useEffect(() => {
    const opened = openCall({ room, secret: location.hash.slice(1), hidesSpeech: recallHidesSpeech(), nameless });
    setCall(opened);
    return () => opened.close();
  }, [room, nameless]);

  return (
    call && (
      <CallContext value={call}>
        <DevicesContext value={call}>
          <Screen again={again} />
        </DevicesContext>
      </CallContext>
    )
  );
}

function Screen({ again }: { again: () => void }) {
  const phase = useView((view) => view.phase);
  const inCall = phase === "in-call";

  // Another link pasted into this tab changes the fragment alone and loads nothing by itself.
  useEffect(() => {
    if (inCall) return;
    addEventListener("hashchange", again);
    return () => removeEventListener("hashchange", again);
  }, [inCall, again]);

  if (inCall)
    return (
      <LayoutProvider>
        <Room />
      </LayoutProvider>
    );
  if (phase === "left" || phase === "refused") return <Ended again={again} />;
  return <Lobby />;
}
