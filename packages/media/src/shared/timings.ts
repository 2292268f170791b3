import type { HistogramSnapshot } from "@sealcast/metrics";

/** Numbers of a frame in `TrackTimings.frames`. */
export const FRAME_TIMES = 5;

/** What one transform tells of its frames' times. Times are milliseconds on the computer's clock (Unix time). */
export interface TrackTimings {
  id: string;
  /** From a frame's coming to its leaving, microseconds, since the transform was set. */
  times: HistogramSnapshot;
  /**
   * The last frames that passed, the oldest first, `FRAME_TIMES` numbers each: RTP timestamp, or over relays the time by which its
   * host tells it from others (`PublishedFrame.timestampUs`); when it was captured, of sound that is sealed, or received, of frames
   * that are opened; when the frame came to the shared encoder, of carried ones; when it came to this worker; when it left it. NaN
   * where the browser does not tell. Empty where nobody had asked for timings before.
   */
  frames: Float64Array<ArrayBuffer>;
  /** The beginning of the last frame, in clear and on the wire. */
  sample: FrameSample | null;
}

export interface FrameSample {
  clear: Uint8Array;
  wire: Uint8Array;
  /** Bytes of the whole frame on the wire. */
  bytes: number;
}

/** What one media worker tells of its work. */
export interface WorkerTimings {
  tracks: TrackTimings[];
  /** Milliseconds in which at least one frame was being worked on, and milliseconds that it has lived. */
  busy: number;
  lived: number;
  /** How long frames waited before their work began, microseconds. */
  waits: HistogramSnapshot;
}

/** What an eavesdropper's port gets: a frame as it is on the wire. `data` is transferred. */
export interface Overheard {
  data: ArrayBuffer;
  isKey: boolean;
  mimeType: string;
  /** Bytes that sealing adds behind the ciphertext: how many is no secret. */
  tag: number;
}
