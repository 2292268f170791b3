import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useState } from "react";
import type { HostView } from "../../session/live/host-view.ts";
import type { PictureSource } from "../../session/live/picture.ts";
import { QUALITIES, type Quality } from "../../session/live/preset.ts";
import button from "../button.module.css";
import { DashboardButton } from "../dashboard-button.tsx";
import { DeviceNewsWords, DevicePickers, useDeviceProblems } from "../devices/devices.tsx";
import { EffectsButton } from "../devices/effects-choice.tsx";
import { LevelMeter } from "../devices/level-meter.tsx";
import { ScreenContentChoice } from "../devices/screen-content.tsx";
import { CameraToggle, MicrophoneToggle } from "../devices/toggle.tsx";
import { EffectNotice } from "../effects/faults.tsx";
import { EncryptionBadge } from "../encryption/encryption-badge.tsx";
import { EncryptionDetails } from "../encryption/encryption-details.tsx";
import { useForAWhile } from "../for-a-while.ts";
import { Overloaded } from "../overloaded.tsx";
import { usePageTitle } from "../page-title.ts";
import { Dialog } from "../parts/dialog.tsx";
import fields from "../parts/fields.module.css";
import { AlertIcon } from "../parts/icons.tsx";
import option from "../parts/option.module.css";
import { Video } from "../parts/video.tsx";
import { RecordButton, RecordingStatus } from "../recording.tsx";
import { AboutForm } from "./about-form.tsx";
import { Audience } from "./audience.tsx";
import styles from "./host-room.module.css";
import { useHost, useHostActions, useHostMeasurable } from "./live-context.ts";
import { Share } from "./share.tsx";

/** Before the stream and during it: the same page, so that nothing moves when it begins. */
export function HostRoom() {
  const { t } = useLingui();
  const isLive = useHost((view) => view.phase === "live");
  const [dashboard, setDashboard] = useState<ReactNode>(null);
  usePageTitle(isLive ? t`Live – Sealcast` : t`Go live – Sealcast`);
  useLeaveQuestion(isLive);
  return (
    <main className={styles.room}>
      <section className={styles.picture} aria-label={t`Your picture`}>
        <Preview />
        <LevelMeter />
        <Sources />
        <ScreenContents />
        <OwnRecording />
        <EffectNotice />
        <Notices />
      </section>
      <div className={styles.side}>
        {isLive ? <OnAir place={setDashboard} /> : <Start />}
        <Share />
        {isLive && <Audience />}
        <details className={styles.settings} open={!isLive}>
          <summary>
            <Trans>Title and name</Trans>
          </summary>
          <AboutForm />
        </details>
        <details className={styles.settings} open={!isLive}>
          <summary>
            <Trans>Devices and quality</Trans>
          </summary>
          <DevicePickers />
          <EffectsButton />
          <QualityChoice />
          <ViewersMayRecord />
        </details>
      </div>
      {dashboard}
    </main>
  );
}

function Preview() {
  const { t } = useLingui();
  const picture = useHost((view) => view.picture);
  const source = useHost((view) => view.source);
  const camera = useHost((view) => view.me.camera);
  const isShown = source !== "camera" || camera.on;
  return (
    <div className={styles.preview}>
      {!isShown && (
        <p>
          <Trans>Your camera is off</Trans>
        </p>
      )}
      <Video
        stream={isShown ? picture : null}
        label={t`What viewers see`}
        hidden={!isShown}
        mirrored={source === "camera"}
        muted
      />
      <div className={styles.toggles}>
        <MicrophoneToggle />
        <CameraToggle />
      </div>
    </div>
  );
}

const sources: readonly { is: PictureSource; words: MessageDescriptor }[] = [
  { is: "camera", words: msg`Camera` },
  { is: "screen", words: msg`Screen` },
  { is: "both", words: msg`Screen and camera` },
];

