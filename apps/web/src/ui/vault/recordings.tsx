import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type DragEvent, useRef, useState } from "react";
import { BackToStart } from "../back-to-start.tsx";
import button from "../button.module.css";
import fields from "../parts/fields.module.css";
import { EntryItem } from "./entry.tsx";
import { Imports } from "./imports.tsx";
import { OwnRecipient } from "./recipient.tsx";
import styles from "./recordings.module.css";
import { matching } from "./search.ts";
import { StorageWords } from "./storage.tsx";
import { useLock, useVault, useVaultActions } from "./vault-context.ts";

/** The unlocked vault. Files can be dropped anywhere on it. */
export function Recordings() {
  const actions = useVaultActions();
  const [isOver, setOver] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const focusHeading = () => heading.current?.focus();
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    actions.importFiles([...event.dataTransfer.files]);
  };
  return (
    <main className={styles.page} data-over={isOver} onDragOver={over} onDragLeave={() => setOver(false)} onDrop={drop}>
      <header className={styles.head}>
        <h1 ref={heading} tabIndex={-1}>
          <Trans>Recordings</Trans>
        </h1>
        <ImportButton />
        <OwnRecipient />
        <LockButton />
        <BackToStart quiet />
      </header>
      <StorageWords />
      <Imports onEnd={focusHeading} />
      <EntryList onRemoved={focusHeading} />
    </main>
  );
}

function LockButton() {
  const lock = useLock();
  return (
    <button type="button" className={button.quiet} onClick={lock}>
      <Trans>Lock</Trans>
    </button>
  );
}

function ImportButton() {
  const { t } = useLingui();
  const actions = useVaultActions();
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ files }: HTMLInputElement) => {
    actions.importFiles([...(files ?? [])]);
    // The same file may be chosen again.
    if (input.current !== null) input.current.value = "";
  };
  return (
    <>
      <button type="button" className={button.primary} onClick={() => input.current?.click()}>
        <Trans>Import</Trans>
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept="image/*,audio/*,video/*,.age,.sig"
        aria-label={t`Files to import`}
        onChange={(event) => choose(event.target)}
      />
    </>
  );
}

function EntryList({ onRemoved }: { onRemoved: () => void }) {
  const { t } = useLingui();
  const entries = useVault((view) => view.entries);
  const [query, setQuery] = useState("");
  if (entries === null) return null;
  if (entries.length === 0) return <Nothing />;
  const found = matching(entries, query);
  return (
    <>
      <div className={styles.search}>
        <label className={fields.field}>
          <Trans>Search</Trans>
          <input
            type="search"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            placeholder={t`Title or person`}
          />
        </label>
        <output>
          <Plural value={found.length} _0="Nothing found" one="# recording" other="# recordings" />
        </output>
      </div>
      <ul className={styles.list} aria-label={t`Recordings`}>
        {found.map((entry) => (
          <EntryItem key={entry.id} entry={entry} onRemoved={onRemoved} />
        ))}
      </ul>
    </>
  );
}

function Nothing() {
  return (
    <div className={styles.nothing}>
      <h2>
        <Trans>Nothing is in the vault yet</Trans>
      </h2>
      <p>
        <Trans>
          Record a call or a stream, or bring files: choose “Import”, or drop images, sounds, videos or sealed files
          here.
        </Trans>
      </p>
    </div>
  );
}
