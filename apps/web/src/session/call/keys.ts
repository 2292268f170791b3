import type { KeyAgreement } from "@sealcast/keys";

/** Says something to the call's keys worker, once there is one. */
export type PostToKeys = KeyAgreement["post"];
