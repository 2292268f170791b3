import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useMemo } from "react";
import { badgeOf } from "../../../session/audit/badge.ts";
import type { Person } from "../../../session/call/person.ts";
import { MicrophoneToggle } from "../../devices/toggle.tsx";
import { BadgeWord } from "../../encryption/encryption-badge.tsx";
import { Video } from "../../parts/video.tsx";
import { useView } from "../call-context.ts";
import { LeaveButton } from "../controls/leave-button.tsx";
import { Name } from "../people/name.tsx";
import styles from "./call-window.module.css";
import { useLayout, usePresent, useSight } from "./layout-context.ts";
import { largeOf, OWN, screenOf } from "./layout-store.ts";
import { UNSEEN } from "./sights.ts";

/** The call in a window of its own: one picture, the encryption's word, and what is pressed in a hurry. */
export function CallWindow() {
  return (
    <main className={styles.window}>
      <Shown />
      <div className={styles.controls}>
        <MicrophoneToggle />
        <BadgeWord shown={useView(badgeOf)} />
        <LeaveButton className={styles.leave} />
      </div>
    </main>
  );
}

/** Whatever is largest on the stage, or would be where the speaker is. */
function Shown() {
  const present = usePresent();
  const layout = useLayout((state) => state);
  const people = useView((view) => view.people);
  const pins = layout.pins.filter((id) => id !== OWN);
  const [large] = largeOf({ ...layout, pins, layout: "speaker" }, present);
  const sharer = people.find(({ id, screen }) => screen !== null && screenOf(id) === large);
  if (sharer !== undefined) return <SharedScreen key={large} person={sharer} />;
  const person = people.find(({ id }) => id === large);
  return person === undefined ? <Alone /> : <Face key={large} person={person} />;
}

function SharedScreen({ person: { id, name, screen } }: { person: Person }) {
  const { t } = useLingui();
  const see = useSeenInWindow("screen-picture", id);
  return (
    <div className={styles.picture} data-whole>
      <Video stream={screen} hidden={false} mirrored={false} muted onShown={see} />
      <p className={styles.name}>
        <bdi>{t`Screen of ${name}`}</bdi>
      </p>
    </div>
  );
}

function Face({ person: { id, label, stream, camera, connection, missing } }: { person: Person }) {
  const see = useSeenInWindow("camera", id);
  const isShown = camera && connection === "connected" && !missing.includes("video");
  // The stage plays the sound.
  const picture = useMemo(() => (isShown ? new MediaStream(stream.getVideoTracks()) : null), [isShown, stream]);
  return (
    <div className={styles.picture}>
      {!isShown && (
        <span className={styles.initial} aria-hidden="true">
          {[...label.name][0]?.toLocaleUpperCase()}
        </span>
      )}
      <Video stream={picture} hidden={!isShown} mirrored={false} muted onShown={see} />
      <p className={styles.name}>
        <Name label={label} />
      </p>
    </div>
  );
}

function Alone() {
  return (
    <div className={styles.picture}>
      <p>
        <Trans>You are the only one here</Trans>
      </p>
    </div>
  );
}

/** Once it is shown here no more, only the stage counts. */
function useSeenInWindow(source: "camera" | "screen-picture", id: string) {
  const see = useSight("window", id, source);
  useEffect(() => () => see(UNSEEN), [see]);
  return see;
}
