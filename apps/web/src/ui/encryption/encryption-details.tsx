import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Encryption, TrackProof } from "../../session/audit/encryption-audit.ts";
import type { GroupAlarm } from "../../session/call/alarms.ts";
import type { LayerCount } from "../../session/call/call-view.ts";
import { Dialog } from "../parts/dialog.tsx";
import styles from "./encryption-details.module.css";
import { FrameTable } from "./frame-table.tsx";

/** Why a frame was refused, or what the comparison found. A reason without words here is shown by its code. */
const reasons: Record<string, MessageDescriptor> = {
  "sent-unsealed": msg`sent, but not counted as sealed`,
  "played-unopened": msg`decoded, but not counted as opened`,
  "no-key": msg`no key yet`,
  "unknown-epoch": msg`of an epoch that is over or not begun`,
  "not-announced": msg`not sealed, though its sender announced no such thing`,
  forged: msg`not signed by its sender, or refused because one before it was not`,
  unsigned: msg`not signed by its sender yet, or refused because one before it is not`,
  "made-up": msg`made up by the media relay, to say that nothing comes`,
  "out-of-place": msg`left out: the picture before it did not come`,
  late: msg`waited too long: this computer is busy`,
  failed: msg`could not be worked on`,
  "bad-tag": msg`altered on the way or sealed with another key`,
  replayed: msg`came a second time`,
  malformed: msg`not a sealed frame`,
  "wrong-sender": msg`sealed by someone else`,
  "unknown-codec": msg`in a codec that cannot be sealed`,
  empty: msg`empty`,
  "left-out": msg`left out: the connection is slow, or a newer frame replaced it`,
};

/** Why something that came over the server, or from another's page, was refused. */
const drops: Record<string, MessageDescriptor> = {
  forged: msg`a frame over the media relay that its sender did not sign: they send directly for now`,
  "relay-identity": msg`a name at the media relay that another has`,
  flood: msg`a connection that was closed since its other end sent too much`,
  malformed: msg`a connection that was closed since its other end sent what no Sealcast app does`,
  address: msg`an address that no connection is made to, such as one on this computer`,
  questions: msg`a question too many from one viewer`,
  names: msg`a name too many from one viewer`,
  upvotes: msg`an upvote too many from one viewer`,
  answers: msg`an answer too many from the host`,
  unreadable: msg`not a message as server and page have agreed on them`,
  "bad-message": msg`altered, or from nobody in this call`,
  replayed: msg`came a second time`,
  stale: msg`from before the last change of keys`,
  "invalid-commit": msg`an unauthorised membership change`,
  "bad-welcome": msg`an invitation that is not for this page`,
  "bad-knock": msg`a request to join without this call’s link`,
  "bad-heartbeat": msg`a sign of life that is nobody’s here`,
  "bad-answer": msg`an answer that was altered, or meant for someone else`,
  "replayed-answer": msg`an answer that came a second time`,
  "bad-record": msg`altered, meant for someone else, or repeated`,
  "old-rotation": msg`keys from before the last change`,
  "bad-ask": msg`a request for keys without the link`,
  "replayed-ask": msg`a request for keys that repeats another viewer’s`,
};

const sources: Record<string, MessageDescriptor> = {
  microphone: msg`microphone`,
  camera: msg`camera`,
  "screen-picture": msg`screen`,
  "screen-sound": msg`sound of a screen`,
};

interface DetailsProps {
  encryption: Encryption;
  alarms?: GroupAlarm[];
  layers: LayerCount;
  /** In place of the proof as long as there is no track. */
  nothing: ReactNode;
  onClose: () => void;
  children?: ReactNode;
}

/** What was counted, and how: the proof behind the word "encrypted". */
export function EncryptionDetails({ encryption, alarms = [], layers, nothing, onClose, children }: DetailsProps) {
  const { t } = useLingui();
  const { state, causes, tracks, readable, dropped, encoders } = encryption;
  return (
    <Dialog title={t`Encryption details`} onClose={onClose}>
      <div className={styles.words}>
        {alarms.map((alarm) => (
          <p key={`${alarm.what} ${alarm.who}`} className={styles.alarm}>
            <AlarmWords alarm={alarm} />
          </p>
        ))}
        {state !== "failing" && tracks.length === 0 ? <p>{nothing}</p> : <Summary state={state} layers={layers} />}
        {state === "idle" && tracks.length > 0 && (
          <p>
            <Trans>No audio or video is being sent or received now. It is encrypted as soon as it is.</Trans>
          </p>
        )}
        {tracks.some(({ direction }) => direction === "sent") && (
          <Encoders encoders={encoders.filter(({ source }) => source === "camera")} />
        )}
        {readable.length > 0 && <Readable tracks={readable} />}
        {causes.length > 0 && <Causes causes={causes} />}
        <Dropped dropped={dropped} />
      </div>
      {tracks.length > 0 && <Tracks tracks={tracks} />}
      {children}
    </Dialog>
  );
}

