import type { Sighting } from "@sealcast/latency/figures";
import { STAND_IN_SIZE } from "@sealcast/media/stand-in";

/** How a host's picture is encoded: once for all viewers, or on each link by an encoder of its own. */
export type Way = "once" | "each";

/** What is read of a browser's records of the streams in its connections. */
export interface StreamRecord {
  readonly type: string;
  readonly kind?: string;
  readonly frameHeight?: number;
  readonly framesDecoded?: number;
  /** Milliseconds on the sender's clock: when what is now played or shown was taken. */
  readonly estimatedPlayoutTimestamp?: number;
}

/** How many links encode the picture themselves: of one that is encoded once, each encodes a stand-in alone. */
export function ownEncoders(records: readonly StreamRecord[]): number {
  const pictures = records.filter(({ type, kind }) => type === "outbound-rtp" && kind === "video");
  return pictures.filter(({ frameHeight = 0 }) => frameHeight > STAND_IN_SIZE).length;
}

/** By how many milliseconds what is shown was taken after what is played; nothing until both are known. */
export function aheadOfSound(records: readonly StreamRecord[]): number[] {
  const playing = (of: string) =>
    records.find(({ type, kind }) => type === "inbound-rtp" && kind === of)?.estimatedPlayoutTimestamp;
  const [picture, sound] = [playing("video"), playing("audio")];
  return picture === undefined || sound === undefined ? [] : [picture - sound];
}

/** The picture that comes in, as far as it was decoded; null before it does. */
export function decoded(records: readonly StreamRecord[]): { frames: number; height: number } | null {
  const picture = records.find(({ type, kind }) => type === "inbound-rtp" && kind === "video");
  if (picture?.framesDecoded === undefined) return null;
  return { frames: picture.framesDecoded, height: picture.frameHeight ?? 0 };
}

/** What the probe in a live host's page offers. */
export interface HostProbe {
  /** What was first copied. */
  copied(): Promise<string>;
  /** How many links encode the picture themselves: of one that is encoded once, each encodes a stand-in alone. */
  ownEncoders(): Promise<number>;
}

/** What the probe in a viewer's page offers. */
export interface ViewerProbe {
  /** Milliseconds from the opening of the page to its first picture of the stream. */
  firstPicture(): Promise<number>;
  /** Height of the video that is shown now. */
  height(): Promise<number>;
  /** From now on the stream is received, opened and decoded, and no longer drawn. */
  stopDrawing(): void;
  /** What is shown, or decoded where nothing is drawn, during this many milliseconds from now on. */
  watch(ms: number): Promise<Watched>;
}

export interface Watched {
  readonly pictures: readonly Sighting[];
  readonly fps: number;
  readonly height: number;
  /** How far the picture was ahead of the sound, in milliseconds of the host's clock, twice a second; negative: behind. */
  readonly ahead: readonly number[];
}
