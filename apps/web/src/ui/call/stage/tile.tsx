import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { Person } from "../../../session/call/person.ts";
import { AlertIcon, CameraOffIcon, MicrophoneOffIcon, VerifiedIcon } from "../../parts/icons.tsx";
import { Video } from "../../parts/video.tsx";
import { useView } from "../call-context.ts";
import { RecordMark } from "../consent.tsx";
import { isAlarm } from "../encryption/trust.tsx";
import type { Place } from "../layout/arrange.ts";
import { useLayout, useSight } from "../layout/layout-context.ts";
import { OWN } from "../layout/layout-store.ts";
import { placed } from "../layout/placed.ts";
import { QualityMark } from "../layout/quality-mark.tsx";
import { UNSEEN } from "../layout/sights.ts";
import { OwnMenu, PersonMenu } from "../layout/tile-menu.tsx";
import { Name } from "../people/name.tsx";
import { HandMark } from "../talk/hands.tsx";
import { ReactionMark } from "../talk/reactions.tsx";
import styles from "./tile.module.css";

export function OwnTile({ place }: { place: Place | null }) {
  const { t } = useLingui();
  const name = useView((view) => view.name);
  const { picture, camera, microphone } = useView((view) => view.me);
  const speaks = useView((view) => view.speaksHere);
  const recording = useView((view) => view.recording.state);
  return (
    <Tile
      id={OWN}
      label={t`Participant ${name} (you)`}
      initial={name}
      plate={
        <>
          <RecordMark stage={recording === "recording" ? "on" : recording === "paused" ? "paused" : null} />
          <HandMark id={null} />
          {!microphone.on && <MicrophoneOff />}
          {!camera.on && <CameraOff />}
          <Name label={{ name, mark: null }} />
          <span className={styles.whole}>
            <Trans>(you)</Trans>
          </span>
        </>
      }
      stale={false}
      pictured={camera.on}
      menu={<OwnMenu />}
      {...{ place, speaks }}
    >
      <Video stream={camera.on ? picture : null} hidden={!camera.on} mirrored muted />
      <ReactionMark id={null} />
    </Tile>
  );
}

interface PersonTileProps {
  person: Person;
  /** Null: it is on another page. Its sound goes on. */
  place: Place | null;
  /** Plays the picture alone, until the browser lets the sound through. */
  silent: boolean;
  onSilenced: () => void;
}

export function PersonTile({ person, place, silent, onSilenced }: PersonTileProps) {
  const { t } = useLingui();
  const { id, identity, name, label, stream, camera, microphone, connection, isHeardOf, missing, records } = person;
  const see = useSeen("camera", id, place);
  const speaker = useView((view) => view.chosen.speaker);
  const speaks = useView(({ speaking }) => speaking.includes(id));
  const volume = useLayout(({ volumes }) => volumes[identity] ?? 1);
  const sound = stream.getAudioTracks()[0];

  // With the camera off the sound plays on alone, so that no last picture stays behind.
  const played = useMemo(() => {
    if (camera) return stream;
    return sound ? new MediaStream([sound]) : null;
  }, [camera, stream, sound]);

  // The last picture of a video that does not go on says nothing of now.
  const [waits, setWaits] = useState(false);
  const stale = connection !== "connected" || missing.includes("video") || (camera && waits);
  return (
    <Tile
      id={id}
      label={t`Participant ${name}`}
      initial={label.name}
      plate={
        <>
          <RecordMark stage={records?.stage ?? null} />
          <HandMark id={id} />
          {isHeardOf && !microphone && <MicrophoneOff />}
          {isHeardOf && !camera && <CameraOff />}
          <Name label={label} />
          <TrustMark {...person} />
          <StateWord {...person} isPaused={person.videoPaused !== null || (camera && waits)} />
          {connection === "connected" && <QualityMark id={id} />}
        </>
      }
      stale={stale}
      pictured={camera && !stale}
      menu={<PersonMenu person={person} />}
      {...{ place, speaks }}
    >
      <Video
        stream={played}
        hidden={!camera}
        mirrored={false}
        muted={silent}
        speaker={speaker}
        volume={volume}
        onShown={see}
        onWaits={setWaits}
        onRefused={onSilenced}
      />
      <ReactionMark id={id} />
    </Tile>
  );
}

/** Says how large a person's video stands on the stage, and that it is not seen while it is on another page. */
export function useSeen(source: "camera" | "screen-picture", id: string, place: Place | null) {
  const see = useSight("stage", id, source);
  const isSeen = place !== null;
  useEffect(() => {
    if (!isSeen) see(UNSEEN);
  }, [isSeen, see]);
  return see;
}

interface TileProps {
  id: string;
  label: string;
  /** Of whose name the first letter stands where there is no picture. */
  initial: string;
  plate: ReactNode;
  stale: boolean;
  pictured: boolean;
  place: Place | null;
  speaks: boolean;
  menu: ReactNode;
  children: ReactNode;
}

function Tile({ id, label, initial, plate, stale, pictured, place, speaks, menu, children }: TileProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form controls, and this is a person
    <div
      role="group"
      aria-label={label}
      className={styles.tile}
      style={place === null ? undefined : placed(place)}
      hidden={place === null}
      data-tile={id}
      data-stale={stale}
      data-speaking={speaks}
    >
      {!pictured && (
        <span className={styles.initial} aria-hidden="true">
          {[...initial][0]?.toLocaleUpperCase()}
        </span>
      )}
      {children}
      <p className={styles.plate}>
        {plate}
        {speaks && (
          <span className={styles.unseen}>
            <Trans>speaking</Trans>
          </span>
        )}
      </p>
      {menu}
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

function CameraOff() {
  const { t } = useLingui();
  return (
    <span role="img" aria-label={t`Camera off`}>
      <CameraOffIcon />
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
function StateWord({ identity, connection, isHeardOf, answering, missing, isPaused }: Person & { isPaused: boolean }) {
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
  if (answering && isHeardOf && missing.length === 0)
    return (
      isPaused && (
        <span className={styles.state}>
          <Trans>Video paused</Trans>
        </span>
      )
    );
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
