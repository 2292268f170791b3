import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type ReactNode, type RefObject, type SubmitEvent, useId, useState } from "react";
import { MAX_TEXT, shownText } from "../../../session/talk/said.ts";
import button from "../../button.module.css";
import { CloseIcon } from "../../parts/icons.tsx";
import announcer from "../announcer.module.css";
import { useActions, useView } from "../call-context.ts";
import styles from "./chat.module.css";
import { cut } from "./cut.ts";

/** With this number of characters left or fewer, the number shows. */
const NEAR_LIMIT = 400;

interface ComposerProps {
  input: RefObject<HTMLTextAreaElement | null>;
  draft: string;
  setDraft: (draft: string) => void;
  /** The key of the message that is answered; null where none is. */
  replyTo: string | null;
  /** Nothing is answered any more. */
  onReplied: () => void;
  /** What else can be sent: round buttons, in front of the message. */
  children?: ReactNode;
}

/** Where a message is written. Enter sends it; what is too long is said, and never cut. */
export function Composer({ input, draft, setDraft, replyTo, onReplied, children }: ComposerProps) {
  const { t } = useLingui();
  const actions = useActions();
  const note = useId();
  const [isTooFast, setTooFast] = useState(false);
  const length = shownText(draft).length;
  const isReady = length > 0 && length <= MAX_TEXT;

  const send = () => {
    if (!isReady) return;
    const isSent = actions.sendChat(draft, replyTo);
    setTooFast(!isSent);
    if (!isSent) return;
    setDraft("");
    onReplied();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    send();
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form className={styles.composer} onSubmit={submit}>
      {replyTo !== null && <Answered replyTo={replyTo} onCancel={onReplied} />}
      <div className={styles.write}>
        {children}
        <label>
          <span className={announcer.unseen}>
            <Trans>Message</Trans>
          </span>
          <textarea
            ref={input}
            value={draft}
            rows={1}
            dir="auto"
            enterKeyHint="send"
            placeholder={t`Message everyone`}
            aria-describedby={note}
            aria-invalid={length > MAX_TEXT}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={press}
          />
        </label>
        <button type="submit" className={button.primary} aria-disabled={!isReady}>
          <Trans>Send</Trans>
        </button>
      </div>
      <p id={note} className={styles.word} data-bad={length > MAX_TEXT}>
        {length > MAX_TEXT ? (
          <Plural value={length - MAX_TEXT} one="# character too many" other="# characters too many" />
        ) : (
          MAX_TEXT - length < NEAR_LIMIT && (
            <Plural value={MAX_TEXT - length} one="# character left" other="# characters left" />
          )
        )}
      </p>
      <output className={styles.word}>
        {isTooFast && <Trans>That was too fast. Wait a few seconds, then send it again.</Trans>}
      </output>
    </form>
  );
}

/** The message that is answered. */
function Answered({ replyTo, onCancel }: { replyTo: string; onCancel: () => void }) {
  const { t } = useLingui();
  const line = useView((view) => view.chat.lines.find(({ key }) => key === replyTo));
  return (
    line && (
      <div className={styles.answered}>
        <p className={styles.quote}>
          <bdi className={styles.who}>{line.name}</bdi>
          <bdi className={styles.cut}>{cut(line.text)}</bdi>
        </p>
        <button type="button" className={button.round} aria-label={t`Do not reply`} onClick={onCancel}>
          <CloseIcon />
        </button>
      </div>
    )
  );
}
