export { atMostEvery } from "./at-most-every.ts";
export { type Cancel, type Clock, systemClock } from "./clock.ts";
export { DriftingClock } from "./drifting-clock.ts";
export { dropOldest } from "./drop-oldest.ts";
export { every } from "./every.ts";
export { ManualClock } from "./manual-clock.ts";
export { SerialQueue } from "./serial-queue.ts";
export { type Rate, TokenBucket } from "./token-bucket.ts";
export { type Milli, milli } from "./units.ts";
