import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { ShownEntry } from "../../session/vault/view.ts";
import button from "../button.module.css";
import { Dialog } from "../parts/dialog.tsx";
import { useAttempt } from "./attempt.ts";
import { Problem } from "./failure.tsx";
import { fileNameOf, type Saving, save } from "./save.ts";
import styles from "./vault.module.css";
import { useVaultActions } from "./vault-context.ts";

type What = "sealed" | "signature" | "plain";

/** Saves a file outside the vault. */
export function ExportDialog({ entry, onClose }: { entry: ShownEntry; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Dialog title={t`Export “${entry.title}”`} onClose={onClose}>
      <ExportChoices entry={entry} />
    </Dialog>
  );
}

function ExportChoices({ entry: { id, title, kind, bytes } }: { entry: ShownEntry }) {
  const { t } = useLingui();
  const actions = useVaultActions();
  const { failure, attempt } = useAttempt();
  const [done, setDone] = useState<number | null>(null);
  const [saved, setSaved] = useState<What | null>(null);
  const name = fileNameOf(title, kind);

  const start = async (what: What, { name, open }: Pick<Saving, "name" | "open">) => {
    setSaved(null);
    const onBytes = (count: number) => setDone(Math.min(1, count / Math.max(1, bytes)));
    await attempt(async () => {
      if (await save({ name, open, onBytes })) setSaved(what);
    });
    setDone(null);
  };
  const saveSealed = () =>
    void start("sealed", { name: `${name}.age`, open: async () => (await actions.exportSealed(id)).file });
  const saveSignature = () =>
    void start("signature", {
      name: `${name}.age.sig`,
      open: async () => new Blob([new Uint8Array((await actions.exportSealed(id)).sidecar)]),
    });
  const savePlain = () => void start("plain", { name, open: () => actions.exportPlain(id) });

  return (
    <div className={styles.dialog}>
      <p>
        <Trans>
          A sealed copy opens in your vault, in the vaults it is shared with, and with the age command. Its signature
          says who made it, and holds its title: keep it beside the copy, and import both together.
        </Trans>
      </p>
      <div className={styles.actions}>
        <button type="button" className={button.primary} onClick={saveSealed}>
          <Trans>Save sealed copy</Trans>
        </button>
        <button type="button" className={button.quiet} onClick={saveSignature}>
          <Trans>Save signature</Trans>
        </button>
      </div>
      <p className={styles.warning}>
        <Trans>
          Without encryption, anyone who gets hold of the file can open it, and nobody can tell if it was changed.
        </Trans>
      </p>
      <button type="button" className={button.quiet} onClick={savePlain}>
        <Trans>Save without encryption</Trans>
      </button>
      {done !== null && <progress value={done} aria-label={t`Saving`} />}
      <output>
        {saved === "sealed" && <Trans>Sealed copy saved. Save its signature beside it.</Trans>}
        {saved === "signature" && <Trans>Signature saved.</Trans>}
        {saved === "plain" && <Trans>Saved without encryption.</Trans>}
      </output>
      <Problem failure={failure} />
    </div>
  );
}
