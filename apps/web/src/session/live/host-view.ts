import type { DeviceActions, DevicesView } from "../devices/devices.ts";
import type { Lack } from "../devices/support.ts";
import type { AddressActions } from "../ice-access.ts";
import { type MediaView, NO_MEDIA } from "../media-session.ts";
import type { RecordingActions } from "../recording/own-recording.ts";
import { NOT_RECORDING, type RecordingView } from "../recording/recording.ts";
import { type AboutActions, type AboutView, NOTHING_SAID } from "./about.ts";
import type { HostServerView } from "./host-server.ts";
import type { PictureSource } from "./picture.ts";
import type { Quality } from "./preset.ts";
import type { ProgrammeView } from "./programme.ts";
import { NO_VIEWERS, type ViewersActions, type ViewersView } from "./viewers.ts";

/** What the host's screens show of a stream and what they may ask of it. Plain data: no keys, no tracks' bytes. */

export type HostProblem =
  | "browser-unsupported"
  /** This browser has no key for the room in the address. */
  | "not-host"
  /** Another tab of this browser hosts the stream now, and nobody watches this one any more. */
  | "elsewhere"
  /** The server is of another version than this page. */
  | "other-version"
  | "server-unreachable"
  | "keys-failed";

export interface HostView extends DevicesView, MediaView, ProgrammeView, ViewersView, AboutView, HostServerView {
  phase: "lobby" | "starting" | "live" | "ended" | "refused";
  problem: HostProblem | null;
  lacks: Lack[];
  quality: Quality;
  /** The host's own. */
  recording: RecordingView;
  viewersMayRecord: boolean;
  /** The keys worker has made the link, or read it. */
  hasLink: boolean;
  /** How often the link was replaced. */
  linkReplaced: number;
}

/** A recording of the host's is of what goes out. */
export interface HostActions extends DeviceActions, AddressActions, ViewersActions, RecordingActions, AboutActions {
  goLive(): void;
  /** For a screen, to be called in the task of a click: browsers ask for one. */
  show(source: PictureSource): void;
  setQuality(quality: Quality): void;
  letViewersRecord(on: boolean): void;
  /** The viewers' link, secret included: to be copied, never logged. */
  watchLink(): string;
  end(): void;
}

/** The lobby. */
export function firstHostView(devices: DevicesView, programme: ProgrammeView): HostView {
  return {
    ...devices,
    ...programme,
    ...NO_MEDIA,
    ...NO_VIEWERS,
    about: NOTHING_SAID,
    wasLive: false,
    phase: "lobby",
    problem: null,
    lacks: [],
    quality: "smooth",
    recording: NOT_RECORDING,
    viewersMayRecord: false,
    signalling: "reconnecting",
    hasLink: false,
    linkReplaced: 0,
  };
}