function Sources() {
  const { i18n } = useLingui();
  const actions = useHostActions();
  const source = useHost((view) => view.source);
  const canShowBoth = useHost((view) => view.canShowBoth);
  const refused = useHost((view) => view.screenRefused);
  const sound = useHost((view) => view.screenSound);
  return (
    <fieldset className={styles.sources}>
      <legend>
        <Trans>Viewers see</Trans>
      </legend>
      {sources.map(({ is, words }) => (
        <label key={is} className={styles.choice}>
          <input
            type="radio"
            name="source"
            checked={is === source}
            disabled={is === "both" && !canShowBoth}
            onChange={() => actions.show(is)}
          />
          {i18n._(words)}
        </label>
      ))}
      <output className={styles.note} data-tone={refused ? "caution" : undefined}>
        {refused && <Trans>The screen was not shared. Choose it again and pick a window or a screen.</Trans>}
        {sound === true && <Trans>Viewers also hear what you share.</Trans>}
        {sound === false && (
          <Trans>What you share is sent without its sound. For sound, share a browser tab and allow its audio.</Trans>
        )}
        {!refused && sound === null && !canShowBoth && (
          <Trans>This browser cannot put your camera on the screen’s picture.</Trans>
        )}
      </output>
    </fieldset>
  );
}

function ScreenContents() {
  const isShown = useHost((view) => view.source !== "camera");
  if (!isShown) return null;
  return (
    <fieldset className={styles.contents}>
      <legend>
        <Trans>Your shared screen</Trans>
      </legend>
      <ScreenContentChoice />
    </fieldset>
  );
}

const qualities: Record<Quality, MessageDescriptor> = {
  smooth: msg`Smooth: 720p, 30 pictures a second`,
  sharp: msg`Sharp: 1080p, for a fast computer and connection`,
  "low-data": msg`Low data: 360p, for a slow connection`,
};

function QualityChoice() {
  const { i18n } = useLingui();
  const actions = useHostActions();
  const quality = useHost((view) => view.quality);
  return (
    <label className={fields.field}>
      <Trans>Quality</Trans>
      <select value={quality} onChange={(event) => actions.setQuality(qualityOf(event.target.value))}>
        {QUALITIES.map((is) => (
          <option key={is} value={is}>
            {i18n._(qualities[is])}
          </option>
        ))}
      </select>
    </label>
  );
}

function qualityOf(value: string): Quality {
  return QUALITIES.find((quality) => quality === value) ?? "smooth";
}

/** Nothing can be sent: neither device works, and no screen is shared. */
const hasNothing = ({ me: { camera, microphone }, source }: HostView): boolean =>
  camera.problem !== null && microphone.problem !== null && source === "camera";

function Start() {
  const actions = useHostActions();
  const starting = useHost((view) => view.phase === "starting");
  const wasLive = useHost((view) => view.wasLive);
  const nothing = useHost(hasNothing);
  return (
    <section className={styles.start}>
      <h1>{wasLive ? <Trans>Your stream is paused</Trans> : <Trans>Ready to go live?</Trans>}</h1>
      <p>
        {wasLive ? (
          <Trans>You were live when this page was left. Viewers may be waiting: press Go live to go on.</Trans>
        ) : (
          <Trans>Nobody sees you before you press the button. Only people with the link can watch.</Trans>
        )}
      </p>
      <button
        type="button"
        className={`${button.primary} ${button.large}`}
        aria-disabled={starting || nothing}
        onClick={() => !nothing && actions.goLive()}
      >
        {starting ? <Trans>Starting…</Trans> : <Trans>Go live</Trans>}
      </button>
      <output>
        {nothing && (
          <Trans>There is nothing to send yet: allow the camera or the microphone, or choose a screen.</Trans>
        )}
      </output>
    </section>
  );
}

/** The browser asks before it closes or loads the page: viewers would lose the stream. */
function useLeaveQuestion(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isAsked]);
}