function Summary({ state, layers }: { state: Encryption["state"]; layers: LayerCount }) {
  if (state === "failing")
    return (
      <p>
        <Trans>
          What the browser counted does not agree with what was sealed and opened here, or frames do not open:
        </Trans>
      </p>
    );
  return (
    <p>
      <Trans>
        Frames are sealed in this browser before they leave, and opened in the browser of the person they are for. Below
        is what the sealing code counted, beside what the browser itself says it sent and received.
      </Trans>{" "}
      {layers === 2 ? (
        <Trans>The cipher is AES-256-GCM, and around it XChaCha20-Poly1305 with a key of its own.</Trans>
      ) : (
        <Trans>The cipher is AES-256-GCM.</Trans>
      )}
    </p>
  );
}

/** What has become of the group, and what to do. */
export function AlarmWords({ alarm: { what, who } }: { alarm: GroupAlarm }) {
  const { t } = useLingui();
  const name = who === "" ? t`someone in this call` : who;
  switch (what) {
    case "forked":
      return (
        <Trans>
          You and <bdi>{name}</bdi> do not see the same call: its list of members was split in two. Nothing is sent to{" "}
          <bdi>{name}</bdi> meanwhile. Press Repair. If this stays, leave and start a new call.
        </Trans>
      );
    case "withheld":
      return (
        <Trans>
          A change is being withheld from <bdi>{name}</bdi>: they do not know who came or left last. Press Repair. If
          this stays, leave and start a new call.
        </Trans>
      );
    case "withheld-here":
      return (
        <Trans>
          A change is being withheld from you: others say that someone joined or left, but you do not receive that
          change. You send them nothing until it arrives. Select Repair. If this stays, leave and start a new call.
        </Trans>
      );
  }
}

/** How often this person's picture is encoded. */
function Encoders({ encoders }: { encoders: Encryption["encoders"] }) {
  const { t, i18n } = useLingui();
  const people = encoders.reduce((sum, encoder) => sum + encoder.people, 0);
  const [first, ...others] = encoders;
  if (first === undefined)
    return (
      <p>
        <Trans>Your picture is encoded for each person.</Trans>
      </p>
    );
  const needed = <Trans>Nobody gets a larger one than their screen needs.</Trans>;
  if (others.length === 0)
    return (
      <p>
        <Trans>
          Your picture is encoded and sealed once for <Plural value={people} one="# person" other="# people" />, at{" "}
          {first.lines}p.
        </Trans>{" "}
        {needed}
      </p>
    );
  const size = ({ lines, people }: Encryption["encoders"][number]) => t`${lines}p for ${people}`;
  const sizes = new Intl.ListFormat(i18n.locale).format(encoders.map(size));
  return (
    <p>
      <Trans>
        Your picture is encoded and sealed once a size for <Plural value={people} one="# person" other="# people" />:{" "}
        {sizes}.
      </Trans>{" "}
      {needed}
    </p>
  );
}

/** Whose pictures go readable in part: one's own counts once, no matter who gets it. */
function Readable({ tracks }: { tracks: Encryption["readable"] }) {
  const mine = tracks.some(({ direction }) => direction === "sent");
  const theirs = tracks.filter(({ direction }) => direction === "received");
  return (
    <ul className={styles.readable}>
      {mine && (
        <li>
          <Trans>Some frames of your picture are not sealed, as you chose. Anybody on the way can read them.</Trans>
        </li>
      )}
      {theirs.map(({ key, who }) => (
        <li key={key}>
          <Trans>
            Some frames of <bdi>{who}</bdi>'s picture are not sealed, as they chose. Anybody on the way can read them.
          </Trans>
        </li>
      ))}
    </ul>
  );
}

function Causes({ causes }: { causes: Encryption["causes"] }) {
  const { i18n } = useLingui();
  const receiver = useReceiver();
  const word = (words: Record<string, MessageDescriptor>, code: string) => {
    const found = words[code];
    return found ? i18n._(found) : code;
  };
  return (
    <ul className={styles.causes}>
      {causes.map(({ who, track, epoch, why, count }) => (
        <li key={`${who} ${track} ${epoch} ${why}`}>
          <strong>
            <bdi>{receiver(who)}</bdi>, {word(sources, track)}
          </strong>
          {": "}
          {i18n.number(count)} × {word(reasons, why)}
          {epoch !== null && <Trans> (epoch {epoch})</Trans>}
        </li>
      ))}
    </ul>
  );
}

