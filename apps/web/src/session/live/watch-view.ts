import type { Size } from "@sealcast/media";
import type { Encryption } from "../audit/encryption-audit.ts";
import type { Healing } from "../audit/repair.ts";
import type { Lack } from "../devices/support.ts";
import type { RecordingStage } from "../recording/consent.ts";
import type { RecordingView } from "../recording/recording.ts";
import type { Buffering } from "./reception.ts";

/** What a viewer's screens show of a stream and what they may ask of it. Plain data: no keys, no tracks' bytes. */

export type ViewerProblem =
  | "link-damaged"
  /** Made by an earlier version. */
  | "link-outdated"
  | "browser-unsupported"
  /** Whoever answered has the link, and is not the host that the link names. */
  | "wrong-host"
  | "removed"
  | "turned-away"
  | "server-unreachable"
  | "keys-failed";

/** Why the server ended the connection to it: the stream is full, the host does not know the link's door, or anything else. */
export type Refusal = "full" | "unknown-link" | "other";

/** How the stream stands for this viewer. */
export type PlaybackState =
  | "opening"
  /** The host has not been here. */
  | "not-started"
  /** The host is here, and the way to the picture is being made. */
  | "connecting"
  /** Came with an old link: the host has to decide. */
  | "waiting"
  | "full"
  /** The server says that the host does not take this link. */
  | "unknown-link"
  | "playing"
  /** The way broke, and is being mended. */
  | "reconnecting"
  /** The host's page is gone for now. */
  | "away"
  /** Frames came that the host did not sign: nothing is shown. */
  | "forged"
  /** The host's app sent too much, or what none sends: this page closed the connection. */
  | "closed"
  | "ended"
  | "refused";

export interface WatchView {
  standing: PlaybackState;
  problem: ViewerProblem | null;
  lacks: Lack[];
  stream: MediaStream;
  /** Whether the host sends one now. */
  picture: boolean;
  sound: boolean;
  encryption: Encryption;
  /** This computer does not keep up: video is being skipped. */
  overloaded: boolean;
  signalling: "connected" | "reconnecting";
  /** While the server, having ended the connection to it, is tried again. It ends nothing else. */
  refusal: Refusal | null;
  /** About how long from the host's sealed frame to this screen, milliseconds; null before it is known. */
  latency: number | null;
  buffering: Buffering;
  /** How the host's recording stands; null where there is none. */
  hostRecords: RecordingStage | null;
  /** The host lets viewers record. */
  mayRecord: boolean;
  /** This viewer's own. */
  recording: RecordingView;
  /** Whether this browser lets a page choose. */
  canBuffer: boolean;
  healed: Healing | null;
}

export interface WatchActions {
  /** Whether the sound is played from now on. As long as it is not, none is sent here. */
  listen(on: boolean): void;
  /** The stream's first picture can be drawn: it was sealed, and opened here. */
  hasPicture(): void;
  /** The picture is shown so large from now on, in the screen's pixels; 0 by 0 where nobody sees it. */
  shows(size: Size): void;
  choose(buffering: Buffering): void;
  /** Records what is played, where the host allows it. `title` is what the recording is called. */
  record(title: string): void;
  pauseRecording(on: boolean): void;
  stopRecording(): void;
  dismissRecording(): void;
  /** `no`: the host is not here. `wait`: that is too many for now. */
  ask(question: string): "yes" | "no" | "wait";
  /** A fresh connection, after frames that were not signed or one that this page closed. */
  tryAgain(): void;
  watchLink(): string;
}
