import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import button from "../button.module.css";
import styles from "./recordings.module.css";
import { useSize } from "./size.ts";
import { useVault, useVaultActions } from "./vault-context.ts";

/** What the vault takes, what is free, and whether the browser promises to keep it. */
export function StorageWords() {
  const size = useSize();
  const storage = useVault((view) => view.storage);
  const bytes = useVault((view) => (view.entries ?? []).reduce((sum, entry) => sum + entry.bytes, 0));
  if (storage === null) return null;
  const [used, free] = [size(bytes), size(storage.freeBytes)];
  return (
    <div className={styles.storage}>
      <p>
        <Trans>
          The vault takes {used}; about {free} are free for it.
        </Trans>
      </p>
      {!storage.isPersistent && <Persist />}
    </div>
  );
}

function Persist() {
  const actions = useVaultActions();
  const [wasAsked, setAsked] = useState(false);
  const ask = async () => {
    await actions.persist();
    setAsked(true);
  };
  return (
    <div className={styles.persist}>
      <p>
        <Trans>
          This browser may delete the vault when the device runs out of space. Ask it to keep the vault until you delete
          it yourself.
        </Trans>
      </p>
      <button type="button" className={button.quiet} onClick={() => void ask()}>
        <Trans>Keep the vault</Trans>
      </button>
      <output>
        {wasAsked && (
          <Trans>
            The browser did not agree. Bookmark this page or install it, and ask again; export what matters.
          </Trans>
        )}
      </output>
    </div>
  );
}
