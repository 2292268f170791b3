import { Trans, useLingui } from "@lingui/react/macro";
import { type SubmitEvent, useRef, useState } from "react";
import { BackToStart } from "../back-to-start.tsx";
import button from "../button.module.css";
import { useAttempt } from "./attempt.ts";
import { Problem } from "./failure.tsx";
import { Panel } from "./panel.tsx";
import { Passphrase } from "./passphrase.tsx";
import { Restore } from "./restore.tsx";
import styles from "./vault.module.css";
import { useVaultActions } from "./vault-context.ts";

export function Unlock() {
  const { t } = useLingui();
  const actions = useVaultActions();
  const { failure, isBusy, attempt } = useAttempt();
  const [passphrase, setPassphrase] = useState("");
  const [isRestoring, setRestoring] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  if (isRestoring) return <Restore onBack={() => setRestoring(false)} />;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(await attempt(() => actions.unlock(passphrase)))) field.current?.select();
  };

  return (
    <Panel title={t`The vault is locked`} focus={field}>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <Passphrase label={<Trans>Passphrase</Trans>} value={passphrase} onChange={setPassphrase} ref={field} />
        <Problem failure={failure} />
        <button type="submit" className={`${button.primary} ${button.large}`} aria-disabled={isBusy}>
          {isBusy ? <Trans>Opening…</Trans> : <Trans>Unlock</Trans>}
        </button>
      </form>
      <div className={styles.actions}>
        <button type="button" className={button.quiet} onClick={() => setRestoring(true)}>
          <Trans>Restore from a recovery key</Trans>
        </button>
        <BackToStart quiet />
      </div>
    </Panel>
  );
}
