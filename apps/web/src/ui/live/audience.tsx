import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type FocusEvent, memo, useEffect, useRef, useState } from "react";
import type { ViewerEntry } from "../../session/live/known-viewers.ts";
import type { Question } from "../../session/live/questions.ts";
import button from "../button.module.css";
import announcer from "../call/announcer.module.css";
import { useFocusHeld } from "../focus-held.ts";
import { Confirmed, useFocusKept } from "../parts/confirmed.tsx";
import { CloseIcon } from "../parts/icons.tsx";
import { AnswerForm } from "./answer-form.tsx";
import styles from "./audience.module.css";
import { useHost, useHostActions } from "./live-context.ts";

/** Who watches, who would like to, and what they ask. */
export function Audience() {
  const { t } = useLingui();
  const part = useRef<HTMLElement>(null);
  useFocusHeld(part);
  return (
    <section ref={part} tabIndex={-1} className={styles.audience} aria-label={t`Audience`}>
      <Waiting />
      <Questions />
      <Viewers />
    </section>
  );
}

/** A viewer's number tells them apart: anyone can take any name. */
function WhichViewer({ number, name }: Pick<ViewerEntry, "number" | "name">) {
  return (
    <strong>
      <Trans>Viewer {number}</Trans>
      {name !== "" && (
        <>
          {" · "}
          <bdi>{name}</bdi>
        </>
      )}
    </strong>
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
  const questions = useHost((view) => view.questions);
  const { ordered, ...holding } = useOrder(questions);
  return (
    <section className={styles.part} aria-label={t`Questions`} hidden={questions.length === 0}>
      <h2>
        <Trans>Questions</Trans>
      </h2>
      <NewQuestion />
      <ul className={styles.list} {...holding}>
        {ordered.map((question) => (
          <QuestionEntry key={question.key} question={question} />
        ))}
      </ul>
    </section>
  );
}

/** Those with most upvotes first. They stay where they are from when the pointer or the focus comes to them until either leaves them. */
function useOrder(questions: readonly Question[]) {
  const [held, setHeld] = useState<readonly number[] | null>(null);
  const byUpvotes = questions.toSorted((a, b) => wanted(b) - wanted(a));
  const place = ({ key }: Question) => held?.indexOf(key) ?? -1;
  const isNew = (question: Question) => place(question) < 0;
  const kept = byUpvotes.filter((question) => !isNew(question)).toSorted((a, b) => place(a) - place(b));
  const hold = () => setHeld((before) => before ?? byUpvotes.map(({ key }) => key));
  const release = () => setHeld(null);
  const blur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) release();
  };
  return {
    ordered: [...kept, ...byUpvotes.filter(isNew)],
    ...{ onPointerEnter: hold, onPointerLeave: release, onFocus: hold, onBlur: blur },
  };
}

/** What was answered nobody waits for. */
const wanted = ({ answer, upvotes }: Question) => (answer === null ? upvotes : 0);

/** Tells a screen reader of each question once. */
function NewQuestion() {
  const newest = useHost(({ questions }) => questions.at(-1) ?? null);
  const [said, setSaid] = useState<Question | null>(null);
  useEffect(() => {
    setSaid((last) => (newest !== null && newest.key > (last?.key ?? -1) ? newest : last));
  }, [newest]);
  return (
    <div className={announcer.unseen} aria-live="polite">
      {said !== null && (
        <Trans>
          Viewer {said.number} asks: {said.text}
        </Trans>
      )}
    </div>
  );
}

function QuestionEntry({ question }: { question: Question }) {
  const { t } = useLingui();
  const actions = useHostActions();
  const { key, viewer, number, text, answer, isShared, upvotes } = question;
  const isHere = useHost(({ viewers }) => viewers.some(({ id, is }) => id === viewer && is !== "departed"));
  return (
    <li>
      <div className={styles.question}>
        <p>
          <WhichViewer {...question} /> <bdi>{text}</bdi>
        </p>
        {answer !== null && (
          <p className={styles.answer}>
            {answer.isShared ? <Trans>Answered to all viewers:</Trans> : <Trans>Answered to viewer {number}:</Trans>}{" "}
            <bdi>{answer.text}</bdi>
          </p>
        )}
        {isShared && (
          <p className={styles.state}>
            <Trans>All viewers see it</Trans> · <Plural value={upvotes} one="# upvote" other="# upvotes" />
          </p>
        )}
      </div>
      <button
        type="button"
        className={button.round}
        aria-label={t`Dismiss the question of viewer ${number}`}
        onClick={() => actions.dismissQuestion(key)}
      >
        <CloseIcon />
      </button>
      <AnswerForm
        number={number}
        isHere={isHere}
        answer={answer}
        isShared={isShared}
        onShare={(shared) => actions.shareQuestion(key, shared)}
        onAnswer={(said, isShared) => actions.answerQuestion(key, said, isShared)}
      />
    </li>
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
  relayed: msg`watches over a relay`,
  away: msg`connection lost`,
  departed: msg`gone, but has the key for 10 minutes at most`,
  full: msg`waits: the stream is full`,
  unable: msg`gets no video: their browser has none of the usual codecs`,
  flood: msg`connection closed: their app sends too much`,
  malformed: msg`connection closed: their app sends what no Sealcast app does`,
};

/** Of thousands, only who has changed is drawn again. */
const Viewer = memo(function Viewer({ viewer }: { viewer: ViewerEntry }) {
  const { t, i18n } = useLingui();
  const actions = useHostActions();
  const { id, number, is, records } = viewer;
  return (
    <li aria-label={t`Viewer ${number}`}>
      <p className={styles.viewer}>
        <WhichViewer {...viewer} />{" "}
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
});
