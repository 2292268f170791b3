import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import type { ShownEntry } from "../../session/vault/view.ts";
import button from "../button.module.css";
import { PersonNames } from "../person-name.tsx";
import { useAttempt } from "./attempt.ts";
import { clock } from "./clock.ts";
import { DeleteDialog } from "./delete.tsx";
import styles from "./entry.module.css";
import { ExportDialog } from "./export.tsx";
import { Problem } from "./failure.tsx";
import { PlayDialog } from "./play.tsx";
import { ShareDialog } from "./share.tsx";
import { SignedBy } from "./signed-by.tsx";
import { useSize } from "./size.ts";
import { Thumbnail } from "./thumbnail.tsx";
import { Title } from "./title.tsx";
import { useVault, useVaultActions } from "./vault-context.ts";

/** One file of the vault, with what can be done with it as it is. */
export function EntryItem({ entry, onRemoved }: { entry: ShownEntry; onRemoved: () => void }) {
  const { t } = useLingui();
  const isDamaged = entry.state === "damaged";
  const title = isDamaged ? t`Damaged file` : entry.title;
  return (
    <li className={styles.entry} aria-label={title}>
      <Thumbnail entry={entry} />
      <div className={styles.words}>
        {entry.state === "finished" ? (
          <Title id={entry.id} title={title} />
        ) : (
          <h2>
            <bdi>{title}</bdi>
          </h2>
        )}
        {!isDamaged && <Facts entry={entry} />}
        <SignedBy entry={entry} />
        <State entry={entry} />
      </div>
      <Buttons entry={{ ...entry, title }} onRemoved={onRemoved} />
    </li>
  );
}

function Facts({ entry: { created, seconds, bytes, people } }: { entry: ShownEntry }) {
  const { i18n } = useLingui();
  const size = useSize();
  return (
    <ul className={styles.facts}>
      <li>{i18n.date(new Date(created), { dateStyle: "medium", timeStyle: "short" })}</li>
      {seconds !== null && <li>{clock(seconds)}</li>}
      <li>{size(bytes)}</li>
      {people.length > 0 && (
        <li>
          <PersonNames names={people} />
        </li>
      )}
    </ul>
  );
}

function State({ entry: { id, state } }: { entry: ShownEntry }) {
  switch (state) {
    case "finished":
      return null;
    case "writing":
      return (
        <p className={styles.state}>
          <Trans>Being recorded</Trans>
        </p>
      );
    case "unfinished":
      return <Unfinished id={id} />;
    case "resealing":
      return <Resealing id={id} />;
    case "damaged":
      return (
        <p className={styles.state}>
          <Trans>
            This file was changed or damaged on the disk, so it cannot be opened. If you exported a copy, delete this
            one and import the copy.
          </Trans>
        </p>
      );
  }
}

function Unfinished({ id }: { id: string }) {
  const actions = useVaultActions();
  const { failure, isBusy, attempt } = useAttempt();
  return (
    <>
      <p className={styles.state}>
        <Trans>Unfinished: the recording stopped early. Nearly all of it can be recovered.</Trans>
      </p>
      <button
        type="button"
        className={button.primary}
        aria-disabled={isBusy}
        onClick={() => void attempt(() => actions.recover(id))}
      >
        {isBusy ? <Trans>Recovering…</Trans> : <Trans>Recover</Trans>}
      </button>
      <Problem failure={failure} />
    </>
  );
}

/** Goes on by itself when the vault is opened; where that failed, a button has it tried again. */
function Resealing({ id }: { id: string }) {
  const { t } = useLingui();
  const actions = useVaultActions();
  const done = useVault((view) => view.resealed[id]);
  const { failure, attempt } = useAttempt();
  return (
    <>
      <p className={styles.state}>
        <Trans>Being sealed again, under a key that the removed recipient does not have.</Trans>
      </p>
      {done === undefined ? (
        <button type="button" className={button.quiet} onClick={() => void attempt(() => actions.reseal(id))}>
          <Trans>Seal again</Trans>
        </button>
      ) : (
        <progress value={done} aria-label={t`Sealing again`} />
      )}
      <Problem failure={failure} />
    </>
  );
}

type Doing = "play" | "share" | "export" | "delete";

const CAN: Record<ShownEntry["state"], readonly Doing[]> = {
  finished: ["play", "share", "export", "delete"],
  writing: ["play"],
  unfinished: ["delete"],
  // A copy that leaves now would still open with the key that the removed recipient has.
  resealing: ["play", "share"],
  damaged: ["delete"],
};

function Buttons({ entry, onRemoved }: { entry: ShownEntry; onRemoved: () => void }) {
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = () => setDoing(null);
  const words: Record<Doing, ReactNode> = {
    play: <Trans>Play</Trans>,
    share: <Trans>Share</Trans>,
    export: <Trans>Export</Trans>,
    delete: <Trans>Delete</Trans>,
  };
  return (
    <div className={styles.buttons}>
      {CAN[entry.state].map((what) => (
        <button key={what} type="button" className={button.quiet} onClick={() => setDoing(what)}>
          {words[what]}
        </button>
      ))}
      {doing === "play" && <PlayDialog entry={entry} onClose={close} />}
      {doing === "share" && <ShareDialog entry={entry} onClose={close} />}
      {doing === "export" && <ExportDialog entry={entry} onClose={close} />}
      {doing === "delete" && <DeleteDialog entry={entry} onClose={close} onRemoved={onRemoved} />}
    </div>
  );
}
