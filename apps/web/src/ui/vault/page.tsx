import { useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import { type OpenVault, openVault } from "../../session/vault/vault.ts";
import { BackToStart } from "../back-to-start.tsx";
import { usePageTitle } from "../page-title.ts";
import { Message } from "../parts/message.tsx";
import { Recordings } from "./recordings.tsx";
import { SetUp } from "./set-up.tsx";
import { TryOut } from "./try-out.tsx";
import { Unlock } from "./unlock.tsx";
import { useVault, VaultContext } from "./vault-context.ts";

/** Locked, it begins again: nothing that was opened is left. */
export default function VaultPage() {
  const { t } = useLingui();
  const [attempt, setAttempt] = useState(0);
  usePageTitle(t`Recordings – Sealcast`);
  return <Attempt key={attempt} lock={() => setAttempt((last) => last + 1)} />;
}

function Attempt({ lock }: { lock: () => void }) {
  const [vault, setVault] = useState<OpenVault | null>(null);
  useEffect(() => {
    const opened = openVault();
    setVault(opened);
    return () => opened.close();
  }, []);
  return (
    vault && (
      <VaultContext value={{ ...vault, lock }}>
        <Screen />
      </VaultContext>
    )
  );
}

function Screen() {
  const phase = useVault((view) => view.phase);
  const isTried = useVault((view) => view.isTried);
  switch (phase) {
    case "opening":
      return null;
    case "unavailable":
      return <Unavailable />;
    case "empty":
      return <SetUp />;
    case "locked":
      return <Unlock />;
    case "unlocked":
      return isTried ? <Recordings /> : <TryOut />;
  }
}

function Unavailable() {
  const { t } = useLingui();
  return (
    <Message
      title={t`There is no room for recordings here`}
      text={t`This browser gives the page no private file system. Private windows often have none: open the page in an ordinary one, over https or on localhost.`}
    >
      <BackToStart />
    </Message>
  );
}
