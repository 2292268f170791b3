import type { Milli } from "@sealcast/time";

/** A frame sealed once for every link. `data` is shared: each link sends a copy. */
export interface SealedFrame {
  readonly data: ArrayBuffer;
  readonly mimeType: string;
  readonly isKey: boolean;
  /** Temporal layer: 0 needs none but 0; nothing needs a frame of the highest. */
  readonly layer: number;
  /** When its encoder gave it. */
  readonly since: Milli;
  /** When the camera's frame came to that encoder, on the same clock; NaN where that is not known. */
  readonly encoding: Milli;
  /** How it began before it was sealed; empty unless per-frame timing is on. */
  readonly clear: Uint8Array;
  readonly epoch: number;
  readonly overhead: number;
  /** Its policy left it out: authenticated only. */
  readonly readable: boolean;
}

/** What a link's own encoder made of a stand-in. */
export interface StandIn {
  readonly isKey: boolean;
  readonly mimeType: string | undefined;
}
