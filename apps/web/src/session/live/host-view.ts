import type { Encryption } from "../audit/encryption-audit.ts";
import type { Healing } from "../audit/repair.ts";
import type { DeviceActions, DevicesView } from "../devices/devices.ts";
import type { Lack } from "../devices/support.ts";
import type { Breach } from "../peer/peer.ts";
import type { RecordingView } from "../recording/recording.ts";
import type { PictureSource } from "./picture.ts";
import type { Quality } from "./preset.ts";
import type { Question } from "./questions.ts";

/** What the host's screens show of a stream and what they may ask of it. Plain data: no keys, no tracks' bytes. */

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
