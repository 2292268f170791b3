import { type Milli, milli } from "@sealcast/time";

/** Longest wait before the first reconnect; the longest of the next is twice that, and so on up to the last. */
const FIRST = milli(500);
const LAST = milli(15_000);

/**
 * How long to wait before a socket is tried, after this many tries since the server last let this client in. Any time up to
 * a limit that doubles ("full jitter"): a server that comes back is met by a few at a time.
 */
export function retryDelay(tries: number): Milli {
  if (tries === 0) return milli(0);
  return milli(Math.random() * Math.min(LAST, FIRST * 2 ** (tries - 1)));
}
