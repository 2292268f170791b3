import { Trans, useLingui } from "@lingui/react/macro";
import button from "../button.module.css";
import { CheckIcon, UpIcon } from "../parts/icons.tsx";
import styles from "./answers.module.css";
import { useWatch, useWatchActions } from "./live-context.ts";

/** What viewers have asked, as far as the host shows it to all: each can say that they would like an answer, too. */
export function Upvotes() {
  const { t } = useLingui();
  const actions = useWatchActions();
  const questions = useWatch((view) => view.questions);
  const count = questions.length;
  return (
    <details open className={styles.answers} hidden={count === 0}>
      <summary>
        <Trans>Questions to the host ({count})</Trans>
      </summary>
      <p className={styles.note}>
        <Trans>Upvote what you would like to be answered. Only the host sees how many do.</Trans>
      </p>
      <ul aria-label={t`Questions to the host`} className={styles.list}>
        {questions.map(({ id, text, isUpvoted }) => (
          <li key={id} className={styles.upvoted}>
            <p>
              <bdi>{text}</bdi>
            </p>
            <button
              type="button"
              className={isUpvoted ? button.primary : button.quiet}
              aria-pressed={isUpvoted}
              aria-label={t`Upvote “${text}”`}
              onClick={() => actions.upvote(id, !isUpvoted)}
            >
              {isUpvoted ? <CheckIcon /> : <UpIcon />} <Trans>Upvote</Trans>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
