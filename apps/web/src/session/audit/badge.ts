import type { Encryption } from "./encryption-audit.ts";

/** What the badge says of a call. */
export type Badge = "failing" | "idle" | "in-part" | "verified" | "encrypted";

/** What it is about. */
export interface Judged {
  encryption: Pick<Encryption, "state" | "readable">;
  /** Of the group. */
  alarms: readonly unknown[];
  people: readonly { isVerified: boolean }[];
}

/** The worst that holds, and "verified" only where everybody else in the group is. */
export function badgeOf({ encryption, alarms, people }: Judged): Badge {
  if (encryption.state === "failing" || alarms.length > 0) return "failing";
  if (encryption.state === "idle") return "idle";
  if (encryption.readable.length > 0) return "in-part";
  return people.length > 0 && people.every(({ isVerified }) => isVerified) ? "verified" : "encrypted";
}