/** What the server, who stands before it or another's page tried, or what a lost socket brought about: the counts tell no more. */
function Dropped({ dropped }: { dropped: Encryption["dropped"] }) {
  const { i18n } = useLingui();
  const counts = Object.entries(dropped);
  if (counts.length === 0) return null;
  return (
    <div>
      <p>
        <Trans>Some of what came from the server or from others was refused:</Trans>
      </p>
      <ul className={styles.dropped}>
        {counts.map(([why, count]) => (
          <li key={why}>
            {i18n.number(count)} × {drops[why] ? i18n._(drops[why]) : why}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Tracks({ tracks }: { tracks: TrackProof[] }) {
  const { t, i18n } = useLingui();
  return (
    <FrameTable
      label={t`Frames of every track`}
      caption={<Trans>Frames of every track</Trans>}
      className={styles.frames}
      columns={["codec", "epoch", "sealed", "readable", "counted", "refused", "p50", "p95", "overhead"]}
      rows={tracks.map((track) => ({
        key: track.key,
        track: <TrackName track={track} />,
        cells: {
          codec: codecName(track.codec),
          epoch: track.epoch ?? "–",
          sealed: i18n.number(track.frames - track.readable),
          readable: i18n.number(track.readable),
          counted: <Compared track={track} />,
          refused: <Refused dropped={track.dropped} />,
          ...costOf(track, i18n),
        },
      }))}
    />
  );
}

/** Of one frame: time in the transform, and bytes added. */
function costOf({ frames, p50, p95, overhead }: TrackProof, i18n: I18n) {
  const unit = (value: number, of: string, digits: number) =>
    frames > 0 ? i18n.number(value, { style: "unit", unit: of, maximumFractionDigits: digits }) : "–";
  return {
    p50: unit(p50 / 1000, "millisecond", 2),
    p95: unit(p95 / 1000, "millisecond", 2),
    overhead: unit(overhead, "byte", 0),
  };
}

/** In one unit: frames of pictures; bytes of sound, since browsers also send empty packets to try out a connection. */
function Compared({ track: { kind, direction, compared } }: { track: TrackProof }) {
  const { t, i18n } = useLingui();
  if (kind === "video") {
    const frames = i18n.number(compared.counted);
    return t`${frames} frames`;
  }
  const kilobytes = (bytes: number) =>
    i18n.number(bytes / 1000, { style: "unit", unit: "kilobyte", maximumFractionDigits: 0 });
  const [counted, passed] = [kilobytes(compared.counted), kilobytes(compared.passed)];
  return direction === "sent" ? t`${counted} (${passed} sealed)` : t`${counted} (${passed} opened)`;
}

/** "video/VP8" is VP8 to people. RED carries each Opus frame again with the next. */
function codecName(codec: string | null): string {
  const name = codec?.split("/").at(-1) ?? "–";
  return name === "red" ? "Opus, RED" : name === "opus" ? "Opus" : name;
}

/** What is sent once for everybody goes to nobody by name. */
export function useReceiver(): (who: string) => string {
  const { t } = useLingui();
  return (who) => (who === "" ? t`the relay` : who);
}

function TrackName({ track: { direction, source, kind, ...track } }: { track: TrackProof }) {
  const who = useReceiver()(track.who);
  if (source === "screen-picture")
    return direction === "sent" ? (
      <Trans>
        You sent your screen to <bdi>{who}</bdi>
      </Trans>
    ) : (
      <Trans>
        <bdi>{who}</bdi> sent their screen
      </Trans>
    );
  if (source === "screen-sound")
    return direction === "sent" ? (
      <Trans>
        You sent your screen's sound to <bdi>{who}</bdi>
      </Trans>
    ) : (
      <Trans>
        <bdi>{who}</bdi> sent their screen's sound
      </Trans>
    );
  if (direction === "sent")
    return kind === "video" ? (
      <Trans>
        You sent video to <bdi>{who}</bdi>
      </Trans>
    ) : (
      <Trans>
        You sent audio to <bdi>{who}</bdi>
      </Trans>
    );
  return kind === "video" ? (
    <Trans>
      <bdi>{who}</bdi> sent video
    </Trans>
  ) : (
    <Trans>
      <bdi>{who}</bdi> sent audio
    </Trans>
  );
}

function Refused({ dropped }: { dropped: TrackProof["dropped"] }) {
  const { i18n } = useLingui();
  const refused = Object.entries(dropped);
  if (refused.length === 0) return <Trans>none</Trans>;
  return (
    <ul>
      {refused.map(([why, count]) => (
        <li key={why}>
          {i18n.number(count)} {reasons[why] ? i18n._(reasons[why]) : why}
        </li>
      ))}
    </ul>
  );
}
