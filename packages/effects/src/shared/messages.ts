/** Drawn by the background's worker itself, from colours alone. */
export type DrawnBackdrop = "dusk" | "mist" | "leaf";

/** What stands behind the person. */
export type Backdrop =
  | { readonly kind: "blur" }
  | { readonly kind: "drawn"; readonly name: DrawnBackdrop }
  /** Transferred. */
  | { readonly kind: "picture"; readonly picture: ImageBitmap };

/** What the page says to background.worker.ts; "start" comes first, once. */
export type ToBackground =
  /** The streams are transferred. What is written is what others may see: nothing else ever goes there. */
  | {
      readonly type: "start";
      readonly frames: ReadableStream<VideoFrame>;
      readonly treated: WritableStream<VideoFrame>;
      readonly backdrop: Backdrop;
    }
  | { readonly type: "backdrop"; readonly backdrop: Backdrop }
  /** Frames are no higher than this from now on. */
  | { readonly type: "most-height"; readonly height: number };

/** What the page says to noise.worker.ts, once. The streams are transferred. */
export interface ToNoise {
  readonly type: "start";
  readonly sound: ReadableStream<AudioData>;
  readonly treated: WritableStream<AudioData>;
}

/** What an effect took on this computer in the last half second. */
export interface EffectCost {
  /** Median of the time that one frame took, or of sound one piece (10 ms in Chromium). */
  readonly msPerFrame: number;
  /** Of one core, from 0 to 1. */
  readonly share: number;
  /** Until what came in goes out again, in milliseconds. */
  readonly delayMs: number;
  readonly framesPerSecond: number;
}

/**
 * Why an effect ended by itself. `silent`: nothing but silence came out although there was sound; `too-slow`: this computer
 * does not keep up; `failed`: anything else.
 */
export type EffectFault = "silent" | "too-slow" | "failed";

/** What an effect's worker says. It says something every half second at least, once it has loaded. */
export type FromEffect =
  /** So much of what it takes has been loaded, from 0 to 1. */
  | { readonly type: "loading"; readonly share: number }
  /** The first frame has gone out. */
  | { readonly type: "running" }
  /** Null: nothing came. */
  | { readonly type: "cost"; readonly cost: EffectCost | null }
  /** The device has ended, or nobody wants what is made of it any more. */
  | { readonly type: "ended" }
  /** The last one. */
  | { readonly type: "failed"; readonly why: EffectFault };
