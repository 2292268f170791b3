import { Trans, useLingui } from "@lingui/react/macro";
import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { MAX_ANSWER } from "../../session/live/messages.ts";
import type { Question } from "../../session/live/questions.ts";
import button from "../button.module.css";
import fields from "../parts/fields.module.css";
import styles from "./audience.module.css";

interface Props {
  /** Of the viewer who asked. */
  number: number;
  /** That viewer can still be answered alone. */
  isHere: boolean;
  answer: Question["answer"];
  /** All viewers see the question, and can upvote it. */
  isShared: boolean;
  onShare: (isShared: boolean) => void;
  onAnswer: (text: string, isShared: boolean) => void;
}

/** A host's: the answer to a question. What one viewer was told can be shown to all later. */
export function AnswerForm({ number, isHere, answer, isShared, onShare, onAnswer }: Props) {
  const { t } = useLingui();
  const [open, setOpen] = useState<boolean | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (open === false) opener.current?.focus();
  }, [open]);
  if (answer?.isShared) return null;
  if (answer !== null)
    return (
      <div className={styles.buttons}>
        <button type="button" className={button.quiet} onClick={() => onAnswer(answer.text, true)}>
          <Trans>Show to all viewers</Trans>
        </button>
      </div>
    );
  if (!open)
    return (
      <div className={styles.buttons}>
        <button
          ref={opener}
          type="button"
          className={button.quiet}
          aria-label={t`Answer the question of viewer ${number}`}
          onClick={() => setOpen(true)}
        >
          <Trans>Answer</Trans>
        </button>
        <button
          type="button"
          className={button.quiet}
          aria-label={
            isShared
              ? t`Hide from viewers: question of viewer ${number}`
              : t`Show to viewers: question of viewer ${number}`
          }
          onClick={() => onShare(!isShared)}
        >
          {isShared ? <Trans>Hide from viewers</Trans> : <Trans>Show to viewers</Trans>}
        </button>
      </div>
    );
  return <OpenForm {...{ number, isHere, isShared, onAnswer }} onClose={() => setOpen(false)} />;
}

interface OpenProps extends Pick<Props, "number" | "isHere" | "isShared" | "onAnswer"> {
  onClose: () => void;
}

function OpenForm({ number, isHere, isShared, onAnswer, onClose }: OpenProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onAnswer(text, event.submitter instanceof HTMLButtonElement && event.submitter.value === "all");
  };
  const left = MAX_ANSWER - text.length;
  return (
    <form className={styles.form} onSubmit={submit}>
      <label className={fields.field}>
        <Trans>Your answer to viewer {number}</Trans>
        <textarea
          ref={field}
          rows={3}
          maxLength={MAX_ANSWER}
          value={text}
          required
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <output>{left <= 100 && <Trans>{left} characters left.</Trans>}</output>
      <div className={styles.buttons}>
        <button type="submit" value="all" className={button.primary}>
          <Trans>Show to all viewers</Trans>
        </button>
        {isHere && !isShared && (
          <button type="submit" value="one" className={button.quiet}>
            <Trans>Only to viewer {number}</Trans>
          </button>
        )}
        <button type="button" className={button.quiet} onClick={onClose}>
          <Trans>Cancel</Trans>
        </button>
      </div>
      <p className={styles.state}>
        {isHere ? (
          <Trans>All viewers would see the question and your answer, without the viewer’s name.</Trans>
        ) : (
          <Trans>This viewer has left. All viewers would see the question and your answer.</Trans>
        )}
      </p>
    </form>
  );
}
