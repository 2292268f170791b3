import { Trans, useLingui } from "@lingui/react/macro";
import { type SubmitEvent, useState } from "react";
import { strengthOf } from "../../session/vault/passphrase.ts";
import { BackToStart } from "../back-to-start.tsx";
import button from "../button.module.css";
import { useAttempt } from "./attempt.ts";
import { Problem } from "./failure.tsx";
import { Panel } from "./panel.tsx";
import { Passphrase } from "./passphrase.tsx";
import { Restore } from "./restore.tsx";
import styles from "./vault.module.css";
import { useVaultActions } from "./vault-context.ts";

/** There is no vault in this browser yet. */
export function SetUp() {
  const { t } = useLingui();
  const [isRestoring, setRestoring] = useState(false);
  if (isRestoring) return <Restore onBack={() => setRestoring(false)} />;
  return (
    <Panel title={t`Set up your vault`}>
      <p className={styles.lead}>
        <Trans>
          The vault keeps recordings, pictures and sounds in this browser, end-to-end encrypted: each is sealed with a
          key that only your passphrase opens. Nothing of it leaves this device unless you export it.
        </Trans>
      </p>
      <SetUpForm />
      <div className={styles.actions}>
        <button type="button" className={button.quiet} onClick={() => setRestoring(true)}>
          <Trans>Restore from a recovery key</Trans>
        </button>
        <BackToStart quiet />
      </div>
    </Panel>
  );
}

function SetUpForm() {
  const actions = useVaultActions();
  const { failure, isBusy, attempt } = useAttempt();
  const [passphrase, setPassphrase] = useState("");
  const [again, setAgain] = useState("");
  const [isDifferent, setDifferent] = useState(false);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setDifferent(passphrase !== again);
    if (strengthOf(passphrase) === "short" || passphrase !== again) return;
    void attempt(() => actions.setUp(passphrase));
  };

  return (
    <form className={styles.form} onSubmit={submit}>
      <Passphrase label={<Trans>Passphrase</Trans>} value={passphrase} onChange={setPassphrase} of="new" />
      <Passphrase label={<Trans>Passphrase, again</Trans>} value={again} onChange={setAgain} of="repeated" />
      <p role="alert" className={styles.problem}>
        {isDifferent && passphrase !== again && <Trans>These are two different passphrases. Type them again.</Trans>}
      </p>
      <Problem failure={failure} />
      <button type="submit" className={`${button.primary} ${button.large}`} aria-disabled={isBusy}>
        {isBusy ? <Trans>Setting up…</Trans> : <Trans>Set up vault</Trans>}
      </button>
    </form>
  );
}
