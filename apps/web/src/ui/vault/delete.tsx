import { Trans, useLingui } from "@lingui/react/macro";
import type { ShownEntry } from "../../session/vault/view.ts";
import button from "../button.module.css";
import { Dialog } from "../parts/dialog.tsx";
import { useAttempt } from "./attempt.ts";
import { Problem } from "./failure.tsx";
import styles from "./vault.module.css";
import { useVaultActions } from "./vault-context.ts";

interface DeleteDialogProps {
  entry: ShownEntry;
  onClose: () => void;
  /** The entry is gone, and with it what had the focus. */
  onRemoved: () => void;
}

export function DeleteDialog({ entry: { id, title }, onClose, onRemoved }: DeleteDialogProps) {
  const { t } = useLingui();
  const actions = useVaultActions();
  const { failure, isBusy, attempt } = useAttempt();
  const remove = async () => {
    if (await attempt(() => actions.remove(id))) onRemoved();
  };
  return (
    <Dialog title={t`Delete “${title}”?`} onClose={onClose}>
      <div className={styles.dialog}>
        <p>
          <Trans>
            Its key is erased with it, and nobody can bring it back. Copies that you exported stay where they are.
          </Trans>
        </p>
        <Problem failure={failure} />
        <div className={styles.actions}>
          <button type="button" className={button.danger} aria-disabled={isBusy} onClick={() => void remove()}>
            <Trans>Delete</Trans>
          </button>
          <button type="button" className={button.quiet} onClick={onClose}>
            <Trans>Cancel</Trans>
          </button>
        </div>
      </div>
    </Dialog>
  );
}
