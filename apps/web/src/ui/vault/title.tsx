import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type SubmitEvent, useEffect, useRef, useState } from "react";
import button from "../button.module.css";
import { useAttempt } from "./attempt.ts";
import styles from "./entry.module.css";
import { Problem } from "./failure.tsx";
import { useVaultActions } from "./vault-context.ts";

const MOST_TITLE = 200;

/** A file's title, renamed in its place. */
export function Title({ id, title }: { id: string; title: string }) {
  const [isEditing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    edit.current?.focus();
  };
  return (
    <div className={styles.title}>
      {isEditing ? (
        <TitleForm id={id} title={title} onClose={close} />
      ) : (
        <h2>
          <bdi>{title}</bdi>
        </h2>
      )}
      <button ref={edit} type="button" className={button.quiet} onClick={() => setEditing(!isEditing)}>
        {isEditing ? <Trans>Cancel</Trans> : <Trans>Rename</Trans>}
      </button>
    </div>
  );
}

function TitleForm({ id, title, onClose }: { id: string; title: string; onClose: () => void }) {
  const { t } = useLingui();
  const actions = useVaultActions();
  const { failure, attempt } = useAttempt();
  const [text, setText] = useState(title);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (text.trim() === "" || (await attempt(() => actions.rename(id, text)))) onClose();
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
  };
  return (
    <form className={styles.rename} onSubmit={(event) => void submit(event)}>
      <input
        ref={input}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={leave}
        aria-label={t`Title`}
        dir="auto"
        maxLength={MOST_TITLE}
      />
      <button type="submit" className={button.primary}>
        <Trans>Save</Trans>
      </button>
      <Problem failure={failure} />
    </form>
  );
}
