import type { Policy } from "@sealcast/frame";
import type { Sighting } from "@sealcast/latency/figures";

/** What the page and a selective worker say to each other, and how the paper's rate is said to a sealer. */

export type SelectiveKey = "AES-128" | "AES-256";

/** How packets are sealed. */
interface Sealing {
  key: SelectiveKey;
  /** Of packets, the share that is sealed. */
  percent: number;
}

/** The first message to the worker: the pictures that packets are made of, JPEG as a camera has them. */
export interface Pictures {
  pictures: Uint8Array[];
}

/** This many packets, one after the other, sealed and opened. */
export interface PacketSession extends Sealing {
  packets: number;
}

/** A sender that makes and seals this many packets a second. */
export interface Pace extends Sealing {
  perSecond: number;
}

/** Any further message: a session is answered with its times, a pace is kept until the worker ends. */
export type PacketRequest = ({ type: "session" } & PacketSession) | ({ type: "pace" } & Pace);

/** Of one session, in milliseconds a packet, sealed or not. */
export interface PacketTimes {
  /** Making the packet from a picture's bytes, and sealing it. */
  encMs: number;
  decMs: number;
}

/** A draw for each frame, whatever it is, as in the paper. */
export function atRate(percent: number): Policy {
  return { mode: "rate", percent, keyFrames: false };
}

/** What a call's frames go through: nothing, a transform that hands them on, or the product's, once or twice sealed. */
export type CallArm = "no transform" | "pass-through" | "sealed" | "two layers";

/** What both ends of a call in the lab agree on. */
export interface CallTerms {
  arm: CallArm;
  /** Of frames, the share that is sealed. */
  percent: number;
  /** 32 bytes. */
  key: Uint8Array<ArrayBuffer>;
}

/** What the receiving page saw of a call in some seconds. */
export interface CallSeen {
  /** What was shown. */
  pictures: Sighting[];
  freezes: number;
  decoded: number;
  /** Height of the last frame. */
  height: number;
  /** Frames that the worker opened since the call began, and how many of them came readable. */
  opened: number;
  readable: number;
  /** 95th percentile of what a frame took in the product's transform since the call began, microseconds; 0 without one. */
  transformP95Us: number;
}

/** What the command asks of a page in this experiment. */
export interface SelectivePage {
  /** What packets are to be made of: pictures as a camera has them, JPEG. */
  packetPictures(pictures: Uint8Array[]): void;
  /** The worker stays from session to session. */
  packetSession(session: PacketSession): Promise<PacketTimes>;
  endPackets(): void;
  /** In a fresh worker, until `endPace`. */
  startPace(pace: Pace): void;
  endPace(): void;
  /** Bytes that the page and its workers hold; NaN where the browser does not say so at once. */
  memory(): Promise<number>;
  /** Opens the camera and describes the sending end of a call. */
  callOffer(terms: CallTerms): Promise<string>;
  /** Describes the receiving end of a call that another page offers. */
  callAnswer(terms: CallTerms, offer: string): Promise<string>;
  /** Resolves when video is being sent. */
  callAnswered(answer: string): Promise<void>;
  /** What the receiving end shows during this many milliseconds. */
  callWatch(ms: number): Promise<CallSeen>;
  /** The same as `transformP95Us`, at the sending end. */
  callSealP95Us(): Promise<number>;
  /** Ends this page's part. */
  callEnd(): void;
}
