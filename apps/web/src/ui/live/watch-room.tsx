import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import type { Buffering } from "../../session/live/buffering.ts";
import type { PlaybackState, Refusal } from "../../session/live/playback-state.ts";
import { RECORDED } from "../../session/peer/shown.ts";
import button from "../button.module.css";
import { DashboardButton } from "../dashboard-button.tsx";
import { EncryptionBadge } from "../encryption/encryption-badge.tsx";
import { EncryptionDetails } from "../encryption/encryption-details.tsx";
import { linkInvalid } from "../ending.tsx";
import { Overloaded } from "../overloaded.tsx";
import { usePageTitle } from "../page-title.ts";
import { FullScreenIcon, RecordIcon, SoundIcon, SoundOffIcon } from "../parts/icons.tsx";
import { type DrawnSize, useShownSize } from "../parts/shown-size.ts";
import { Video } from "../parts/video.tsx";
import { RecordButton, RecordingStatus } from "../recording.tsx";
import { UnreachedHelp } from "../unreached-help.tsx";
import { Answers } from "./answers.tsx";
import { Ask } from "./ask.tsx";
import { useWatch, useWatchActions, useWatchMeasurable } from "./live-context.ts";
import { Upvotes } from "./upvotes.tsx";
import styles from "./watch-room.module.css";

export function WatchRoom() {
  const { t } = useLingui();
  const stage = useRef<HTMLDivElement>(null);
  const actions = useWatchActions();
  const [muted, setMuted] = useState(true);
  const [volume, setVolume] = useState(1);
  const measurable = useWatchMeasurable();
  const [dashboard, setDashboard] = useState<ReactNode>(null);
  usePageTitle(t`Live stream – Sealcast`);
  const ended = useWatch(({ standing }) => standing === "ended");
  useEffect(() => actions.listen(!muted), [actions, muted]);
  useEffect(() => actions.turnTo(volume), [actions, volume]);
  return (
    <main className={styles.room}>
      <Title />
      <div ref={stage} className={styles.stage}>
        <Player muted={muted} volume={volume} onSilenced={() => setMuted(true)} />
        <Overlay />
      </div>
      <OwnRecording />
      <Upvotes />
      <Answers />
      <div className={styles.bar}>
        <Encryption />
        <HostRecords />
        <Delay />
        <Refused />
        <PausedVideo />
        <div className={styles.controls}>
          {!ended && (
            <>
              <Sound {...{ muted, setMuted, volume, setVolume }} />
              <FullScreen stage={stage} />
              <Ask />
              <Record />
              <BufferingChoice />
            </>
          )}
          <DashboardButton className={button.quiet} measurable={measurable} other={t`the host`} place={setDashboard} />
        </div>
      </div>
      {dashboard}
    </main>
  );
}

/** Not in the page's own title, which browsers keep in their history. */
function Title() {
  const { title, host } = useWatch((view) => view.about);
  return (
    <header className={styles.title} data-shown={title !== "" || host !== ""}>
      <h1>{title === "" ? <Trans>Live stream</Trans> : <bdi>{title}</bdi>}</h1>
      {host !== "" && (
        <p>
          <Trans>
            Host: <bdi>{host}</bdi>
          </Trans>
        </p>
      )}
    </header>
  );
}

function FullScreen({ stage }: { stage: RefObject<HTMLElement | null> }) {
  const { t } = useLingui();
  if (!document.fullscreenEnabled) return null;
  return (
    <button
      type="button"
      className={button.round}
      aria-label={t`Full screen`}
      onClick={() => toggleFullScreen(stage.current)}
    >
      <FullScreenIcon />
    </button>
  );
}

function toggleFullScreen(stage: HTMLElement | null): void {
  // Rejects where the browser does not allow it: the picture stays as large as it is.
  const change = document.fullscreenElement === null ? stage?.requestFullscreen() : document.exitFullscreen();
  change?.catch(() => undefined);
}

interface PlayerProps {
  muted: boolean;
  volume: number;
  onSilenced: () => void;
}

function Player({ muted, volume, onSilenced }: PlayerProps) {
  const { t } = useLingui();
  const actions = useWatchActions();
  const stream = useWatch((view) => view.stream);
  const canvas = useWatch((view) => view.canvas);
  const picture = useWatch((view) => view.picture);
  const least = useWatch(({ recording }) => (recording.state === "none" ? 0 : RECORDED));
  const shows = ({ width, height }: DrawnSize) =>
    actions.shows({ width: Math.max(width, least), height: Math.max(height, least) });
  // The first picture covers the words that stand in its place: it need not wait for them to go.
  const isConnecting = useWatch(({ standing }) => standing === "connecting");
  const isShown = useWatch((view) => view.isShown);
  return (
    <>
      {isShown && !picture && (
        <p className={styles.cameraOff}>
          <Trans>The host’s camera is off.</Trans>
        </p>
      )}
      <Video
        stream={stream}
        label={t`Live stream`}
        hidden={!(isShown || isConnecting) || !picture || canvas !== null}
        mirrored={false}
        muted={muted || !isShown}
        volume={volume}
        onShown={shows}
        onPicture={() => actions.hasPicture()}
        onRefused={onSilenced}
      />
      {canvas !== null && (
        <Drawn canvas={canvas} label={t`Live stream`} hidden={!isShown || !picture} onShown={shows} />
      )}
    </>
  );
}

