import type { Size } from "@sealcast/media";
import type { Lack } from "../devices/support.ts";
import { type MediaView, NO_MEDIA } from "../media-session.ts";
import type { Shortage } from "../peer/video-flow.ts";
import type { RecordingActions } from "../recording/own-recording.ts";
import { NOT_RECORDING } from "../recording/recording.ts";
import { type AskingActions, type AskingView, NOTHING_ASKED } from "./asking.ts";
import type { Buffering } from "./buffering.ts";
import type { HostChannelView } from "./host-channel.ts";
import { type HostConnectionView, noPicture } from "./host-connection.ts";
import type { PlaybackState } from "./playback-state.ts";
import type { WatchRecordingView } from "./watch-recording.ts";
import type { WatchServerView } from "./watch-server.ts";

/** What a viewer's screens show of a stream and what they may ask of it. Plain data: no keys, no tracks' bytes. */

export type ViewerProblem =
  | "link-damaged"
  /** Made by an earlier version. */
  | "link-outdated"
  | "browser-unsupported"
  /** The sender has the link, and is not the host that the link names. */
  | "wrong-host"
  | "removed"
  | "turned-away"
  /** The server is of another version than this page. */
  | "other-version"
  | "server-unreachable"
  | "keys-failed";

export interface WatchView
  extends MediaView,
    WatchServerView,
    WatchRecordingView,
    AskingView,
    HostChannelView,
    HostConnectionView {
  standing: PlaybackState;
  /** What came of the picture may be on the screen. */
  isShown: boolean;
  /** For how many whole minutes the host has been away, or has not come. */
  minutesAway: number;
  problem: ViewerProblem | null;
  lacks: Lack[];
  /** The host's picture gives way to the sound for now, and why. */
  videoPaused: Shortage | null;
  /** No connection to the host comes about. */
  isUnreached: boolean;
  buffering: Buffering;
  /** Whether this browser lets a page choose. */
  canBuffer: boolean;
}

/** A recording of a viewer's is of what is played, where the host allows it. */
export interface WatchActions extends RecordingActions, AskingActions {
  /** Whether the sound is played from now on. As long as it is not, none is sent here. */
  listen(on: boolean): void;
  /** The stream's first picture can be drawn: it was sealed, and opened here. */
  hasPicture(): void;
  /** The picture is shown so large from now on, in the screen's pixels; 0 by 0 where nobody sees it. */
  shows(size: Size): void;
  choose(buffering: Buffering): void;
  /** How loud the sound is played, 0 to 1. */
  turnTo(volume: number): void;
  /** A fresh connection, after frames that were not signed or one that this page closed. */
  tryAgain(): void;
  watchLink(): string;
}

/** Before anything is known. */
export function firstWatchView(): WatchView {
  return {
    ...NO_MEDIA,
    ...NOTHING_ASKED,
    ...noPicture(),
    standing: "opening",
    isShown: false,
    videoPaused: null,
    isUnreached: false,
    minutesAway: 0,
    problem: null,
    lacks: [],
    picture: true,
    sound: true,
    signalling: "reconnecting",
    refusal: null,
    buffering: "lowest",
    hostRecords: null,
    mayRecord: false,
    recording: NOT_RECORDING,
    canBuffer: "jitterBufferTarget" in RTCRtpReceiver.prototype,
  };
}
