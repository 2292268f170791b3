import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { Import } from "../../session/vault/view.ts";
import button from "../button.module.css";
import { Problem } from "./failure.tsx";
import styles from "./recordings.module.css";
import { useVault, useVaultActions } from "./vault-context.ts";

const instead = { busy: msg`This file is in the vault already, or another tab is importing it.` };

/** Files on their way in, and those that were refused. */
export function Imports() {
  const { t } = useLingui();
  const imports = useVault((view) => view.imports);
  if (imports.length === 0) return null;
  return (
    <ul className={styles.imports} aria-label={t`Imports`}>
      {imports.map((one) => (
        <ImportItem key={one.key} one={one} />
      ))}
    </ul>
  );
}

function ImportItem({ one: { key, name: title, done, failure } }: { one: Import }) {
  const { t } = useLingui();
  const actions = useVaultActions();
  const isUnderWay = done !== null && failure === null;
  return (
    <li aria-label={title}>
      <bdi className={styles.importName}>{title}</bdi>
      {isUnderWay && <progress value={done} aria-label={t`Sealing ${title}`} />}
      {done === null && failure === null && (
        <span>
          <Trans>Waiting</Trans>
        </span>
      )}
      <Problem failure={failure} instead={instead} />
      {!isUnderWay && (
        <button type="button" className={button.quiet} onClick={() => actions.dismissImport(key)}>
          {failure === null ? <Trans>Cancel</Trans> : <Trans>Dismiss</Trans>}
        </button>
      )}
    </li>
  );
}
