import { Trans, useLingui } from "@lingui/react/macro";
import { type FilePerson, isOpen, isUnderWay, isWaiting, type SharedFile } from "../../../session/files/view.ts";
import button from "../../button.module.css";
import { download } from "../../download.ts";
import { useSize } from "../../vault/size.ts";
import { useActions } from "../call-context.ts";
import styles from "./files.module.css";
import { StateWord } from "./state.tsx";

/** One file, how far it is, and what can be done with it. */
export function FileItem({ file }: { file: SharedFile }) {
  const size = useSize();
  const { name, people, isSent, toAll } = file;
  const [first] = people;
  return (
    <li aria-label={name} className={styles.file}>
      <p className={styles.head}>
        <bdi className={styles.name}>{name}</bdi>
        <span>{size(file.size)}</span>
      </p>
      <Whom isSent={isSent} toAll={toAll} name={first?.name} />
      <Caution file={file} />
      {people.map((person) => (
        <Way key={person.identity} file={file} person={person} isNamed={toAll} />
      ))}
      <Deeds file={file} />
    </li>
  );
}

function Whom({ isSent, toAll, name }: Pick<SharedFile, "isSent" | "toAll"> & { name: string | undefined }) {
  return (
    <p className={styles.words}>
      {toAll ? (
        <Trans>To everyone who was here</Trans>
      ) : isSent ? (
        <Trans>
          To <bdi>{name}</bdi>
        </Trans>
      ) : (
        <Trans>
          From <bdi>{name}</bdi>
        </Trans>
      )}
    </p>
  );
}

/** What to know before it is saved. */
export function Caution({ file }: { file: SharedFile }) {
  if (file.isSent || !isUnderWay(file)) return null;
  return (
    <>
      {file.canRun && (
        <p className={styles.caution}>
          <Trans>Opening this kind of file can run a program on your device. Save it only if you expected it.</Trans>
        </p>
      )}
      {file.lacksSpace && (
        <p className={styles.caution} role="status">
          <Trans>There is not enough space here for this file. Free some, then save it.</Trans>
        </p>
      )}
    </>
  );
}

interface WayProps {
  file: SharedFile;
  person: FilePerson;
  isNamed: boolean;
}

/** How far it is on its way to one person, or from one. */
function Way({ file: { name, size, isSent }, person, isNamed }: WayProps) {
  const { t } = useLingui();
  const isMoving = isOpen(person.state) && person.state !== "offered";
  return (
    <div className={styles.way}>
      {isNamed && <bdi className={styles.who}>{person.name}</bdi>}
      {isMoving && (
        <progress
          value={person.bytes}
          max={Math.max(1, size)}
          aria-label={isNamed ? t`${name} to ${person.name}` : name}
        />
      )}
      <span className={styles.words}>
        <StateWord person={person} size={size} isSent={isSent} />
      </span>
    </div>
  );
}

function Deeds({ file }: { file: SharedFile }) {
  const { t } = useLingui();
  const actions = useActions();
  const { id, name, isSent, people, isHere } = file;
  if (isWaiting(file)) return <Answers file={file} />;
  const isPaused = people.some(({ state }) => state === "paused-here");
  const canPause = people.some(({ state }) => ["going", "waiting", "paused-here", "paused-there"].includes(state));
  return (
    <div className={styles.deeds}>
      {isUnderWay(file) ? (
        <>
          {canPause && (
            <button
              type="button"
              className={button.quiet}
              aria-label={isPaused ? t`Resume ${name}` : t`Pause ${name}`}
              onClick={() => actions.pauseFile(id, !isPaused)}
            >
              {isPaused ? <Trans>Resume</Trans> : <Trans>Pause</Trans>}
            </button>
          )}
          <button
            type="button"
            className={button.quiet}
            aria-label={isSent ? t`Stop sending ${name}` : t`Stop receiving ${name}`}
            onClick={() => actions.cancelFile(id)}
          >
            <Trans>Cancel</Trans>
          </button>
        </>
      ) : (
        <>
          {isHere && <SaveAgain file={file} />}
          <button
            type="button"
            className={button.quiet}
            aria-label={t`Take ${name} off the list`}
            onClick={() => actions.dismissFile(id)}
          >
            <Trans>Dismiss</Trans>
          </button>
        </>
      )}
    </div>
  );
}

function SaveAgain({ file: { id, name } }: { file: SharedFile }) {
  const { t } = useLingui();
  const actions = useActions();
  const again = () => {
    const file = actions.receivedFile(id);
    if (file !== null) download(file);
  };
  return (
    <button type="button" className={button.quiet} aria-label={t`Save ${name} again`} onClick={again}>
      <Trans>Save again</Trans>
    </button>
  );
}

/** To a file that someone offers. */
export function Answers({ file: { id, name } }: { file: SharedFile }) {
  const { t } = useLingui();
  const actions = useActions();
  return (
    <div className={styles.deeds}>
      <button
        type="button"
        className={button.primary}
        aria-label={t`Save ${name}`}
        onClick={() => actions.saveFile(id)}
      >
        <Trans>Save</Trans>
      </button>
      <button
        type="button"
        className={button.quiet}
        aria-label={t`Decline ${name}`}
        onClick={() => actions.declineFile(id)}
      >
        <Trans>Decline</Trans>
      </button>
    </div>
  );
}
