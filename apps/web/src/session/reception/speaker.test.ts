import fc from "fast-check";
import { expect, test } from "vitest";
import { dominantSpeaker, isSpeaking, nextLevels, type VoiceLevels } from "./speaker.ts";

const QUIET = -80;
const SPEECH = -25;

/** Who has the floor after each step; a line a person, a letter a step: "." silence, "s" speech, "L" louder speech. */
function floor(lines: Record<string, string>, first: string | null = null): (string | null)[] {
  const heard = new Map<string, VoiceLevels>(Object.keys(lines).map((id) => [id, []]));
  const steps = Math.max(...Object.values(lines).map(({ length }) => length));
  let current = first;
  return Array.from({ length: steps }, (_, step) => {
    for (const [id, line] of Object.entries(lines)) {
      const level = { ".": QUIET, s: SPEECH, L: SPEECH + 12 }[line[step] ?? "."] ?? QUIET;
      heard.set(id, nextLevels(heard.get(id) ?? [], level));
    }
    current = dominantSpeaker(current, heard);
    return current;
  });
}

test("who speaks for a second and a half has the floor, and keeps it in silence", () => {
  expect(floor({ ada: "sss......", ben: "........." })).toEqual([null, null, ...Array(7).fill("ada")]);
});

test("a cough and a short yes change nothing", () => {
  expect(new Set(floor({ ada: "ssssssssssss", ben: "..LL.....LL." }, "ada"))).toEqual(new Set(["ada"]));
  expect(new Set(floor({ ada: "............", ben: "...LL......." }, "ada"))).toEqual(new Set(["ada"]));
});

test("the floor passes once who had it is silent and another speaks", () => {
  expect(floor({ ada: "ssss......", ben: "....ssssss" }, "ada")).toEqual([
    ...Array(7).fill("ada"),
    ...Array(3).fill("ben"),
  ]);
});

test("of two who speak at once the first keeps it, unless the other is clearly louder all along", () => {
  expect(floor({ ada: "ssssssss", ben: "ssssssss" }, "ada").at(-1)).toBe("ada");
  expect(floor({ ada: "ssssssss", ben: "LLLLLLLL" }, "ada").at(-1)).toBe("ben");
});

test("who leaves takes the floor along", () => {
  expect(dominantSpeaker("gone", new Map([["ada", [QUIET]]]))).toBe(null);
  expect(dominantSpeaker("gone", new Map([["ada", [SPEECH, SPEECH, SPEECH]]]))).toBe("ada");
  expect(dominantSpeaker("gone", new Map())).toBe(null);
});

test("nobody gets the floor who has not spoken for most of the window", () => {
  const line = fc.array(fc.constantFrom(".", "s", "L"), { minLength: 30, maxLength: 30 }).map((line) => line.join(""));
  fc.assert(
    fc.property(line, line, line, (ada, ben, cleo) => {
      const lines: Record<string, string> = { ada, ben, cleo };
      const had = floor(lines);
      for (const [step, id] of had.entries()) {
        if (id === null || id === (had[step - 1] ?? null)) continue;
        const before = (lines[id] ?? "").slice(Math.max(0, step - 3), step + 1);
        expect(before.replaceAll(".", "").length).toBeGreaterThanOrEqual(3);
      }
    }),
  );
});

test("speaking lasts over the pause between two words, and no longer", () => {
  expect(isSpeaking([SPEECH, QUIET])).toBe(true);
  expect(isSpeaking([SPEECH, QUIET, QUIET])).toBe(false);
  expect(isSpeaking([])).toBe(false);
});
