import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import button from "../button.module.css";
import { AlertIcon, InfoIcon, LockIcon } from "../icons.tsx";
import { useView } from "./call-context.ts";
import styles from "./encryption.module.css";
import { Proof } from "./proof.tsx";

export function EncryptionStatus() {
  const { t } = useLingui();
  const state = useView((view) => view.encryption.state);
  const inPart = useView((view) => view.encryption.readable.length > 0);
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.encryption}>
      <output
        className={styles.badge}
        aria-label={t`Encryption`}
        data-state={state === "encrypted" && inPart ? "in-part" : state}
      >
        {state === "encrypted" ? <LockIcon /> : <AlertIcon />}
        {state === "failing" ? (
          <Trans>failing</Trans>
        ) : inPart ? (
          <Trans>encrypted in part</Trans>
        ) : (
          <Trans>encrypted</Trans>
        )}
      </output>
      <button type="button" className={button.round} aria-label={t`Encryption details`} onClick={() => setOpen(true)}>
        <InfoIcon />
      </button>
      {open && <Proof onClose={() => setOpen(false)} />}
    </div>
  );
}
