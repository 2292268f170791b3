import { Trans, useLingui } from "@lingui/react/macro";
import type { Person } from "../../session/call/person.ts";
import type { AskedConsent } from "../../session/recording/consent.ts";
import button from "../button.module.css";
import { Dialog } from "../parts/dialog.tsx";
import { RecordIcon } from "../parts/icons.tsx";
import toggle from "../parts/toggle.module.css";
import { PersonNames } from "../person-name.tsx";
import { RecordButton, RecordingStatus } from "../recording.tsx";
import { useActions, useView } from "./call-context.ts";
import styles from "./consent.module.css";
import notices from "./notices.module.css";
import tile from "./stage/tile.module.css";

interface Recorder extends Person {
  records: AskedConsent;
}

const isRecorder = (person: Person): person is Recorder => person.records !== null;

export function RecordToggle() {
  const { t, i18n } = useLingui();
  const actions = useActions();
  const recording = useView((view) => view.recording);
  const record = () => actions.record(t`Call, ${i18n.date(new Date(), { dateStyle: "medium", timeStyle: "short" })}`);
  return <RecordButton className={toggle.toggle} recording={recording} actions={actions} onRecord={record} />;
}

/** This person's recording, and who is in it. */
export function OwnRecording() {
  const actions = useActions();
  const recording = useView((view) => view.recording);
  const people = useView((view) => view.people);
  const names = (isIn: boolean) => people.filter(({ answer }) => (answer === "yes") === isIn).map(({ name }) => name);
  const [inIt, leftOut] = [names(true), names(false)];
  return (
    <RecordingStatus recording={recording} actions={actions}>
      <output className={styles.inIt}>
        {inIt.length === 0 ? (
          <Trans>Only you are in it.</Trans>
        ) : (
          <Trans>
            In it: you, <PersonNames names={inIt} />.
          </Trans>
        )}{" "}
        {leftOut.length > 0 && (
          <Trans>
            Left out: <PersonNames names={leftOut} />.
          </Trans>
        )}
      </output>
    </RecordingStatus>
  );
}

/** Who else records, whether this person is in it, and the means to change that. */
export function RecordersNotice() {
  const people = useView((view) => view.people);
  return (
    <div role="status" className={notices.stack}>
      {people.filter(isRecorder).map((person) => (
        <p key={person.id} className={notices.notice} data-recording={person.records.stage}>
          <span>
            <RecordIcon /> <What {...person} /> <Whether {...person.records} />
          </span>
          <Answers person={person} />
        </p>
      ))}
    </div>
  );
}

function What({ name, records: { stage } }: Recorder) {
  switch (stage) {
    case "asked":
      return (
        <Trans>
          <bdi>{name}</bdi> wants to record.
        </Trans>
      );
    case "on":
      return (
        <Trans>
          <bdi>{name}</bdi> is recording.
        </Trans>
      );
    case "paused":
      return (
        <Trans>
          <bdi>{name}</bdi> has paused recording.
        </Trans>
      );
  }
}

function Whether({ answer }: AskedConsent) {
  if (answer === "yes") return <Trans>You are in the recording.</Trans>;
  if (answer === "no") return <Trans>You are left out.</Trans>;
  return <Trans>You are left out unless you allow it.</Trans>;
}

/** What the person can say that they have not said. */
function Answers({ person: { id, name, records } }: { person: Recorder }) {
  const { t } = useLingui();
  const actions = useActions();
  return (
    <>
      {records.answer !== "yes" && (
        <button
          type="button"
          className={button.quiet}
          aria-label={t`Allow ${name} to record you`}
          onClick={() => actions.answerRecording(id, true)}
        >
          <Trans>Allow</Trans>
        </button>
      )}
      {records.answer !== "no" && (
        <button
          type="button"
          className={button.quiet}
          aria-label={t`Leave me out of what ${name} records`}
          onClick={() => actions.answerRecording(id, false)}
        >
          <Trans>Leave me out</Trans>
        </button>
      )}
    </>
  );
}

/** Asks once. Without an answer, nobody is recorded: closing it is no yes. */
export function ConsentDialog() {
  const { t } = useLingui();
  const actions = useActions();
  const people = useView((view) => view.people);
  const asking = people.filter(isRecorder).filter(({ isToAsk }) => isToAsk);
  if (asking.length === 0) return null;
  return (
    <Dialog title={t`May you be recorded?`} onClose={() => actions.putOffRecordings()}>
      <div className={styles.ask}>
        <p>
          <Trans>
            Your video, your sound and a screen you share are recorded only if you allow it. You can change your answer
            at any time.
          </Trans>
        </p>
        <p className={styles.limit}>
          <Trans>Sealcast leaves out people who say no. It cannot stop someone from filming their screen.</Trans>
        </p>
        <ul>
          {asking.map((person) => (
            <li key={person.id}>
              <p>
                <Trans>
                  <bdi>{person.name}</bdi> wants to record this call.
                </Trans>
              </p>
              <Answers person={person} />
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

/** On a tile. */
export function RecordMark({ stage }: { stage: AskedConsent["stage"] | null }) {
  const { t } = useLingui();
  if (stage !== "on" && stage !== "paused") return null;
  return (
    <span role="img" className={tile.recording} aria-label={stage === "on" ? t`Recording` : t`Recording paused`}>
      <RecordIcon />
    </span>
  );
}

/** Beside a person's name: what they record, and whether they are in what this person records. */
export function RecordWord({ records, answer }: Pick<Person, "records" | "answer">) {
  const isRecording = useView(({ recording }) => recording.state === "recording" || recording.state === "paused");
  return (
    <>
      {records !== null && (
        <span className={styles.word} data-recording={records.stage}>
          <RecordIcon />
          {records.stage === "asked" ? (
            <Trans>wants to record</Trans>
          ) : records.stage === "on" ? (
            <Trans>is recording</Trans>
          ) : (
            <Trans>has paused recording</Trans>
          )}
        </span>
      )}
      {isRecording && (
        <span className={styles.word}>
          {answer === "yes" ? (
            <Trans>in your recording</Trans>
          ) : answer === "no" ? (
            <Trans>left out of your recording</Trans>
          ) : (
            <Trans>has not answered, left out of your recording</Trans>
          )}
        </span>
      )}
    </>
  );
}
