import { useLingui } from "@lingui/react/macro";
import { useEffect, useLayoutEffect, useState } from "react";
import { type OpenWatch, openWatch } from "../../session/live/viewer.ts";
import { recallHidesAddress } from "../devices/address.tsx";
import { useWatch, WatchContext } from "./live-context.ts";
import { WatchEnded } from "./watch-ended.tsx";
import { WatchRoom } from "./watch-room.tsx";

/** One room's address, for those who watch. Every attempt is one of its own. */
export default function WatchPage({ room }: { room: string }) {
  const [attempt, setAttempt] = useState(0);
  const again = () => setAttempt((last) => last + 1);

  // Another link pasted into this tab changes the fragment alone and loads nothing by itself.
  useEffect(() => {
    const changed = () => {
      if (location.hash !== "") setAttempt((last) => last + 1);
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);

  return <Attempt key={`${room} ${attempt}`} room={room} again={again} />;
}

function Attempt({ room, again }: { room: string; again: () => void }) {
  const { t } = useLingui();
  const [watch, setWatch] = useState<OpenWatch | null>(null);

  // The secret goes from the address straight to the session and is kept in no state here. The stream is opened before
  // anything is drawn, and drawing is a task of its own behind the one that opens the socket: on a busy machine the first
  // drawing takes a while.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language opens no other stream
  useLayoutEffect(() => {
    const secret = location.hash.slice(1);
    const opened = openWatch({ room, secret, host: t`The host`, hidesAddress: recallHidesAddress() });
    let drawing: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    void opened.begun.then(() => {
      if (!isOver) drawing = setTimeout(() => setWatch(opened));
    });
    return () => {
      isOver = true;
      clearTimeout(drawing);
      opened.close();
    };
  }, [room]);

  return (
    watch && (
      <WatchContext value={watch}>
        <Screen again={again} />
      </WatchContext>
    )
  );
}

function Screen({ again }: { again: () => void }) {
  const refused = useWatch((view) => view.problem !== null);
  return refused ? <WatchEnded again={again} /> : <WatchRoom />;
}
