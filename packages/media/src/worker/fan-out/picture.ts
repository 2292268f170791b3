/** One frame of a picture, sealed once for every link. Nobody changes `data`: who sends it sends a copy. */
export interface SealedPicture {
  readonly data: ArrayBuffer;
  readonly mimeType: string;
  readonly isKey: boolean;
  /** Temporal layer: 0 needs none but 0; nothing needs a frame of the highest. */
  readonly layer: number;
  /** When its encoder gave it, on performance.now()'s clock. */
  readonly since: number;
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
