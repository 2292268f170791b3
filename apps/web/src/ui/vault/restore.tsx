import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { recoveryKeyIn } from "../../session/vault/view.ts";
import button from "../button.module.css";
import { useAttempt } from "./attempt.ts";
import { Problem } from "./failure.tsx";
import { Panel } from "./panel.tsx";
import { Passphrase } from "./passphrase.tsx";
import { RecoveryKey } from "./recovery-key.tsx";
import styles from "./vault.module.css";
import { useVaultActions } from "./vault-context.ts";

const instead = {
  "not-age": msg`This is no recovery key, or a part of it is missing. Copy all of it.`,
  "wrong-passphrase": msg`This passphrase and this recovery key do not belong together. Check both.`,
  busy: msg`This key is of another vault than the one in this browser. Export what is in this one first, then clear this site’s data.`,
};

/** Makes this browser's vault that of a recovery key. */
export function Restore({ onBack }: { onBack: () => void }) {
  const { t } = useLingui();
  return (
    <Panel title={t`Restore from a recovery key`}>
      <p className={styles.lead}>
        <Trans>
          The key opens what was sealed for its vault, on any device, together with the vault’s passphrase. Import your
          exported files afterwards.
        </Trans>
      </p>
      <RestoreForm submitLabel={<Trans>Restore</Trans>} />
      <div className={styles.actions}>
        <button type="button" className={button.quiet} onClick={onBack}>
          <Trans>Back</Trans>
        </button>
      </div>
    </Panel>
  );
}

/** Takes both, and opens the vault with them. */
export function RestoreForm({ submitLabel }: { submitLabel: ReactNode }) {
  const actions = useVaultActions();
  const { failure, isBusy, attempt } = useAttempt();
  const [recoveryKey, setRecoveryKey] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void attempt(() => actions.restore(recoveryKeyIn(recoveryKey), passphrase));
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <RecoveryKey value={recoveryKey} onChange={setRecoveryKey} />
      <Passphrase label={<Trans>Passphrase</Trans>} value={passphrase} onChange={setPassphrase} />
      <Problem failure={failure} instead={instead} />
      <button type="submit" className={`${button.primary} ${button.large}`} aria-disabled={isBusy}>
        {isBusy ? <Trans>Opening…</Trans> : submitLabel}
      </button>
    </form>
  );
}
