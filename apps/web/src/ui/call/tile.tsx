import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useMemo } from "react";
import type { Person } from "../../session/view.ts";
import { MicrophoneOffIcon, VerifiedIcon } from "../icons.tsx";
import { useActions, useView } from "./call-context.ts";
import styles from "./tile.module.css";
import { Video } from "./video.tsx";

export function OwnTile() {
  const { t } = useLingui();
  const { name, picture, camera, microphone } = useView((view) => view.me);
  const label = t`${name} (you)`;
  return (
    <Tile
      name={name}
      label={label}
      verified={false}
      camera={camera.on}
      microphone={microphone.on}
      connection="connected"
      answering
      missing={[]}
    >
      <Video stream={camera.on ? picture : null} hidden={!camera.on} mirrored muted />
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
  const { id, name, stream, camera } = person;
  const actions = useActions();
  const speaker = useView((view) => view.chosen.speaker);
  const sound = stream.getAudioTracks()[0];

  // With the camera off the sound plays on alone, so that no last picture stays behind.
  const played = useMemo(() => {
    if (camera) return stream;
    return sound ? new MediaStream([sound]) : null;
  }, [camera, stream, sound]);

  return (
    <Tile {...person} label={name} verified={person.standing === "verified"}>
      <Video
        stream={played}
        hidden={!camera}
        mirrored={false}
        muted={silent}
        speaker={speaker}
        onShown={(size) => actions.shows(id, { source: "camera", ...size })}
        onRefused={onSilenced}
      />
    </Tile>
  );
}

/** What somebody shares, whole: nothing is cut off at its edges. */
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
        <span className={styles.name}>{label}</span>
      </p>
    </div>
  );
}

interface TileProps extends Pick<Person, "name" | "camera" | "microphone" | "connection" | "answering" | "missing"> {
  label: string;
  verified: boolean;
  children: ReactNode;
}

function Tile({ name, label, verified, camera, microphone, connection, answering, missing, children }: TileProps) {
  const { t } = useLingui();
  // The last picture of a video that does not go on says nothing of now.
  const isStale = connection !== "connected" || missing.includes("video");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form controls, and this is a person
    <div role="group" aria-label={t`Participant ${label}`} className={styles.tile} data-stale={isStale}>
      {(!camera || isStale) && (
        <span className={styles.initial} aria-hidden="true">
          {[...name.trim()][0]?.toLocaleUpperCase()}
        </span>
      )}
      {children}
      <p className={styles.plate}>
        {!microphone && (
          <span role="img" aria-label={t`Microphone off`}>
            <MicrophoneOffIcon />
          </span>
        )}
        <span className={styles.name}>{label}</span>
        {verified && (
          <span role="img" aria-label={t`Verified`} className={styles.verified}>
            <VerifiedIcon />
          </span>
        )}
        <StateWord {...{ connection, answering, missing }} />
      </p>
    </div>
  );
}

/** How the link to a person is, where it is not as it should be. */
function StateWord({ connection, answering, missing }: Pick<Person, "connection" | "answering" | "missing">) {
  if (connection !== "connected")
    return (
      <span className={styles.state}>
        <LinkWord is={connection} />
      </span>
    );
  if (answering && missing.length === 0) return null;
  return (
    <span className={styles.silent}>
      {!answering ? (
        <Trans>Not answering</Trans>
      ) : missing.length > 1 ? (
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
  }
}
