import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_MESSAGE, parseMessage } from "../call/message.ts";
import { toJson } from "../json.ts";
import { MAX_CAPTION, shownCaption } from "./caption.ts";

const parsed = (message: object) => parseMessage(toJson(message));

test("a caption has words, and no more than fit into one", () => {
  expect(parsed({ type: "caption", text: "x".repeat(MAX_CAPTION) })).not.toBeNull();
  for (const text of ["", "x".repeat(MAX_CAPTION + 1), "x".repeat(MAX_MESSAGE), 1, null, ["x"]])
    expect(parsed({ type: "caption", text })).toBeNull();
});

test("nothing else stands beside it: no speaker's name, no time", () => {
  expect(parsed({ type: "caption", text: "x", name: "Ben" })).toBeNull();
  expect(parsed({ type: "captioning", on: true, of: "Ben" })).toBeNull();
  expect(parsed({ type: "captioning", on: "yes" })).toBeNull();
});

test("however it is written, a caption shows as one line that stays in its place", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: MAX_CAPTION }), (text) => {
      const shown = shownCaption(text);
      expect(shown).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b]|\p{Mn}{5}/u);
      expect(shown.length).toBeLessThanOrEqual(3 * MAX_CAPTION);
      expect(shownCaption(shown)).toBe(shown);
    }),
    { numRuns: 30 },
  );
});
