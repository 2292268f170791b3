import type { Alarm } from "@sealcast/keys";

/** Whom nothing is sent to, by leafKeyId: who is in another group, or says that they have a change and does not supply it. */
export function suspectsOf(alarms: readonly Alarm[]): ReadonlySet<string> {
  return new Set(alarms.flatMap(suspected));
}

function suspected(alarm: Alarm): string[] {
  if (alarm.what === "withheld-here") return alarm.ahead;
  return alarm.what === "forked" ? [alarm.leafKeyId] : [];
}
