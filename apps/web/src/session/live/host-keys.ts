import type { LiveHostKeys } from "@sealcast/keys";

/** Says something to the stream's keys worker, once there is one. */
export type PostToHostKeys = LiveHostKeys["post"];
