import { MOST_SIZES } from "./encoding.ts";

/** What a stream's sound is called at a relay, and its picture in each size, the largest first. */
export const SOUND_TRACK = "audio";
export const PICTURE_TRACKS: readonly string[] = Array.from({ length: MOST_SIZES }, (_, tier) => `video${tier}`);

/** Of the two reports that tell of what is published, which are no transform's. */
export const PUBLISHED = { video: "published-video", audio: "published-audio" } as const;

/** One sealed frame for a relay. `startsGroup`: it can be opened and decoded without those before it. */
export interface PublishedFrame {
  readonly track: string;
  /** Transferred. */
  readonly data: Uint8Array<ArrayBuffer>;
  readonly startsGroup: boolean;
  /** When it came to the encoder, since 1970. */
  readonly timestampUs: number;
}

/** What the relay's side says of a track: whether anyone watches it, or that nothing of it is there and a group is to start. */
export type PublishingWish =
  | { readonly type: "watched"; readonly track: string; readonly isWatched: boolean }
  | { readonly type: "starts"; readonly track: string };

/** One frame of a track that came over a relay, sealed or, behind the opener, opened. Groups rise, and each is in order. */
export interface FrameFromRelay {
  readonly group: number;
  /** In its group, from 0 in steps of 1. */
  readonly index: number;
  /** As the relay says. */
  readonly timestampUs: number;
  /** All of its buffer. Transferred. */
  readonly data: Uint8Array<ArrayBuffer>;
}
