export { type Cancel, type Clock, systemClock } from "./clock.ts";
export { ManualClock } from "./manual-clock.ts";
export { type Micro, type Milli, micro, milli, toMicro, toMilli } from "./units.ts";
