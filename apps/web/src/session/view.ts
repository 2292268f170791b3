import type { Policy } from "@sealcast/frame";
import type { Knocker, Label, LayerCount, RoomMode, RoomRules, SafetyCode, Scanned, Trust } from "@sealcast/keys";
import type { Captured } from "@sealcast/media";
import type { Breach, LineSource, LinkState } from "@sealcast/network";
import type { AskedConsent } from "./consent.ts";
import type { MeetingCodeView } from "./meeting-code.ts";
import type { RecordingView } from "./recording.ts";
import type { Shown } from "./shown.ts";

export { leafName } from "@sealcast/keys";
export type { AskedConsent, Breach, Captured, LayerCount, Policy, RoomMode, SafetyCode, Scanned, Trust };

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

/** What a sealed call needs and a browser may lack. */
export type Lack =
  | "secure-page"
  | "sealed-media"
  /** None that can be sealed. */
  | "codec"
  | "devices"
  | "storage"
  | "locks"
  /** Ed25519 and X25519 in Web Crypto. */
  | "curves";

export type DeviceProblem = "denied" | "missing" | "busy";

export interface Device {
  /** Off: the device is released and nothing is captured. */
  on: boolean;
  problem: DeviceProblem | null;
}

/** One track's proof: what its worker counted beside what the browser says went over the wire. */
export interface TrackProof {
  key: string;
  who: string;
  direction: "sent" | "received";
  source: LineSource;
  kind: "audio" | "video";
  codec: string | null;
  epoch: number | null;
  /** Frames that our transform let through: sealed or opened, or authenticated only. */
  frames: number;
  /** How many of them were authenticated only: anybody on the way could read them. */
  readable: number;
  /** Since the transform was set, in frames of pictures and bytes of sound: what passed it, and what the browser sent or received. */
  compared: { passed: number; counted: number };
  /** Frames that were refused, by reason. */
  dropped: Record<string, number>;
  /** Time per frame in our transform, microseconds. */
  p50: number;
  p95: number;
  /** Bytes added to each frame. */
  overhead: number;
}

export interface Encryption {
  /** `idle`: no media flows. `failing`: some went out or was played without its seal, or does not authenticate. */
  state: "idle" | "encrypted" | "failing";
  /** Why it is failing, one entry a cause; empty when it is not. */
  causes: { who: string; track: string; epoch: number | null; why: string; count: number }[];
  epoch: number | null;
  tracks: TrackProof[];
  /** Tracks with frames in the last second that anybody on the way could read. */
  readable: { key: string; who: string; direction: TrackProof["direction"] }[];
  /** Of what came over the server: how much was refused, by reason. */
  dropped: Record<string, number>;
  /** Encoders that each work for several people, with the size of their pictures; none where each link has its own. */
  encoders: { source: LineSource; lines: number; people: number }[];
}

/** What heartbeats tell of this call: a group that was split, or a change that does not come to somebody (or here). */
export interface GroupAlarm {
  what: "forked" | "withheld" | "withheld-here";
  /** Whose it is; empty where it is about this person. */
  who: string;
}

/** Something broke and was mended without anybody doing anything. */
export interface Healing {
  /** A media worker was replaced; a track's transform was set anew; a key frame was asked for; this member joined afresh. */
  what: "worker" | "track" | "picture" | "keys";
  /** With whom it was; empty where it was nobody's. */
  who: string;
}

/** A leaf of the group that is not this person's: there is one of these for each, whatever its client sends. */
export interface Person {
  /** Stable while this person stays: names one member on a leaf, until it joins again. */
  id: string;
  /** Long-term public key, hex: the same in all of a person's tabs. */
  identity: string;
  /** Their name, with a number where another person here has the plain name. */
  label: Label;
  /** The label as it is read: nobody else here is called so. */
  name: string;
  /** What this browser knows of their key and name. */
  trust: Trust;
  /** This person verified their key under the name that they have now. */
  isVerified: boolean;
  /** To compare with them; null until it was asked for and is computed. */
  code: SafetyCode | null;
  stream: MediaStream;
  /** What they share; null while they share nothing. */
  screen: MediaStream | null;
  camera: boolean;
  microphone: boolean;
  /**
   * `away`: their page said goodbye, and they have a place to come back to. `closed`: this page closed it, for `breach`. They
   * still hold keys; nothing goes to them.
   */
  connection: LinkState | "away" | "closed";
  /** What their app did; null unless the connection is closed for it. */
  breach: Breach | null;
  /** They have said what of their devices is on. False: nothing is known of what they send. */
  isHeardOf: boolean;
  /** False when no heartbeat of theirs came for a while. */
  answering: boolean;
  /** What they send and nothing comes of: somebody keeps it back, or the way is too slow for it. */
  missing: ("audio" | "video")[];
  /** What they record, or are about to, and this person's answer; null where they do not. */
  records: AskedConsent | null;
  /** That is to be asked about in a dialog. */
  isToAsk: boolean;
  /** Their answer to this person's recording: who has given none is left out of it. */
  answer: AskedConsent["answer"];
}

/** A person who waits to be let in. */
export interface ShownKnocker extends Pick<Knocker, "seat" | "oldLink" | "removed"> {
  name: string;
  trust: Trust;
}

/** This person's devices, and what they give. */
export interface DevicesView {
  me: { sound: MediaStreamTrack | null; camera: Device; microphone: Device };
  devices: { cameras: MediaDeviceInfo[]; microphones: MediaDeviceInfo[]; speakers: MediaDeviceInfo[] };
  chosen: { camera: string; microphone: string; speaker: string };
  /** Packets of this person's sound have one size, so that sizes do not tell what is said. */
  hidesSpeech: boolean;
  /** They were to have one size, and this browser goes on sending them in many. */
  speechShows: boolean;
}

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

export type DeviceKind = "camera" | "microphone" | "speaker";

export interface DeviceActions {
  setCamera(on: boolean): void;
  setMicrophone(on: boolean): void;
  choose(kind: DeviceKind, deviceId: string): void;
  hideSpeech(on: boolean): void;
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
