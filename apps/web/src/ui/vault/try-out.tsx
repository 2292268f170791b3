import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import button from "../button.module.css";
import { useCopying } from "../copying.ts";
import { download } from "../download.ts";
import { Panel } from "./panel.tsx";
import { RestoreForm } from "./restore.tsx";
import styles from "./vault.module.css";
import { useLock, useVaultActions } from "./vault-context.ts";

/** The recovery key is kept elsewhere, and tried once: before that the set-up is not done. */
export function TryOut() {
  const [isKept, setKept] = useState(false);
  return isKept ? <TryIt onBack={() => setKept(false)} /> : <KeepKey onKept={() => setKept(true)} />;
}

function KeepKey({ onKept }: { onKept: () => void }) {
  const { t, i18n } = useLingui();
  const actions = useVaultActions();
  const [recoveryKey, setRecoveryKey] = useState("");
  const { copied, copy } = useCopying(() => recoveryKey);
  useEffect(() => void actions.recoveryKey().then(setRecoveryKey, () => undefined), [actions]);

  const save = () => {
    const made = i18n.date(new Date(), { dateStyle: "long" });
    const words = t`Recovery key of a Sealcast vault, saved on ${made}. It opens the vault together with its passphrase, which is not in here.`;
    download(new File([`${words}\n\n${recoveryKey}\n`], "sealcast-recovery-key.txt", { type: "text/plain" }));
  };

  return (
    <Panel title={t`Keep your recovery key`}>
      <p className={styles.lead}>
        <Trans>
          If this browser’s data is cleared or the device is lost, this key and your passphrase open your exported files
          on another one. Keep it where this device is not: on paper, or with another person. Without the passphrase it
          opens nothing.
        </Trans>
      </p>
      <p className={styles.warning}>
        <Trans>
          If you lose the passphrase, or both this browser’s data and the recovery key, your recordings are lost. Nobody
          can bring them back.
        </Trans>
      </p>
      <code className={styles.key}>{recoveryKey}</code>
      <div className={styles.actions}>
        <button type="button" className={button.primary} onClick={save}>
          <Trans>Download as a file</Trans>
        </button>
        <button type="button" className={button.quiet} onClick={copy}>
          <Trans>Copy</Trans>
        </button>
        <button type="button" className={button.quiet} onClick={onKept}>
          <Trans>Continue</Trans>
        </button>
      </div>
      <output>
        {copied === "yes" && <Trans>Recovery key copied.</Trans>}
        {copied === "refused" && <Trans>The browser refused to copy. Allow this page to use the clipboard.</Trans>}
      </output>
    </Panel>
  );
}

function TryIt({ onBack }: { onBack: () => void }) {
  const { t } = useLingui();
  const lock = useLock();
  return (
    <Panel title={t`Try it once`}>
      <p className={styles.lead}>
        <Trans>
          Open the vault as you would after a loss: with the recovery key from where you kept it, and your passphrase.
          Then you know that both are right.
        </Trans>
      </p>
      <RestoreForm submitLabel={<Trans>Finish</Trans>} />
      <div className={styles.actions}>
        <button type="button" className={button.quiet} onClick={onBack}>
          <Trans>Back to the key</Trans>
        </button>
        <button type="button" className={button.quiet} onClick={lock}>
          <Trans>Lock</Trans>
        </button>
      </div>
    </Panel>
  );
}
