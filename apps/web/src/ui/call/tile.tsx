import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useMemo } from "react";
import type { Person } from "../../session/call/person.ts";
import { AlertIcon, MicrophoneOffIcon, VerifiedIcon } from "../icons.tsx";
import { Video } from "../video.tsx";
import { useActions, useView } from "./call-context.ts";
import { RecordMark } from "./consent.tsx";
import { Name } from "./name.tsx";
import { HandMark } from "./talk/hands.tsx";
import { ReactionMark } from "./talk/reactions.tsx";
import styles from "./tile.module.css";
import { isAlarm } from "./trust.tsx";

export function OwnTile() {
  const { t } = useLingui();
  const name = useView((view) => view.name);
  const { picture, camera, microphone } = useView((view) => view.me);
  const recording = useView((view) => view.recording.state);
  return (
    <Tile
      label={t`Participant ${name} (you)`}
      initial={name}
      plate={
        <>
          <RecordMark stage={recording === "recording" ? "on" : recording === "paused" ? "paused" : null} />
          <HandMark id={null} />
          {!microphone.on && <MicrophoneOff />}
          <Name label={{ name, mark: null }} />
          <span className={styles.whole}>
            <Trans>(you)</Trans>
          </span>
        </>
      }
      stale={false}
      pictured={camera.on}
    >
      <Video stream={camera.on ? picture : null} hidden={!camera.on} mirrored muted />
      <ReactionMark id={null} />
    </Tile>
  );
}

interface PersonTileProps {
  person: Person;
  /** Plays the picture alone, until the browser lets the sound through. */
  silent: boolean;
  onSilenced: () => void;
}

export function PersonTile({ person, silent, onSilenced }: PersonTileProps) {
  const { t } = useLingui();
  const { id, name, label, stream, camera, microphone, connection, isHeardOf, missing, records } = person;
  const actions = useActions();
  const speaker = useView((view) => view.chosen.speaker);
  const sound = stream.getAudioTracks()[0];

  // With the camera off the sound plays on alone, so that no last picture stays behind.
  const played = useMemo(() => {
    if (camera) return stream;
    return sound ? new MediaStream([sound]) : null;
  }, [camera, stream, sound]);

  // The last picture of a video that does not go on says nothing of now.
  const stale = connection !== "connected" || missing.includes("video");
  return (
    <Tile
      label={t`Participant ${name}`}
      initial={label.name}
      plate={
        <>
          <RecordMark stage={records?.stage ?? null} />
          <HandMark id={id} />
          {isHeardOf && !microphone && <MicrophoneOff />}
          <Name label={label} />
          <TrustMark {...person} />
          <StateWord {...person} />
        </>
      }
      stale={stale}
      pictured={camera && !stale}
    >
      <Video
        stream={played}
        hidden={!camera}
        mirrored={false}
        muted={silent}
        speaker={speaker}
        onShown={(size) => actions.shows(id, { source: "camera", ...size })}
        onRefused={onSilenced}
      />
      <ReactionMark id={id} />
    </Tile>
  );
}

/** What someone shares, whole: nothing is cut off at its edges. */
export function ScreenTile({ person: { id, name, screen } }: { person: Person }) {
  const { t } = useLingui();
  const actions = useActions();
  const label = t`Screen of ${name}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form controls, and this is a picture
    <div role="group" aria-label={label} className={styles.tile} data-screen>
      <Video
        stream={screen}
        hidden={false}
        mirrored={false}
        muted
        onShown={(size) => actions.shows(id, { source: "screen-picture", ...size })}
      />
      <p className={styles.plate}>
        <bdi className={styles.name}>{label}</bdi>
      </p>
    </div>
  );
}

interface TileProps {
  label: string;
  /** Of whose name the first letter stands where there is no picture. */
  initial: string;
  plate: ReactNode;
  stale: boolean;
  pictured: boolean;
  children: ReactNode;
}

function Tile({ label, initial, plate, stale, pictured, children }: TileProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form controls, and this is a person
    <div role="group" aria-label={label} className={styles.tile} data-stale={stale}>
      {!pictured && (
        <span className={styles.initial} aria-hidden="true">
          {[...initial][0]?.toLocaleUpperCase()}
        </span>
      )}
      {children}
      <p className={styles.plate}>{plate}</p>
    </div>
  );
}

function MicrophoneOff() {
  const { t } = useLingui();
  return (
    <span role="img" aria-label={t`Microphone off`}>
      <MicrophoneOffIcon />
    </span>
  );
}

/** Verified under this name; verified or met under another one; an alarm. */
function TrustMark({ trust, isVerified }: Pick<Person, "trust" | "isVerified">) {
  const { t } = useLingui();
  const { level, pinnedName } = trust;
  if (isAlarm(trust))
    return (
      <span role="img" aria-label={t`Not the person you verified`}>
        <AlertIcon />
      </span>
    );
  if (pinnedName !== null)
    return (
      <span className={styles.pinned}>
        {level === "verified" ? (
          <Trans>
            verified as <bdi>{pinnedName}</bdi>
          </Trans>
        ) : (
          <Trans>
            met as <bdi>{pinnedName}</bdi>
          </Trans>
        )}
      </span>
    );
  return (
    isVerified && (
      <span role="img" aria-label={t`Verified`} className={styles.verified}>
        <VerifiedIcon />
      </span>
    )
  );
}

/** How the link to a person is, where it is not as it should be. */
function StateWord({ identity, connection, isHeardOf, answering, missing }: Person) {
  const isBeingRemoved = useView(({ removing }) => removing.includes(identity));
  if (isBeingRemoved)
    return (
      <span className={styles.state}>
        <Trans>Removing…</Trans>
      </span>
    );
  if (connection !== "connected")
    return (
      <span className={styles.state}>
        <LinkWord is={connection} />
      </span>
    );
  if (answering && isHeardOf && missing.length === 0) return null;
  return (
    <span className={styles.silent}>
      {!answering ? (
        <Trans>Not answering</Trans>
      ) : !isHeardOf || missing.length > 1 ? (
        <Trans>No signal</Trans>
      ) : missing.includes("video") ? (
        <Trans>No video</Trans>
      ) : (
        <Trans>No sound</Trans>
      )}
    </span>
  );
}

function LinkWord({ is }: { is: Exclude<Person["connection"], "connected"> }) {
  switch (is) {
    case "connecting":
      return <Trans>Connecting…</Trans>;
    case "reconnecting":
      return <Trans>Reconnecting…</Trans>;
    case "away":
      return <Trans>Away</Trans>;
    case "closed":
      return <Trans>Connection closed</Trans>;
  }
}