interface DrawnProps {
  canvas: HTMLCanvasElement;
  label: string;
  hidden: boolean;
  onShown: (size: DrawnSize) => void;
}

/** Where the browser gives no track that a page can write to. */
function Drawn({ canvas, label, hidden, onShown }: DrawnProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.replaceChildren(canvas), [canvas]);
  useShownSize(place, onShown);
  return <div ref={place} className={styles.drawn} role="img" aria-label={label} hidden={hidden} />;
}

interface Words {
  title: MessageDescriptor;
  text: MessageDescriptor;
}

const words: Record<Exclude<PlaybackState, "playing" | "refused">, Words> = {
  opening: { title: msg`Opening the stream…`, text: msg`This takes a moment.` },
  "not-started": {
    title: msg`The stream has not started`,
    text: msg`Stay on this page: it begins here by itself as soon as the host goes live.`,
  },
  connecting: { title: msg`Connecting to the host…`, text: msg`The picture comes as soon as the keys are here.` },
  waiting: {
    title: msg`The host has to let you in`,
    text: msg`You used an older link. The host knows you’re waiting and can let you in.`,
  },
  full: {
    title: msg`The stream is full`,
    text: msg`As many people watch as the host can serve. Stay on this page: you get in when a viewer leaves.`,
  },
  "unknown-link": {
    title: linkInvalid,
    text: msg`The server says that the host does not accept this link. Ask the host for the current one. This page keeps trying.`,
  },
  reconnecting: { title: msg`Reconnecting…`, text: msg`The connection to the host was lost. It is being mended.` },
  away: {
    title: msg`The host is away`,
    text: msg`The stream is paused. Stay on this page: it goes on by itself when the host is back.`,
  },
  unsigned: {
    title: msg`Waiting for the host’s signature`,
    text: msg`The host’s app has not signed what came last, so nothing more is shown until it has. The host’s computer or the connection may be slow: the stream goes on by itself.`,
  },
  forged: {
    title: msg`The picture is not the host’s`,
    text: msg`Frames came that the host did not sign, so nothing is shown any more. Someone may be putting other pictures in the host’s place, or your connection lost the signatures.`,
  },
  closed: {
    title: msg`The connection was closed`,
    text: msg`The host’s app sends too much, or what no Sealcast app does. Nothing of it is accepted any more.`,
  },
  ended: {
    title: msg`The stream has ended`,
    text: msg`If the host goes live again, it plays here by itself.`,
  },
};

const refusals: Record<Refusal, MessageDescriptor> = {
  full: msg`The server ended the connection: it says that the stream is full. Trying again…`,
  "unknown-link": msg`The server ended the connection: it says that the host does not accept your link. Trying again…`,
  other: msg`The server ended the connection. Trying again…`,
};

/** What the server did. The stream plays on. */
function Refused() {
  const { i18n } = useLingui();
  const refusal = useWatch(({ refusal, standing }) => (standing === refusal ? null : refusal));
  return <output className={styles.refusal}>{refusal !== null && i18n._(refusals[refusal])}</output>;
}

/** The picture gives way to the sound. */
function PausedVideo() {
  const why = useWatch(({ standing, videoPaused }) => (standing === "playing" ? videoPaused : null));
  return (
    <output className={styles.refusal}>
      {why === "connection" && <Trans>The video is paused because the connection is slow. It goes on by itself.</Trans>}
      {why === "computer" && <Trans>The video is paused because the host’s computer is overloaded.</Trans>}
    </output>
  );
}

