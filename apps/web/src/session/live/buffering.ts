import type { PlayerMode } from "@sealcast/player";
import { type Milli, milli } from "@sealcast/time";

/** How much is held back to play smoothly. */
export type Buffering = "lowest" | "smoothest";

/** How much the browser is asked to hold back. */
export const HELD_BACK: Record<Buffering, Milli> = { lowest: milli(0), smoothest: milli(1_000) };
/** The same of what comes over relays, which the page plays itself. */
export const MODES: Record<Buffering, PlayerMode> = { lowest: "lowest-latency", smoothest: "smoothest" };
