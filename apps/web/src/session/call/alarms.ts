import type { Alarm } from "@sealcast/keys";

/** What heartbeats tell of this call: a group that was split, or a change that does not come to someone (or here). */
export interface GroupAlarm {
  what: "forked" | "withheld" | "withheld-here";
  /** Whose it is; empty where it is about this person. */
  who: string;
}

/** Whom nothing is sent to, by leafKeyId: who is in another group, or says that they have a change and does not supply it. */
export function suspectsOf(alarms: readonly Alarm[]): ReadonlySet<string> {
  return new Set(alarms.flatMap(suspected));
}

function suspected(alarm: Alarm): string[] {
  if (alarm.what === "withheld-here") return alarm.ahead;
  return alarm.what === "forked" ? [alarm.leafKeyId] : [];
}
