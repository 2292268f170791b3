import type { RelayedFrame } from "@sealcast/protocol";
import type { Milli } from "@sealcast/time";

/**
 * One encoded frame, opened and verified; its bytes are the player's from `push` on. A group of video begins with a key frame, at
 * index 0; each frame needs all before it in its group and nothing of another. Each frame of sound stands alone. Times are the
 * sender's, on one clock for both tracks.
 */
export interface PlayerFrame extends RelayedFrame {
  readonly track: "video" | "audio";
  /** On this thread's clock. */
  readonly receivedAtMs: Milli;
}

/** Null: the stream has no such track. */
export interface PlayerConfig {
  readonly video: { readonly codec: string; readonly width: number; readonly height: number } | null;
  readonly audio: { readonly codec: "opus"; readonly sampleRate: 48_000; readonly channels: 1 | 2 } | null;
}

export type PlayerMode = "lowest-latency" | "smoothest";

/** Why a frame or picture was not played. */
export type PlayerDrop =
  /** No number, time or length that a frame can have, or a picture larger than any is decoded. */
  | "malformed"
  /** Its time is far from that of all others. */
  | "off-timeline"
  /** Its time is over, or a newer picture was due as well. */
  | "late"
  /** A frame before it is missing. */
  | "incomplete-group"
  /** More came than is held. */
  | "overflow"
  /** The page is hidden. */
  | "hidden"
  /** The decoder refused it or one that it needs. */
  | "undecodable"
  /** What shows pictures does not keep up. */
  | "screen-busy";

/** Numbers of a picture in `PlayerFigures.pictures`. */
export const PICTURE_TIMES = 5;

export interface PlayerFigures {
  /** By how much the latest frames came later than the fastest of late; also rises while nothing comes. */
  readonly latenessMs: number;
  /** How far playing is behind the fastest frames: what is aimed at, and what is. */
  readonly targetMs: number;
  readonly bufferMs: number;
  /** Pictures and pieces of sound that decoders gave. */
  readonly decoded: number;
  /** Pictures, of the video that was configured last. */
  readonly shown: number;
  /** Frames of that video that came to be played, and those of them that were neither shown nor dropped yet. */
  readonly came: number;
  readonly waiting: number;
  readonly dropped: Readonly<Partial<Record<PlayerDrop, number>>>;
  /** How often there was no sound left to play. */
  readonly audioUnderruns: number;
  /** Jumps in the time that is played. */
  readonly jumps: number;
  /** By how much faster than its own clock sound is played of late, in parts per million. */
  readonly driftPpm: number;
  /**
   * The last pictures that were shown, the oldest first, `PICTURE_TIMES` numbers each: the sender's time in microseconds; then when
   * its frame was given to the decoder, when that gave it, when it was its turn and when it was drawn, or the page had it, in
   * milliseconds on the computer's clock (Unix time).
   */
  readonly pictures: Float64Array<ArrayBuffer>;
}

export type PlayerEvent =
  /** The decoder refused a frame. Video goes on with the next group, so the caller may ask for one. */
  | { readonly type: "undecodable"; readonly track: PlayerFrame["track"] }
  /** This browser does not decode what `configure` named; nothing of this track comes until the next `configure`. */
  | { readonly type: "unsupported"; readonly track: PlayerFrame["track"] }
  | { readonly type: "first-picture" };

/** What a page gives a `StreamPlayer` to play on. To be transferred whole (`transferablesOf`). */
export interface PlayerOutputs {
  readonly pictures: WritableStream<VideoFrame> | OffscreenCanvas;
  /** To the sound's worklet; null: there is no sound here. */
  readonly sound: MessagePort | null;
  /** Of `PageToPlayer`. */
  readonly page: MessagePort;
}

export type PageToPlayer =
  | { readonly type: "hidden"; readonly isHidden: boolean }
  /** From when the worklet gives a sample until it is heard. */
  | { readonly type: "output-latency"; readonly ms: number };

export type ToSound =
  /** Decoded sound, captured from `atMs` on, one array a channel. These are transferred. */
  | {
      readonly type: "piece";
      readonly atMs: number;
      readonly sampleRate: number;
      readonly channels: readonly Float32Array<ArrayBuffer>[];
    }
  /** Samples that came in for each that goes out, near 1. */
  | { readonly type: "rate"; readonly rate: number }
  /** At `contextMs` it is `atMs`'s turn. */
  | { readonly type: "seek"; readonly seek: number; readonly atMs: number; readonly contextMs: number }
  /** Nothing of what came is played any more. */
  | { readonly type: "clear" }
  | { readonly type: "close" };

/** Said some forty times a second while sound is played or would be. */
export interface FromSound {
  /** The audio context's own time, for which the rest holds. */
  readonly contextMs: number;
  readonly atMs: number;
  /** The last "seek" that was heard; 0: none, and `atMs` means nothing. */
  readonly seek: number;
  readonly isStarved: boolean;
  readonly underruns: number;
}

/** What a page tells the worker that plays for it. `open` comes first, once. */
export type ToPlayerWorker =
  | { readonly type: "open"; readonly outputs: PlayerOutputs; readonly mode: PlayerMode }
  | { readonly type: "configure"; readonly config: PlayerConfig }
  | { readonly type: "mode"; readonly mode: PlayerMode }
  /** From now on this track's frames come over that port, as they are opened: `RelayedFrame`s. Transferred. */
  | { readonly type: "feed"; readonly track: PlayerFrame["track"]; readonly port: MessagePort }
  /** Asks for `figures`. */
  | { readonly type: "figures" };

export type FromPlayerWorker =
  | { readonly type: "event"; readonly event: PlayerEvent }
  | { readonly type: "figures"; readonly figures: PlayerFigures };
