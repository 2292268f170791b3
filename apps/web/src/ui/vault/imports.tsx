import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { Import } from "../../session/vault/view.ts";
import button from "../button.module.css";
import { Problem } from "./failure.tsx";
import styles from "./recordings.module.css";
import { useVault, useVaultActions } from "./vault-context.ts";

const instead = { busy: msg`This file is in the vault already, or another tab is importing it.` };

/** Files on their way in, and those that were refused. `onEnd`: one was taken off, and with it what had the focus. */
export function Imports({ onEnd }: { onEnd: () => void }) {
  const { t } = useLingui();
  const imports = useVault((view) => view.imports);
  if (imports.length === 0) return null;
  return (
    <ul className={styles.imports} aria-label={t`Imports`}>
      {imports.map((one) => (
        <ImportItem key={one.key} one={one} onEnd={onEnd} />
      ))}
    </ul>
  );
}

function ImportItem({ one: { key, name: title, done, failure }, onEnd }: { one: Import; onEnd: () => void }) {
  const { t } = useLingui();
  const actions = useVaultActions();
  const end = () => {
    actions.endImport(key);
    onEnd();
  };
  return (
    <li aria-label={title}>
      <bdi className={styles.importName}>{title}</bdi>
      {done !== null && failure === null && <progress value={done} aria-label={t`Sealing ${title}`} />}
      {done === null && failure === null && (
        <span>
          <Trans>Waiting</Trans>
        </span>
      )}
      <Problem failure={failure} instead={instead} />
      <button type="button" className={button.quiet} onClick={end}>
        {failure === null ? <Trans>Cancel</Trans> : <Trans>Dismiss</Trans>}
      </button>
    </li>
  );
}
