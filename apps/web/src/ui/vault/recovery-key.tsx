import { Trans, useLingui } from "@lingui/react/macro";
import { useId } from "react";
import { RECOVERY_KEY_PREFIX, recoveryKeyIn } from "../../session/vault/view.ts";
import fields from "../parts/fields.module.css";
import styles from "./vault.module.css";

/** The file that was saved is shorter. */
const MOST_FILE_BYTES = 10_000;

/** A field for a recovery key: pasted, or read from its file. */
export function RecoveryKey({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useLingui();
  const id = useId();
  const read = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file !== undefined) onChange(recoveryKeyIn(await file.slice(0, MOST_FILE_BYTES).text()));
    // The same file may be chosen again.
    input.value = "";
  };
  return (
    <div className={styles.passphrase}>
      <label className={fields.field}>
        <Trans>Recovery key</Trans>
        <textarea
          className={styles.text}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          aria-describedby={id}
          rows={3}
          dir="ltr"
          maxLength={MOST_FILE_BYTES}
          placeholder={`${RECOVERY_KEY_PREFIX}…`}
          spellCheck={false}
          autoComplete="off"
          required
        />
      </label>
      <p id={id} className={styles.hint}>
        <Trans>Paste it here, or choose the file that you saved.</Trans>
      </p>
      <input
        type="file"
        aria-label={t`Recovery key file`}
        accept=".txt,text/plain"
        onChange={(event) => void read(event.target)}
      />
    </div>
  );
}
