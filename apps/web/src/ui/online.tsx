import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useState } from "react";
import { isOffline } from "../session/offline.ts";
import { BackToStart } from "./back-to-start.tsx";
import { Message } from "./parts/message.tsx";

/** Null until it is known. */
export function useOffline(): boolean | null {
  const [offline, setOffline] = useState(navigator.onLine ? false : null);
  useEffect(() => {
    let isCurrent = true;
    const look = () => void isOffline().then((is) => isCurrent && setOffline(is));
    look();
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      isCurrent = false;
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  return offline;
}

/** What cannot begin without the server. Once begun it stays: how it bears a lost connection is its own matter. */
export function Online({ children }: { children: ReactNode }) {
  const offline = useOffline();
  const [hasBegun, setBegun] = useState(false);
  if (hasBegun) return children;
  if (offline === null) return null;
  if (offline) return <Offline />;
  setBegun(true);
  return children;
}

function Offline() {
  const { t } = useLingui();
  return (
    <Message
      title={t`You are offline`}
      text={t`Calls and streams need a connection. Stay on this page: it goes on by itself when the connection is back.`}
    >
      <BackToStart quiet />
    </Message>
  );
}
