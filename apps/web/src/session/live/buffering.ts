/** How much is held back to play smoothly. */
export type Buffering = "lowest" | "smoothest";

/** Milliseconds that the browser is asked to hold back. */
export const BUFFER_MS: Record<Buffering, number> = { lowest: 0, smoothest: 1_000 };
