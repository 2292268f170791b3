import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { ViewerEntry } from "../../session/live/viewers.ts";
import button from "../button.module.css";
import { Confirmed, useFocusKept } from "../confirmed.tsx";
import { CloseIcon } from "../icons.tsx";
import styles from "./audience.module.css";
import { useHost, useHostActions } from "./live-context.ts";

/** Who watches, who would like to, and what they ask. Viewers have no names. */
export function Audience() {
  return (
    <>
      <Waiting />
      <Questions />
      <Viewers />
    </>
  );
}

function Waiting() {
  const actions = useHostActions();
  const waiting = useHost((view) => view.waiting);
  return (
    <div role="status" className={styles.waiting}>
      {waiting.map(({ id, number }) => (
        <div key={id} className={styles.knock}>
          <p>
            <Trans>Viewer {number} would like to watch, with an old link.</Trans>
          </p>
          <button type="button" className={button.primary} onClick={() => actions.answer(id, true)}>
            <Trans>Let in</Trans>
          </button>
          <button type="button" className={button.quiet} onClick={() => actions.answer(id, false)}>
            <Trans>Turn away</Trans>
          </button>
        </div>
      ))}
    </div>
  );
}

function Questions() {
  const { t } = useLingui();
  const actions = useHostActions();
  const questions = useHost((view) => view.questions);
  return (
    <section className={styles.part} aria-label={t`Questions`} hidden={questions.length === 0}>
      <h2>
        <Trans>Questions</Trans>
      </h2>
      <ul className={styles.list} aria-live="polite">
        {questions.map(({ key, number, text }) => (
          <li key={key}>
            <p className={styles.question}>
              <strong>
                <Trans>Viewer {number}</Trans>
              </strong>{" "}
              {text}
            </p>
            <button
              type="button"
              className={button.round}
              aria-label={t`Dismiss the question of viewer ${number}`}
              onClick={() => actions.dismissQuestion(key)}
            >
              <CloseIcon />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Viewers() {
  const viewers = useHost((view) => view.viewers);
  const part = useFocusKept<HTMLElement>(viewers.length);
  return (
    <section ref={part} tabIndex={-1} className={styles.part}>
      <h2>
        <Trans>Viewers</Trans>
      </h2>
      {viewers.length === 0 && (
        <p className={styles.nobody}>
          <Trans>No viewers yet.</Trans>
        </p>
      )}
      <ul className={styles.list}>
        {viewers.map((viewer) => (
          <Viewer key={viewer.id} viewer={viewer} />
        ))}
      </ul>
    </section>
  );
}

const states: Record<ViewerEntry["is"], MessageDescriptor> = {
  connecting: msg`connecting…`,
  watching: msg`watching`,
  away: msg`connection lost`,
  full: msg`waits: the stream is full`,
  unable: msg`gets no video: their browser has none of the usual codecs`,
  flood: msg`connection closed: their app sends too much`,
  malformed: msg`connection closed: their app sends what no Sealcast app does`,
};

function Viewer({ viewer: { id, number, is, records } }: { viewer: ViewerEntry }) {
  const { t, i18n } = useLingui();
  const actions = useHostActions();
  return (
    <li aria-label={t`Viewer ${number}`}>
      <p>
        <strong>
          <Trans>Viewer {number}</Trans>
        </strong>{" "}
        <span className={styles.state}>
          {i18n._(states[is])}
          {records && (
            <>
              {" · "}
              <Trans>recording</Trans>
            </>
          )}
        </span>
      </p>
      <Confirmed
        consequence={
          <Trans>
            They leave immediately, and the stream gets new keys and a new link. You’ll have to approve anyone using the
            old one.
          </Trans>
        }
        confirm={<Trans>Remove viewer {number}</Trans>}
        onConfirm={() => actions.remove(id)}
      >
        <Trans>Remove</Trans>
      </Confirmed>
    </li>
  );
}
