import { expect, test } from "vitest";
import type { Pin } from "./pins.ts";
import { isVerified, type Present, type Trust, trustOf } from "./trust.ts";

const key = (digit: string) => digit.repeat(64);
const [ME, ONE, TWO, THREE] = [key("0"), key("1"), key("2"), key("3")];
const me: Present = { identity: ME, name: "Mia" };
const named = (identity: string, name: string): Present => ({ identity, name });
const met = (identity: string, name: string): Pin => ({ identity, name, verified: false });
const verified = (identity: string, name: string): Pin => ({ identity, name, verified: true });

function trust(person: Present, pins: Pin[], others: Present[] = []): Trust {
  return trustOf(person, pins, { me, others });
}

test("a first meeting is no alarm; a person who was met or verified is that", () => {
  const nothing = { pinnedName: null, namesake: null };
  expect(trust(named(ONE, "Ada"), [verified(TWO, "Ben")])).toEqual({ level: "stranger", ...nothing });
  expect(trust(named(ONE, "Ada"), [met(ONE, "ada")])).toEqual({ level: "known", ...nothing });
  expect(trust(named(ONE, "Ada"), [verified(ONE, "Ada")])).toEqual({ level: "verified", ...nothing });
  expect(trust(named(ME, "Mia"), [])).toEqual({ level: "own", ...nothing });
});

test("the name of a verified person is an alarm for a stranger, for a known key and for another verified one", () => {
  const namesake = { of: "verified", name: "Bob" };
  const bob = verified(ONE, "Bob");
  for (const name of ["Bob", "bob", "Bo\u200bb", "B\u043eb"]) {
    expect(trust(named(TWO, name), [bob]).namesake).toEqual(namesake);
    expect(trust(named(TWO, name), [bob, met(TWO, "Guest")]).namesake).toEqual(namesake);
    expect(trust(named(TWO, name), [bob, met(TWO, "Bob")]).namesake).toEqual(namesake);
    expect(trust(named(TWO, name), [bob, verified(TWO, "Victor")]).namesake).toEqual(namesake);
  }
});

test("both names of a verified person who has another one now are theirs", () => {
  const bob = verified(ONE, "Bob");
  const here = [named(ONE, "Robert")];
  for (const name of ["Bob", "Robert"])
    expect(trust(named(TWO, name), [bob], here).namesake).toEqual({ of: "verified", name: "Bob" });
});

test("a person under another name than this browser knows them by is not verified as that", () => {
  const victor = trust(named(ONE, "Bob"), [verified(ONE, "Victor")]);
  expect(victor).toEqual({ level: "verified", pinnedName: "Victor", namesake: null });
  expect(isVerified(victor)).toBe(false);
  expect(isVerified(trust(named(ONE, "Victor"), [verified(ONE, "Victor")]))).toBe(true);
  expect(trust(named(ONE, ""), [met(ONE, "Victor")]).pinnedName).toBe("Victor");
});

test("two people whom this person verified under one name are no alarm", () => {
  const pins = [verified(ONE, "Ann"), verified(TWO, "Ann")];
  expect(trust(named(TWO, "Ann"), pins, [named(ONE, "Ann")]).namesake).toBeNull();
});

test("another key under the name of a person who was met is no alarm, and none at all where that one is here, too", () => {
  const pins = [met(ONE, "Ann")];
  expect(trust(named(TWO, "Ann"), pins).namesake).toEqual({ of: "known", name: "Ann" });
  expect(trust(named(TWO, "Ann"), pins, [named(ONE, "Ann")]).namesake).toEqual({ of: "here", name: "Ann" });
  expect(trust(named(TWO, "Ann"), [...pins, met(TWO, "Ann")]).namesake).toBeNull();
  expect(trust(named(TWO, "Ann"), [...pins, met(TWO, "Guest")])).toEqual({
    level: "known",
    pinnedName: "Guest",
    namesake: { of: "known", name: "Ann" },
  });
});

test("one's own name on another key shows; a second tab of one's own browser is none", () => {
  expect(trust(named(THREE, "mia"), []).namesake).toEqual({ of: "own", name: "Mia" });
  expect(isVerified(trust(named(ME, "Mia"), []))).toBe(true);
});
