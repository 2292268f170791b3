import { expect, test } from "vitest";
import { type Pin, standing } from "./pins.ts";

const [ONE, TWO, THREE] = ["1", "2", "3"].map((digit) => digit.repeat(64)) as [string, string, string];
const ada = (identity: string, verified: boolean): Pin => ({ identity, name: "Ada", verified });

test("a key that was verified is verified, whatever its owner is called now", () => {
  expect(standing([ada(ONE, true)], { identity: ONE, name: "Ada" })).toBe("verified");
  expect(standing([ada(ONE, true)], { identity: ONE, name: "Countess" })).toBe("verified");
});

test("a first meeting is no alarm", () => {
  expect(standing([], { identity: ONE, name: "Ada" })).toBe("known");
  expect(standing([ada(ONE, true)], { identity: TWO, name: "Ben" })).toBe("known");
});

test("a known name with another key is: most of all when the name was verified", () => {
  expect(standing([ada(ONE, false)], { identity: TWO, name: "Ada" })).toBe("other");
  expect(standing([ada(ONE, true)], { identity: TWO, name: "Ada" })).toBe("changed");
  expect(standing([ada(ONE, false), ada(TWO, true)], { identity: THREE, name: "Ada" })).toBe("changed");
});

test("a name that only looks the same is the same", () => {
  for (const name of ["ada", " A da ", "\uff21da"])
    expect(standing([ada(ONE, true)], { identity: TWO, name })).toBe("changed");
});

test("two people of one name, both met before, are both known", () => {
  const pins = [ada(ONE, true), ada(TWO, false)];
  expect(standing(pins, { identity: TWO, name: "Ada" })).toBe("known");
});
