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
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.encryption}>
      <output className={styles.badge} aria-label={t`Encryption`} data-state={state}>
        {state === "encrypted" ? <LockIcon /> : <AlertIcon />}
        {state === "encrypted" ? <Trans>encrypted</Trans> : <Trans>failing</Trans>}
      </output>
      <button type="button" className={button.round} aria-label={t`Encryption details`} onClick={() => setOpen(true)}>
        <InfoIcon />
      </button>
      {open && <Proof onClose={() => setOpen(false)} />}
    </div>
  );
}
