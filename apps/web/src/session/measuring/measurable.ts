import type { MediaPool } from "@sealcast/media";
import type { Clock } from "@sealcast/time";
import type { Encryption } from "../audit/encryption-audit.ts";
import type { TimedLink, Timing } from "./timing.ts";

/** What a call or stream lets be measured. */
export interface Measurable {
  readonly clock: Clock;
  readonly pool: MediaPool;
  readonly timing: Timing;
  /** Who is connected now. */
  peers(): readonly TimedLink[];
  encryption(): Encryption;
}
