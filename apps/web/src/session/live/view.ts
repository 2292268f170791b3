import type { Size } from "@sealcast/media";
import type { RecordingStage } from "../consent.ts";
import type { RecordingView } from "../recording.ts";
import type { Breach, DeviceActions, DevicesView, Encryption, Healing, Lack } from "../view.ts";

/** What the screens show of a live stream and what they may ask of it. Plain data: no keys, no tracks' bytes. */

/** `both`: the screen, and the camera small in its corner. */
export type PictureSource = "camera" | "screen" | "both";
export type Quality = "low-data" | "smooth" | "sharp";
export const QUALITIES: readonly Quality[] = ["smooth", "sharp", "low-data"];

export type HostProblem =
  | "browser-unsupported"
  /** This browser has no key for the room in the address. */
  | "not-host"
  /** Another tab of this browser hosts the stream now, and nobody watches this one any more. */
  | "elsewhere"
  | "server-unreachable"
  | "keys-failed";

/** One viewer as the host knows them: viewers have no names. */
export interface ViewerEntry {
  id: string;
  number: number;
  /**
   * `full`: waits for a place. `unable`: gets no video, since it decodes none of the usual codecs. A breach: this page closed the
   * connection for it.
   */
  is: "connecting" | "watching" | "away" | "full" | "unable" | Breach;
  /** They say that they record. */
  records: boolean;
}

export interface Question {
  key: number;
  /** The viewer's. */
  number: number;
  text: string;
}

export interface HostView extends DevicesView {
  phase: "lobby" | "starting" | "live" | "ended" | "refused";
  problem: HostProblem | null;
  lacks: Lack[];
  source: PictureSource;
  /** This browser can make one picture of both. */
  canShowBoth: boolean;
  /** Why the screen is not shown: the person, or the browser, said no. */
  screenRefused: boolean;
  /** Whether the screen's own sound goes with it; null while no screen is shown. */
  screenSound: boolean | null;
  /** What goes out, for the preview. */
  picture: MediaStream;
  quality: Quality;
  /** The host's own. */
  recording: RecordingView;
  viewersMayRecord: boolean;
  viewers: ViewerEntry[];
  /** Who came with a link that was replaced. */
  waiting: { id: string; number: number }[];
  questions: readonly Question[];
  encryption: Encryption;
  /** This computer does not keep up: video is being skipped. */
  overloaded: boolean;
  /** `replaced`: the server says that another load of this page hosts the stream; who watches this one goes on watching. */
  signalling: "connected" | "reconnecting" | "replaced";
  /** The keys worker has made the link, or read it. */
  hasLink: boolean;
  /** How often the link was replaced. */
  linkReplaced: number;
  healed: Healing | null;
}

export interface HostActions extends DeviceActions {
  goLive(): void;
  /** For a screen, to be called in the task of a click: browsers ask for one. */
  show(source: PictureSource): void;
  setQuality(quality: Quality): void;
  /** Records what goes out. `title` is what the recording is called. */
  record(title: string): void;
  pauseRecording(on: boolean): void;
  stopRecording(): void;
  dismissRecording(): void;
  letViewersRecord(on: boolean): void;
  /** Turns a viewer out, gives new keys to the others, and replaces the link. */
  remove(id: string): void;
  /** The answer to somebody who waits. */
  answer(id: string, yes: boolean): void;
  dismissQuestion(key: number): void;
  /** The viewers' link, secret included: to be copied, never logged. */
  watchLink(): string;
  end(): void;
}

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

/** How much is held back to play smoothly. */
export type Buffering = "lowest" | "smoothest";

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
