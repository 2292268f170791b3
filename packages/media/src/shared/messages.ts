import type { DropReason, Policy, SignedBatch, Source, VideoSource } from "@sealcast/frame";
import type { Milli } from "@sealcast/time";
import type { FanOutOrder, FanOutReport, FanOutSigning, FanOutWish } from "./fan-out.ts";
import type { WorkerTimings } from "./timings.ts";

/** What the page and a media worker say to each other. */

export type ToMedia =
  /** The keys worker's port: key material goes from worker to worker and never through the page. */
  | { type: "keys"; port: MessagePort }
  /** What the worker before this one had opened: nothing at or below is opened again. Comes before any transform. */
  | { type: "floors"; floors: StreamCounter[] }
  | { type: "ping" }
  /** Asks for a report of every track, as it is now. */
  | { type: "report"; request: number }
  /** Asks for the times of frames, which are kept from then on for a few seconds. */
  | { type: "timings"; request: number }
  /** From now on each frame that leaves this transform is copied to the port; null: no more. Transferred. */
  | { type: "eavesdrop"; id: string; port: MessagePort | null }
  /** Asks the track's encoder for a key frame. */
  | { type: "key-frame"; id: string }
  /** What this member's sealers leave readable of a source in one epoch. */
  | { type: "follow"; source: VideoSource; epoch: number; policy: Policy }
  /** What another member said inside the group that it leaves readable. */
  | ({ type: "announced" } & PolicyAnnouncement)
  /** This member joined the group again: all policies are void. */
  | { type: "forget-policies" }
  /** What a sender signed of its frames: for every track that opens them. */
  /** `age`: how long ago it came to the page. */
  | { type: "signatures"; signed: SignedBatch; age: Milli }
  /** The encoder of this sealing transform makes its next frame a key frame, as was asked. */
  | { type: "key-frame-comes"; id: string }
  | { type: "fan-out"; source: VideoSource; order: FanOutOrder }
  /** From now on what is sealed for relays goes over this port (`PublishedFrame`, `PublishingWish`); null: nowhere. Transferred. */
  | { type: "publish"; port: MessagePort | null }
  /** Once to each worker: the sealer of the sound that goes to relays, and those before it that died with their worker. */
  | { type: "sealed-sound"; sealer: { instance: number; first: number }; ended: readonly number[] }
  /** The sound that goes to relays; null: there is none. Transferred. */
  | { type: "published-sound"; sound: ReadableStream<AudioData> | null }
  /** Frames that came over a relay, each a `RelayedFrame`: sealed over `from`, and opened over `to`. Transferred. */
  | { type: "open-relayed"; options: RelayedOptions; mimeType: string; from: MessagePort; to: MessagePort }
  /** The track is over: its counters are forgotten. */
  | { type: "release"; id: string };

/** What a member leaves readable of one source in one epoch. */
export interface PolicyAnnouncement {
  leaf: number;
  source: VideoSource;
  epoch: number;
  policy: Policy;
}

/** The highest counter of a stream in an epoch. */
export interface StreamCounter {
  /** The epoch's `id` of its keys (`KeyUpdate`), not its number. */
  epochId: number;
  /** Under which the stream seals. */
  kid: bigint;
  highest: number;
}

/** Handed to RTCRtpScriptTransform: says what the transform is for. */
export type TransformOptions =
  /** `instance` is this transform's own, never used before in this page. */
  | { id: string; side: "seal"; kind: MediaKind; source: Source; instance: number; signed: FanOutSigning | null }
  /** Only frames of this leaf and source open here. */
  | {
      id: string;
      side: "open";
      kind: MediaKind;
      source: Source;
      leaf: number;
      signed: Verifying | null;
      relay: Relayed | null;
    };

/** Of what comes over a relay of live streams, all has to be signed. */
export type RelayedOptions = Extract<TransformOptions, { side: "open" }> & { signed: Verifying };

/** Frames come by way of a relay, which passes some of them on and leaves out others. */
interface Relayed {
  /** Ends each frame that the relay makes up itself; empty where it makes none up. */
  mark: Uint8Array;
}

/** Frames that come in have to be signed. */
interface Verifying {
  /** The track showed a frame that was not its sender's: nothing opens any more. */
  forged: boolean;
}

/**
 * How a track stands whose frames have to be signed. `unsigned`: signatures are overdue, and nothing opens until they come. `forged`:
 * something opened that its sender did not make, and nothing opens any more.
 */
export type Verdict = "signed" | "unsigned" | "forged";

export type MediaKind = "audio" | "video";

export type FromMedia =
  /** The transform took hold of its track and, on the sealing side, a key is there: media may be attached. */
  | { type: "ready"; id: string }
  /** Answer to `ping`. */
  | { type: "alive"; counters: StreamCounter[] }
  | { type: "report"; request: number; tracks: TrackReport[]; fanOuts: FanOutReport[]; sealed: StreamCounter[] }
  | { type: "timings"; request: number; timings: WorkerTimings }
  | { type: "fan-out-wishes"; source: VideoSource; wish: FanOutWish }
  /** The encoder of this sealing transform has to start again from a key frame, and the worker cannot have it do so. */
  | { type: "key-frame-needed"; id: string }
  /** A batch of signatures, for everybody who gets this track's frames. */
  | { type: "signed"; id: string; batch: Uint8Array }
  /** The same of the sound that goes to relays. */
  | { type: "sound-signed"; batch: Uint8Array }
  /** Each that differs from the one before; a track begins as signed, and a forged one stays so. */
  | { type: "verdict"; id: string; verdict: Verdict };

/** One transform's counters since it was attached. Times are microseconds. */
export interface TrackReport {
  id: string;
  codec: string | null;
  epoch: number | null;
  /** Frames that came to the transform. Some of them may still wait in it. */
  came: number;
  /** Frames that passed: sealed or opened, or authenticated only. */
  frames: number;
  /** Their bytes on the wire. */
  bytes: number;
  /** How many of them were authenticated only, and readable on the wire. */
  readable: number;
  /** How many of them took a stand-in's place: encoded and sealed once for several links. */
  carried: number;
  /** Stand-ins that nothing took the place of. They went nowhere. */
  leftOut: number;
  /** Frames that did not pass: each reason with the epoch it was seen in. */
  refused: { why: DropReason; epoch: number | null; count: number }[];
  p50: number;
  p95: number;
  /** Bytes that were added to the last frame. */
  overhead: number;
  /** How many different lengths the last 25 frames had on the wire. */
  lengths: number;
}
