import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import styles from "./answers.module.css";
import { useWatch } from "./live-context.ts";

/** What the host answered to this viewer's questions, and to all viewers. */
export function Answers() {
  const { t } = useLingui();
  const answers = useWatch((view) => view.answers);
  const count = answers.length;
  const list = useRef<HTMLDivElement>(null);
  // The latest is in sight.
  useEffect(() => {
    if (count > 0) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [count]);
  return (
    <details open className={styles.answers} hidden={count === 0}>
      <summary>
        <Trans>Answers from the host ({count})</Trans>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard */}
      <div ref={list} role="log" aria-label={t`Answers from the host`} tabIndex={0} className={styles.list}>
        {answers.map(({ id, question, answer, isShared }) => (
          <div key={id} className={styles.answer}>
            <p className={styles.question}>
              {isShared ? <Trans>Question:</Trans> : <Trans>You asked:</Trans>} <bdi>{question}</bdi>
            </p>
            <p>
              <bdi>{answer}</bdi>
              {!isShared && (
                <span className={styles.note}>
                  <Trans>Only you see this.</Trans>
                </span>
              )}
            </p>
          </div>
        ))}
      </div>
    </details>
  );
}
