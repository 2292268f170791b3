import type { Policy } from "@sealcast/frame";
import type { LayerCount, RoomMode, RoomRules } from "@sealcast/keys";
import type { Encryption } from "../audit/encryption-audit.ts";
import type { Healing } from "../audit/repair.ts";
import type { DeviceActions, DevicesView } from "../devices/devices.ts";
import type { Captured } from "../devices/local.ts";
import type { Lack } from "../devices/support.ts";
import type { Shown } from "../peer/shown.ts";
import type { RecordingView } from "../recording/recording.ts";
import type { GroupAlarm } from "./alarms.ts";
import type { Scanned, ShownKnocker } from "./known-peers.ts";
import type { MeetingCodeView } from "./meeting-code.ts";
import type { Person } from "./person.ts";

export { leafName } from "@sealcast/keys";
export type { LayerCount, Policy, RoomMode };

/** What the screens show of a call and what they may ask of it. Plain data: no keys, no tracks' bytes. */

export type Problem =
  /** The link's secret and its room do not belong together. */
  | "link-damaged"
  /** This browser lacks what a sealed call needs. */
  | "browser-unsupported"
  | "room-full"
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

export interface CallView extends DevicesView {
  phase: "lobby" | "joining" | "in-call" | "left" | "refused";
  problem: Problem | null;
  /** What this browser lacks; something only where the problem is "browser-unsupported". */
  lacks: Lack[];
  /** `picture`: the camera's; `screen`: whether this person shares theirs. */
  me: DevicesView["me"] & { name: string; picture: MediaStream; screen: boolean };
  people: Person[];
  /** Who can join, and who is a host. */
  rules: RoomRules;
  /** Identities that a host is removing, until that is done. Nothing is sent to them. */
  removing: readonly string[];
  /** Ids of people who are not here any more since a host removed them. */
  removed: readonly string[];
  /** Who waits for this person's answer. */
  knockers: ShownKnocker[];
  /** What a member of the call says while this person joins. `waiting`: a host decides. `turned-away`: others are asked. */
  answer: "waiting" | "turned-away" | null;
  encryption: Encryption;
  /** Each makes the badge say "failing". */
  alarms: GroupAlarm[];
  meetingCode: MeetingCodeView;
  /** This computer does not keep up: video is being skipped. */
  overloaded: boolean;
  /** Names of those to whom the way is too slow for any picture of this person now. */
  paused: string[];
  /** Names of those to whom this person's video does not go: they decode none of the usual codecs. */
  unable: string[];
  /** This person's own. */
  recording: RecordingView;
  /** How much of this person's picture is to be sealed. */
  policy: Policy;
  /** How many layers the room's frames are sealed in. */
  layers: LayerCount;
  signalling: "connected" | "reconnecting";
  /** The last thing that was mended; a new object each time. */
  healed: Healing | null;
}

export interface CallActions extends DeviceActions {
  join(name: string): void;
  /** Changes this person's name, for everybody. Without a visible character nothing changes. */
  rename(name: string): void;
  /** Shares a screen, or stops that. To be called in the task of a click: the browser has the person choose. */
  share(on: boolean): void;
  /** A host's: removes this person (by id), and replaces the link. */
  remove(id: string): void;
  /** A host's: who can join from now on. */
  setMode(mode: RoomMode): void;
  /** A host's: this person (by id) is one, too, from now on. */
  makeHost(id: string): void;
  /** A host's, where there is another: this person is none any more. */
  stopHosting(): void;
  /** A host's answer to a knocker, by seat. */
  answer(seat: string, yes: boolean): void;
  /** Has the safety code of everybody here computed. */
  compare(): void;
  /** Whether somebody looks at the meeting code, which is kept current meanwhile. */
  showMeetingCode(on: boolean): void;
  /** The code of this person (by id) was compared and found equal; or that is taken back. */
  verify(id: string, verified: boolean): void;
  /** From now on this device knows this person (by id) by the name that they have now. */
  remember(id: string): void;
  /** A QR code was read from the screen of this person (by id). The same code as here: they are verified. */
  scanned(id: string, text: string): Scanned;
  /** A camera to scan with; `deviceId` "" leaves the choice open. The caller stops the track. */
  lendCamera(deviceId: string): Promise<Captured>;
  /** Records those who say yes, and this person. `title` is what the recording is called. */
  record(title: string): void;
  pauseRecording(on: boolean): void;
  stopRecording(): void;
  /** The person has read how the last recording ended. */
  dismissRecording(): void;
  /** Whether this person is to be in what another (by id) records now. A no also stands for what they record later. */
  answerRecording(id: string, yes: boolean): void;
  /** Without an answer this person is left out. */
  putOffRecordings(): void;
  /** Takes hold once everybody has heard of it; "everything" at once. */
  choosePolicy(policy: Policy): void;
  /** The full link, secret included: to be copied, never shown or logged. */
  inviteLink(): string;
  /** A picture of this person (by id) is shown so large from now on. */
  shows(id: string, shown: Shown): void;
  /** Sets up everything anew: transforms, ways to the others, keys. For when encryption is failing. */
  repair(): void;
  leave(): void;
}