function OnAir({ place }: { place: (panel: ReactNode) => void }) {
  const { t } = useLingui();
  const viewers = useHost((view) => view.viewers.filter(({ is }) => is === "watching" || is === "relayed").length);
  const encryption = useHost((view) => view.encryption);
  const measurable = useHostMeasurable();
  const [ending, setEnding] = useState(false);
  return (
    <section className={styles.onAir}>
      <h1 className={styles.live}>
        <Trans>Live</Trans>
      </h1>
      <p className={styles.count}>
        <output aria-label={t`Viewers`}>{viewers}</output> <Plural value={viewers} one="viewer" other="viewers" />
      </p>
      <EncryptionBadge
        shown={encryption.state}
        details={(close) => (
          <EncryptionDetails
            encryption={encryption}
            layers={1}
            onClose={close}
            nothing={<Trans>Nothing is sent yet, since nobody watches. Frames are counted from the first one.</Trans>}
          />
        )}
      />
      <DashboardButton className={button.quiet} measurable={measurable} place={place} />
      <Record />
      <button type="button" className={`${button.danger} ${styles.end}`} onClick={() => setEnding(true)}>
        <Trans>End stream</Trans>
      </button>
      {ending && <EndDialog onClose={() => setEnding(false)} />}
    </section>
  );
}

function Record() {
  const { t, i18n } = useLingui();
  const actions = useHostActions();
  const recording = useHost((view) => view.recording);
  const date = i18n.date(new Date(), { dateStyle: "medium", timeStyle: "short" });
  const record = () => actions.record(t`Live stream, ${date}`);
  return <RecordButton className={button.quiet} recording={recording} actions={actions} onRecord={record} />;
}

function OwnRecording() {
  const recording = useHost((view) => view.recording);
  return (
    <RecordingStatus recording={recording} actions={useHostActions()}>
      <span>
        <Trans>Viewers see that you record.</Trans>
      </span>
    </RecordingStatus>
  );
}

function ViewersMayRecord() {
  const actions = useHostActions();
  const may = useHost((view) => view.viewersMayRecord);
  return (
    <label className={option.option}>
      <input type="checkbox" checked={may} onChange={(event) => actions.letViewersRecord(event.target.checked)} />
      <span>
        <Trans>Let viewers record</Trans>
        <small>
          <Trans>Without it their page has no Record button. It cannot stop someone from filming their screen.</Trans>
        </small>
      </span>
    </label>
  );
}

function EndDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const actions = useHostActions();
  return (
    <Dialog title={t`End the stream?`} onClose={onClose}>
      <div className={styles.ending}>
        <p>
          <Trans>It ends for everybody who watches. You can go live again with the same link.</Trans>
        </p>
        <div className={styles.answers}>
          <button type="button" className={button.danger} onClick={() => actions.end()}>
            <Trans>End for everybody</Trans>
          </button>
          <button type="button" className={button.quiet} onClick={onClose}>
            <Trans>Stay live</Trans>
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function Notices() {
  const isLost = useHost((view) => view.signalling === "reconnecting" && view.phase === "live");
  const isOverloaded = useHost((view) => (view.overloaded || view.overloadStep > 0) && view.phase === "live");
  const step = useHost((view) => view.overloadStep);
  const isLate = useHost((view) => view.isLate && view.phase === "live");
  const isReplaced = useHost((view) => view.signalling === "replaced");
  const isFailing = useHost((view) => view.encryption.state === "failing");
  const problems = useDeviceProblems();
  const news = useForAWhile(useHost((view) => view.deviceNews));
  return (
    <div className={styles.notices}>
      <output>
        {news !== null && (
          <p>
            <DeviceNewsWords {...news} />
          </p>
        )}
        {isLost && (
          <p>
            <Trans>Reconnecting to the server. Current viewers keep watching; no one new can join.</Trans>
          </p>
        )}
        {isOverloaded && (
          <p>
            <AlertIcon /> <Overloaded step={step} />
          </p>
        )}
        {isLate && (
          <p>
            <AlertIcon />{" "}
            <Trans>
              Viewers get the picture late. Your connection, or theirs, may be too slow for this quality: a lower one
              helps. Sound is sent first.
            </Trans>
          </p>
        )}
        {isReplaced && (
          <p>
            <AlertIcon />{" "}
            <Trans>
              The server says that another tab of this browser has taken over the stream. Viewers who are connected to
              this page keep watching until they leave or you end it here.
            </Trans>
          </p>
        )}
        {problems.map((problem) => (
          <p key={problem}>
            <AlertIcon /> {problem}
          </p>
        ))}
      </output>
      <div role="alert">
        {isFailing && (
          <p data-tone="bad">
            <AlertIcon /> <Trans>Encryption is failing for a viewer. The encryption details say why.</Trans>
          </p>
        )}
      </div>
    </div>
  );
}
