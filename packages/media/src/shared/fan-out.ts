import type { VideoSource } from "@sealcast/frame";
import { milli, type Rate } from "@sealcast/time";

/**
 * Key frames that one link has made, by whatever its other end does: everybody who gets that size gets them, too, and they
 * take from what is left for other frames. Others wait for their turn.
 */
export const KEY_FRAMES: Rate = { burst: 10, perSecond: 1 };

/** Between two key frames that are asked of one encoder: one serves everybody, and the answer takes a round trip. */
export const KEY_FRAME_GAP = milli(300);

/**
 * A picture that nobody at the other end has seen for this long pauses. Until then it is thin: who comes back to it after a glance
 * elsewhere finds it going.
 */
export const UNSEEN_FOR = milli(5_000);

/** What the page tells the fan-out of one source: encoded once, sealed once, sent to all links that it carries. */
export type FanOutOrder =
  /** Comes first, to each worker once. One sealer for each size: its number, never used before, and its first counter. */
  | { type: "start"; sealers: { instance: number; first: number }[]; signed: FanOutSigning | null }
  /**
   * The camera's or screen's frames, or null while it is off. Transferred. `standsStill`: frames may not come while nothing
   * moves, and the last one goes on being the picture. `isText`: it is to be read, rather than to move.
   */
  | { type: "show"; picture: ReadableStream<VideoFrame> | null; standsStill: boolean; isText: boolean }
  /** Lower case, as "video/vp8". */
  | { type: "encode-as"; mimeType: string }
  /** Most bits per second that a link is to carry, and a size that goes to relays. */
  | { type: "limit"; bitsPerSecond: number }
  /**
   * From now on, and again after a restart: what is written here, the link's own encoder encodes. Transferred. `id` is the sealing
   * transform's, `isNew`: that encoder has made nothing yet; `bitsPerSecond` the browser's estimate of the link, where it has
   * one, `shown` how large the other end shows the picture, where it has said so.
   */
  | {
      type: "carry";
      id: string;
      standIns: WritableStream<VideoFrame>;
      isNew: boolean;
      bitsPerSecond: number | null;
      shown: ShownSize | null;
    }
  | { type: "drop"; id: string }
  /** How large the other end shows the picture from now on. */
  | { type: "shown"; id: string; shown: ShownSize }
  /** How much the link carries now. */
  | { type: "estimate"; id: string; bitsPerSecond: number };

/** Pixels; none where nothing is shown. */
export interface Size {
  width: number;
  height: number;
}

/** Video enlarged by less than this looks the same. */
const ENLARGED = 1.1;

/** The index of the smallest size, of those from the largest on, that fills this many pixels without visible enlargement. */
export function smallestFor(sizes: readonly Size[], shown: Size): number {
  const fills = ({ width, height }: Size) => ENLARGED * width >= shown.width && ENLARGED * height >= shown.height;
  return Math.max(sizes.findLastIndex(fills), 0);
}

/** How large the other end shows a picture; 0 by 0: nobody sees it there. */
export interface ShownSize extends Size {
  /** It would rather have a smaller picture than fewer frames. */
  keepsRate: boolean;
}

/** Frames that go out are signed. */
export interface FanOutSigning {
  /** The track's transforms that died with their worker: what they did not sign is disowned. */
  ended: readonly number[];
}

/** What the fan-out wants of the page. */
export type FanOutWish =
  /** An estimate for every link. The worker keeps time, since a hidden page's timers are slow. */
  | { type: "estimates" }
  /** A batch of signatures, for everyone who gets the video. */
  | { type: "signed"; batch: Uint8Array }
  /** Its encoder failed: each link encodes for itself from now on. */
  | { type: "failed" };

/** One size that is encoded now. */
interface EncoderReport {
  width: number;
  height: number;
  /** Frames sealed so far, at every size that this encoder has had. */
  frames: number;
  /** Who gets them: links, by their transform. */
  links: string[];
  /** Frames that were not sealed, by reason. */
  refused: { why: string; count: number }[];
}

export interface FanOutReport {
  source: VideoSource;
  /** In which what is shown now, or was last, can be had, the largest first. None before there was something. */
  sizes: Size[];
  /** Those that run. */
  encoders: EncoderReport[];
  /** Frames sealed so far, by encoders that have stopped as well. */
  frames: number;
  /** Links, by their transform, that are too slow for any video now. */
  paused: string[];
}
