import { expect, test } from "vitest";
import { badgeOf, type Judged } from "./badge.ts";
import { NO_FRAMES } from "./encryption-audit.ts";

const person = (isVerified: boolean) => ({ isVerified });
const encrypted = { ...NO_FRAMES, state: "encrypted" } as const;
const readable = [{ key: "k", who: "Ann", direction: "sent" }] as const;

function badge(differs: Partial<Judged>): string {
  return badgeOf({ encryption: encrypted, alarms: [], people: [person(true), person(true)], ...differs });
}

test("verified is said only where everybody else is, and someone is there", () => {
  expect(badge({})).toBe("verified");
  expect(badge({ people: [person(true), person(false)] })).toBe("encrypted");
  expect(badge({ people: [person(false), person(true)] })).toBe("encrypted");
  expect(badge({ people: [] })).toBe("encrypted");
});

test("what is readable, still or failing goes before it, and an alarm of the group before all", () => {
  const inPart = { ...encrypted, readable: [...readable] };
  expect(badge({ encryption: inPart })).toBe("in-part");
  expect(badge({ encryption: NO_FRAMES })).toBe("idle");
  expect(badge({ encryption: { ...inPart, state: "failing" } })).toBe("failing");
  for (const encryption of [encrypted, inPart, NO_FRAMES])
    expect(badge({ encryption, alarms: [{ what: "forked", who: "Ann" }] })).toBe("failing");
});
