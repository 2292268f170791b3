import fc from "fast-check";
import { expect, test } from "vitest";
import { isLeafName } from "../worker/identity/leaf-name.ts";
import { leafName, ownLine, shownLine, shownName } from "./names.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        ...[
          " ",
          "\n",
          "\u2028",
          "\u202e",
          "\u200b",
          "\u0301",
          "\u2800",
          "\u3164",
          "\ufffc",
          "\ufe0f",
          "A",
          "\u{1f469}",
        ],
      ),
      { maxLength: 300 },
    )
    .map((signs) => signs.join("")),
);
const lengthOf = (name: string) => [...new Intl.Segmenter().segment(name)].length;
const bytesOf = (name: string) => new TextEncoder().encode(name).length;

test.each([
  ["Ann", "Ann"],
  ["  Ann \t van\u00a0\u2003Dam\n", "Ann van Dam"],
  ["A\u202en\u200bn\u0007", "Ann"],
  ["Ann\u2028\u2029Dam", "Ann Dam"],
  ["Zoe\u0308", "Zo\u00eb"],
  ["\u200b\u2060 \u00ad", ""],
  ["\u2800Ann\u3164\u{1d159}Lee\ufffc\u{16fe4}\ufffe\u2800", "Ann Lee"],
  ["\u115f\u1160\uffa0\u{13441}\u{13442}", ""],
  ["\ufe0f \u034f", ""],
  ["\u2764\ufe0f", "\u2764\ufe0f"],
  ["", ""],
  ["x".repeat(41), `${"x".repeat(40)}\u2026`],
  ["x".repeat(40), "x".repeat(40)],
  [`A${"\u0336".repeat(60)}`, `A${"\u0336".repeat(4)}`],
])("%j is shown as %j", (raw, shown) => {
  expect(shownName(raw)).toBe(shown);
});

test("what is shown is one line of at most 40 graphemes and an ellipsis, with nothing that is not seen", () => {
  fc.assert(
    fc.property(text, (raw) => {
      const shown = shownName(raw);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2800\u3164\ufffc]|^\s|\s$|\s\s|^\p{DI}+$/u);
      expect(shown).toBe(shown.normalize("NFC"));
      expect(lengthOf(shown)).toBeLessThanOrEqual(41);
    }),
  );
});

test("a name for a leaf fits into one, whatever was typed, and is shown as it is", () => {
  fc.assert(
    fc.property(text, (typed) => {
      const name = leafName(typed);
      expect(name === null).toBe(shownName(typed) === "");
      if (name === null) return;
      expect(isLeafName(name), JSON.stringify(name)).toBe(true);
      expect(bytesOf(name)).toBeLessThanOrEqual(128);
      expect(lengthOf(name)).toBeLessThanOrEqual(40);
      expect(shownName(name)).toBe(name);
    }),
  );
});

test("a name of 10,000 signs is cut between letters", () => {
  expect(leafName("\u{1f469}\u{1f3fd}".repeat(10_000))).toBe("\u{1f469}\u{1f3fd}".repeat(16));
  expect(leafName("a".repeat(10_000))).toBe("a".repeat(40));
});

test("a line of one's own is what others are shown of it, within its bytes", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 400 }), (typed, letters, bytes) => {
      const line = ownLine(typed, letters, bytes);
      expect(lengthOf(line)).toBeLessThanOrEqual(letters);
      expect(bytesOf(line)).toBeLessThanOrEqual(bytes);
      expect(shownLine(line, letters)).toBe(line);
    }),
  );
  expect(shownLine("a b\u202ec", 2)).toBe("a…");
  expect(ownLine("\u{e0080}a", 1, 400)).toBe("");
});
