import { EVERYTHING, type Policy } from "@sealcast/frame";
import type { LayerCount, RoomMode } from "@sealcast/keys";
import { type CaptionsActions, type CaptionsView, NO_CAPTIONS } from "../captions/captions.ts";
import type { DeviceActions, DevicesView } from "../devices/devices.ts";
import type { Lack } from "../devices/support.ts";
import { type FilesActions, type FilesView, NO_FILES } from "../files/view.ts";
import type { AddressActions } from "../ice-access.ts";
import { type MediaView, NO_MEDIA } from "../media-session.ts";
import type { Shown } from "../peer/shown.ts";
import { NOTHING_RECEIVED, type ReceptionView } from "../reception/reception.ts";
import { NOT_RECORDING } from "../recording/recording.ts";
import type { RelayView } from "../relay/media-relay.ts";
import { NO_TALK, type TalkActions, type TalkView } from "../talk/talk.ts";
import type { ServerView } from "./call-server.ts";
import type { ComparingActions, ComparingView } from "./comparing.ts";
import { type HoldingView, NOBODY_HELD } from "./holding.ts";
import type { HostingActions, KnockersView } from "./hosting.ts";
import { NOBODY_HERE, type PeopleView } from "./people.ts";
import type { RecordingsActions, RecordingsView } from "./recordings.ts";

export { leafName, MAX_HOSTS } from "@sealcast/keys";
export type { LayerCount, Policy, RoomMode };

/**
 * What the screens show of a call and what they may ask of it. Plain data: no keys, no tracks' bytes. Each part is of the
 * type that its producer exports, which alone writes it; here stands what is the call's own.
 */

export type Problem =
  /** The link's secret and its room do not belong together. */
  | "link-damaged"
  /** This browser lacks what a sealed call needs. */
  | "browser-unsupported"
  | "room-full"
  /** The server is of another version than this page. */
  | "other-version"
  /** The server could not be reached before the call began. */
  | "server-unreachable"
  /** Another tab of this browser took this person's place. */
  | "elsewhere"
  /** Nobody in the call could read this person's knock: the link admits no more, or they are all gone. */
  | "not-admitted"
  /** A host said no, or the room is locked. */
  | "turned-away"
  /** A host removed this person. */
  | "removed"
  /** The keys could not be set up (storage blocked, worker failed). */
  | "keys-failed";

/** Why the keys worker goes no further. */
export const REFUSALS = {
  replaced: "elsewhere",
  removed: "removed",
  "not-admitted": "not-admitted",
  "turned-away": "turned-away",
  "no-identity": "keys-failed",
} as const satisfies Record<string, Problem>;

/** What each concern of a call shows. */
type Concerns = ServerView &
  DevicesView &
  MediaView &
  PeopleView &
  HoldingView &
  KnockersView &
  ComparingView &
  RecordingsView &
  TalkView &
  ReceptionView &
  FilesView &
  CaptionsView &
  RelayView;

export interface CallView extends Concerns {
  phase: "lobby" | "joining" | "in-call" | "left" | "refused";
  problem: Problem | null;
  /** What this browser lacks; something only where the problem is "browser-unsupported". */
  lacks: Lack[];
  /** This person's. */
  name: string;
  /** What a member of the call says while this person joins. `waiting`: a host decides. `turned-away`: others are asked. */
  answer: "waiting" | "turned-away" | null;
  /** How much of this person's picture is to be sealed. */
  policy: Policy;
  /** How many layers the room's frames are sealed in. */
  layers: LayerCount;
}

export interface CallActions
  extends DeviceActions,
    AddressActions,
    HostingActions,
    ComparingActions,
    RecordingsActions,
    TalkActions,
    FilesActions,
    CaptionsActions {
  join(name: string): void;
  /** Changes this person's name, for everybody. Without a visible character nothing changes. */
  rename(name: string): void;
  /** Without, others' video does not come, which saves data: sound alone does. */
  setIncomingVideo(on: boolean): void;
  /** Takes hold once everybody has heard of it; "everything" at once. */
  choosePolicy(policy: Policy): void;
  /** The full link, secret included: to be copied, never shown or logged. */
  inviteLink(): string;
  /** A picture of this person (by id) is shown so large from now on. */
  shows(id: string, shown: Shown): void;
  /** Sets up everything again: transforms, connections to the others, keys. For when encryption is failing. */
  repair(): void;
  leave(): void;
}

/** The lobby, as long as nothing is known. */
export function firstView(devices: DevicesView): CallView {
  return {
    ...devices,
    ...NO_MEDIA,
    ...NOBODY_HELD,
    ...NOBODY_HERE,
    ...NO_TALK,
    ...NOTHING_RECEIVED,
    ...NO_FILES,
    phase: "lobby",
    problem: null,
    lacks: [],
    name: "",
    knockers: [],
    answer: null,
    meetingCode: { digits: null, people: 1, names: [] },
    recording: NOT_RECORDING,
    captions: NO_CAPTIONS,
    policy: EVERYTHING,
    layers: 1,
    signalling: "reconnecting",
    relay: "unused",
  };
}
