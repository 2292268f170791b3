import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useState } from "react";
import button from "../button.module.css";
import { useCopying } from "../copying.ts";
import { DialogButton } from "../parts/dialog-button.tsx";
import fields from "../parts/fields.module.css";
import styles from "./vault.module.css";
import { useVaultActions } from "./vault-context.ts";

/** What this person gives to others, so that they can share with them. */
export function OwnRecipient() {
  const { t } = useLingui();
  return (
    <DialogButton label={t`Your recipient`}>
      <RecipientText />
    </DialogButton>
  );
}

function RecipientText() {
  const actions = useVaultActions();
  const [recipient, setRecipient] = useState("");
  const { copied, copy } = useCopying(() => recipient);
  useEffect(() => void actions.recipient().then(setRecipient, () => undefined), [actions]);
  return (
    <div className={styles.dialog}>
      <p>
        <Trans>
          Give this text to people who want to share recordings with you. It only seals: nobody can open anything with
          it.
        </Trans>
      </p>
      <label className={fields.field}>
        <Trans>Recipient</Trans>
        <textarea className={styles.text} value={recipient} readOnly rows={6} dir="ltr" spellCheck={false} />
      </label>
      <div className={styles.actions}>
        <button type="button" className={button.primary} onClick={copy}>
          <Trans>Copy recipient</Trans>
        </button>
      </div>
      <output>
        {copied === "yes" && <Trans>Recipient copied.</Trans>}
        {copied === "refused" && <Trans>The browser refused to copy. Select the text and copy it yourself.</Trans>}
      </output>
    </div>
  );
}