/** How the stream stands, and what to do, in front of the picture. */
function Overlay() {
  const { i18n } = useLingui();
  const actions = useWatchActions();
  const standing = useWatch((view) => view.standing);
  const shown = standing === "playing" || standing === "refused" ? null : words[standing];
  return (
    <div
      role="status"
      className={styles.overlay}
      data-standing={standing}
      data-tone={standing === "forged" ? "bad" : undefined}
    >
      {shown !== null && (
        <div>
          <h2>{i18n._(shown.title)}</h2>
          <p>{i18n._(shown.text)}</p>
          <LongAway />
          <Unreached />
          {(standing === "forged" || standing === "closed") && (
            <button type="button" className={button.primary} onClick={() => actions.tryAgain()}>
              <Trans>Try again</Trans>
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** Nobody is to wait for ever. */
function LongAway() {
  const minutes = useWatch((view) => view.minutesAway);
  if (minutes < 2) return null;
  return (
    <p>
      <Trans>
        You have waited for {minutes} minutes. The host may not come back: you can close this page and open the link
        again later.
      </Trans>
    </p>
  );
}

/** No connection comes about, and what would help. */
function Unreached() {
  const isUnreached = useWatch((view) => view.isUnreached);
  const hidesAddress = useWatch((view) => view.hidesAddress);
  const hasTurn = useWatch((view) => view.hasTurn);
  return (
    isUnreached && (
      <p>
        <UnreachedHelp {...{ hidesAddress, hasTurn }} />
      </p>
    )
  );
}

function Encryption() {
  const encryption = useWatch((view) => view.encryption);
  const forged = useWatch((view) => view.standing === "forged");
  return (
    <EncryptionBadge
      shown={forged ? "failing" : encryption.state}
      details={(close) => (
        <EncryptionDetails
          encryption={encryption}
          layers={1}
          onClose={close}
          nothing={<Trans>Nothing has come yet. Frames are counted from the first one.</Trans>}
        />
      )}
    />
  );
}

/** Said of the way from the host's computer to this screen: cameras and encoders come on top. */
function Delay() {
  const { i18n } = useLingui();
  const latency = useWatch((view) => (view.standing === "playing" ? view.latency : null));
  const isOverloaded = useWatch((view) => view.overloaded);
  if (isOverloaded)
    return (
      <p role="status" className={styles.delay}>
        <Overloaded />
      </p>
    );
  if (latency === null) return <p className={styles.delay} />;
  const seconds = i18n.number(Math.max(0.1, latency / 1000), {
    style: "unit",
    unit: "second",
    maximumFractionDigits: 1,
  });
  return (
    <p className={styles.delay}>
      <Trans>about {seconds} from the host’s computer to here</Trans>
    </p>
  );
}

interface SoundProps {
  muted: boolean;
  setMuted: (muted: boolean) => void;
  volume: number;
  setVolume: (volume: number) => void;
}

function Sound({ muted, setMuted, volume, setVolume }: SoundProps) {
  const { t } = useLingui();
  // One button in both states: it keeps the focus.
  return (
    <div className={styles.sound}>
      <button
        type="button"
        className={muted ? button.primary : button.round}
        aria-label={muted ? undefined : t`Turn sound off`}
        onClick={() => setMuted(!muted)}
      >
        {muted ? <SoundOffIcon /> : <SoundIcon />}
        {muted && <Trans>Turn sound on</Trans>}
      </button>
      {!muted && (
        <input
          type="range"
          aria-label={t`Volume`}
          min={0}
          max={1}
          step={0.05}
          value={volume}
          onChange={(event) => setVolume(event.target.valueAsNumber)}
        />
      )}
    </div>
  );
}

/** For all who watch: that the host records. */
function HostRecords() {
  const stage = useWatch(({ hostRecords, standing }) =>
    standing === "playing" || standing === "reconnecting" ? hostRecords : null,
  );
  return (
    <output className={styles.recorded}>
      {(stage === "on" || stage === "paused") && (
        <>
          <RecordIcon />
          {stage === "on" ? <Trans>The host is recording.</Trans> : <Trans>The host has paused recording.</Trans>}
        </>
      )}
    </output>
  );
}

/** Only where the host allows it. */
function Record() {
  const { t, i18n } = useLingui();
  const actions = useWatchActions();
  const may = useWatch((view) => view.mayRecord && view.canvas === null);
  const recording = useWatch((view) => view.recording);
  const date = i18n.date(new Date(), { dateStyle: "medium", timeStyle: "short" });
  const record = () => actions.record(t`Live stream, ${date}`);
  if (!may) return null;
  return <RecordButton className={button.quiet} recording={recording} actions={actions} onRecord={record} />;
}

function OwnRecording() {
  const recording = useWatch((view) => view.recording);
  const may = useWatch((view) => view.mayRecord);
  return (
    <>
      <RecordingStatus recording={recording} actions={useWatchActions()}>
        <span>
          <Trans>The host sees that you record.</Trans>
        </span>
      </RecordingStatus>
      {!may && recording.ended === "kept" && (
        <output className={styles.recorded}>
          <Trans>The host no longer allows recording.</Trans>
        </output>
      )}
    </>
  );
}

const bufferings: readonly { is: Buffering; words: MessageDescriptor }[] = [
  { is: "lowest", words: msg`Lowest latency` },
  { is: "smoothest", words: msg`Smoothest` },
];

function BufferingChoice() {
  const { t, i18n } = useLingui();
  const actions = useWatchActions();
  const chosen = useWatch((view) => view.buffering);
  const can = useWatch((view) => view.canBuffer || view.isRelayed);
  if (!can) return null;
  return (
    <select
      className={styles.buffering}
      aria-label={t`Playback`}
      value={chosen}
      onChange={(event) => actions.choose(event.target.value === "smoothest" ? "smoothest" : "lowest")}
    >
      {bufferings.map(({ is, words }) => (
        <option key={is} value={is}>
          {i18n._(words)}
        </option>
      ))}
    </select>
  );
}
