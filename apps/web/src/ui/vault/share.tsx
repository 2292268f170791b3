import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type SubmitEvent, useRef, useState } from "react";
import type { ShownEntry } from "../../session/vault/view.ts";
import button from "../button.module.css";
import { Dialog } from "../parts/dialog.tsx";
import fields from "../parts/fields.module.css";
import { useAttempt } from "./attempt.ts";
import { Problem } from "./failure.tsx";
import styles from "./vault.module.css";
import { useVault, useVaultActions } from "./vault-context.ts";

const instead = {
  "unknown-kind": msg`This is no recipient of a vault, or a part of it is missing. It begins with age1pq1.`,
};

/** Who can open a file besides its owner. */
export function ShareDialog({ entry, onClose }: { entry: ShownEntry; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Dialog title={t`Share “${entry.title}”`} onClose={onClose}>
      <div className={styles.dialog}>
        <SharedWith entry={entry} />
        {entry.state === "finished" && <ShareForm id={entry.id} />}
      </div>
    </Dialog>
  );
}

function SharedWith({ entry: { id, shared } }: { entry: ShownEntry }) {
  const { t } = useLingui();
  const heading = useRef<HTMLHeadingElement>(null);
  const done = useVault((view) => view.resealed[id]);
  return (
    <section className={styles.shared}>
      <h3 ref={heading} tabIndex={-1}>
        <Trans>Shared with</Trans>
      </h3>
      {shared.length === 0 ? (
        <p>
          <Trans>Only you can open it.</Trans>
        </p>
      ) : (
        <ul aria-label={t`Shared with`}>
          {shared.map((person) => (
            <Shared key={person.recipient} id={id} person={person} onRemoved={() => heading.current?.focus()} />
          ))}
        </ul>
      )}
      {done !== undefined && (
        <label className={fields.field}>
          <Trans>Sealing the file again, under a key that the removed recipient does not have</Trans>
          <progress value={done} />
        </label>
      )}
    </section>
  );
}

interface SharedProps {
  id: string;
  person: ShownEntry["shared"][number];
  onRemoved: () => void;
}

function Shared({ id, person: { name, recipient }, onRemoved }: SharedProps) {
  const actions = useVaultActions();
  const { failure, isBusy, attempt } = useAttempt();
  const remove = async () => {
    if (await attempt(() => actions.unshare(id, recipient))) onRemoved();
  };
  return (
    <li aria-label={name}>
      <bdi>{name}</bdi>
      <button type="button" className={button.quiet} aria-disabled={isBusy} onClick={() => void remove()}>
        <Trans>Remove</Trans>
      </button>
      <Problem failure={failure} />
    </li>
  );
}

function ShareForm({ id }: { id: string }) {
  const { t } = useLingui();
  const actions = useVaultActions();
  const { failure, isBusy, attempt } = useAttempt();
  const [name, setName] = useState("");
  const [recipient, setRecipient] = useState("");
  const [sharedWith, setSharedWith] = useState<string | null>(null);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSharedWith(null);
    // Mail programs break long lines.
    const text = recipient.replace(/\s/g, "").toLowerCase();
    if (!(await attempt(() => actions.share(id, name, text)))) return;
    setSharedWith(name);
    setName("");
    setRecipient("");
  };

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <label className={fields.field}>
        <Trans>Name</Trans>
        <input
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={200}
          dir="auto"
          autoComplete="off"
          required
        />
      </label>
      <label className={fields.field}>
        <Trans>Their recipient</Trans>
        <textarea
          className={styles.text}
          value={recipient}
          onChange={(event) => setRecipient(event.target.value)}
          placeholder={t`age1pq1…`}
          maxLength={5000}
          rows={4}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          required
        />
      </label>
      <p className={styles.hint}>
        <Trans>They find it under “Your recipient” in their vault.</Trans>
      </p>
      <Problem failure={failure} instead={instead} />
      <button type="submit" className={button.primary} aria-disabled={isBusy}>
        <Trans>Share</Trans>
      </button>
      <output>
        {sharedWith !== null && (
          <Trans>
            Shared with <bdi>{sharedWith}</bdi>. Now export a sealed copy and its signature, and send them both: their
            vault opens them. Who has a copy keeps it, also after you remove them here.
          </Trans>
        )}
      </output>
    </form>
  );
}
