import fc from "fast-check";
import { expect, test } from "vitest";
import { areNamesakes } from "./namesakes.ts";

test.each([
  ["Bob", "bob"],
  ["Bob", " B o b "],
  ["Bob", "Bo\u200bb"],
  ["Bob", "Bo\u00adb"],
  ["Bob", "B\u2060ob"],
  ["Bob", "\u202eBob\u202c"],
  ["Bob", "\u2067Bob\u2069"],
  ["Bob", "Bo\u034fb"],
  ["Bob", "B\u043eb"],
  ["Bob", "\u0412\u043eb"],
  ["Bob", "\u0412\u041e\u0412"],
  ["Bob", "\uff22ob"],
  ["Bob", "\u{1d401}ob"],
  ["Bob", "B0b"],
  ["Bill", "BiII"],
  ["Bill", "Bi11"],
  ["ALICE", "aIice"],
  ["Tom", "Torn"],
  ["Zo\u00eb", "Zoe\u0308"],
  ["\u0412\u0430\u043d\u044f", "\u0412\u0410\u041d\u042f"],
  ["\u039d\u03af\u03ba\u03bf\u03c2", "\u039d\u038a\u039a\u039f\u03a3"],
])("%s and %s can be taken for one name", (one, other) => {
  expect(areNamesakes(one, other)).toBe(true);
  expect(areNamesakes(other, one)).toBe(true);
});

test.each([
  ["Bob", "Rob"],
  ["Ann", "Anna"],
  ["Ann", "Ben"],
  ["Ian", "Jan"],
  ["\u5f20", "\u738b"],
  ["", ""],
  ["\u200b", " "],
])("%j and %j cannot", (one, other) => {
  expect(areNamesakes(one, other)).toBe(false);
});

const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const invisible = fc.constantFrom("\u200b", "\u00ad", "\u2060", "\u202e", "\u2066", "\u3164", "\ufe0f", " ", "\n");

test("a name stays its namesake in capitals or with invisible characters and spaces anywhere", () => {
  fc.assert(
    fc.property(name, fc.array(fc.tuple(fc.nat(12), invisible), { maxLength: 6 }), (name, added) => {
      fc.pre(areNamesakes(name, name));
      let other = name;
      for (const [at, sign] of added) {
        const letters = [...other];
        other = [...letters.slice(0, at), sign, ...letters.slice(at)].join("");
      }
      expect(areNamesakes(name, other)).toBe(true);
    }),
  );
});
