import type { Rate } from "@sealcast/time";

/** What the other end of a link may send, PROTOCOL.md section 9. What comes beyond costs that end its own connection. */
export const LINK_BUDGETS = {
  /** Later ones wait. */
  descriptions: { burst: 8, perSecond: 2 },
  /** Others are left out. */
  candidates: { burst: 96, perSecond: 8 },
  channelMessages: { burst: 512, perSecond: 100 },
  channelBytes: { burst: 4 * 1024 * 1024, perSecond: 256 * 1024 },
  /** Over the channel for files. Of parts, only those that were asked for may come. */
  fileWords: { burst: 256, perSecond: 50 },
} satisfies Record<string, Rate>;

/** Signals that wait for their turn: batches of candidates, and descriptions, which are larger, in their place. */
export const MOST_WAITING = 64;
export const DESCRIPTION_COUNTS = 8;

/** Why a connection was closed: its other end sends more than it may, or what no client of this version sends. */
export type Breach = "flood" | "malformed";
