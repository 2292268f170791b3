/** Longest wait before the first reconnect; the longest of the next is twice that, and so on up to the last. */
const FIRST_MS = 500;
const LAST_MS = 15_000;

/**
 * Milliseconds before a socket is tried, after this many tries since the server last let this client in. Any time up to
 * a limit that doubles ("full jitter"): a server that comes back is met by a few at a time.
 */
export function retryDelay(tries: number): number {
  if (tries === 0) return 0;
  return Math.random() * Math.min(LAST_MS, FIRST_MS * 2 ** (tries - 1));
}
