/** One frame of a track as it goes to a relay: sealed. `startsGroup`: it can be opened and decoded without those before it. */
export interface PublishedFrame {
  readonly track: string;
  /** All of its buffer. Transferred between workers. */
  readonly data: Uint8Array<ArrayBuffer>;
  readonly startsGroup: boolean;
  /** When it came to the encoder, since 1970. */
  readonly timestampUs: number;
  /** When it was sealed, milliseconds on the computer's clock (Unix time). */
  readonly sealedAtMs: number;
}

/** What the relay's side says of a track: whether anyone watches it, or that nothing of it is there and a group is to start. */
export type PublishingWish =
  | { readonly type: "watched"; readonly track: string; readonly isWatched: boolean }
  | { readonly type: "starts"; readonly track: string };

/** One frame of a track that came over a relay, sealed or, behind the opener, opened. Groups rise, and each is in order. */
export interface RelayedFrame {
  /** Rises; what is missing was lost or late. */
  readonly group: number;
  /** In its group, from 0 in steps of 1: a frame that is missing ends its group. */
  readonly index: number;
  /** As the relay says. */
  readonly timestampUs: number;
  /** All of its buffer. Transferred between workers. */
  readonly data: Uint8Array<ArrayBuffer>;
}
