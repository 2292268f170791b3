import { expect, it } from "vitest";
import type { ChatLine } from "../../../session/talk/chat.ts";
import { transcriptOf } from "./transcript.ts";

const words = { you: "you", answers: (name: string) => `answers ${name}`, another: "someone else" };
const line = (key: string, name: string, text: string, more: Partial<ChatLine> = {}): ChatLine => ({
  ...{ key, name, text, mine: false, identity: name, isAnother: false, at: 0, reply: null, delivery: "done", also: [] },
  ...more,
});

it("is what was said, by whom and in answer to what", () => {
  const lines = [line("b 0", "Ben", "shall we?"), line("a 0", "Ada", "yes\nat ten", { mine: true, reply: "b 0" })];
  expect(transcriptOf(lines, () => "10:00", words)).toBe(
    "10:00  \u2068Ben\u2069\n    shall we?\n\n10:00  \u2068Ada\u2069 (you) (answers \u2068Ben\u2069)\n    yes\n    at ten\n",
  );
});

it("says who is not the person who wrote under a name before", () => {
  const saved = transcriptOf([line("e 0", "Ben", "so am I", { isAnother: true })], () => "10:00", words);
  expect(saved).toBe("10:00  \u2068Ben\u2069 (someone else)\n    so am I\n");
});

it("has nobody's words pass for another's", () => {
  const forged = transcriptOf([line("e 0", "Eve", "hi\n\n10:00  Ben\nI agree")], () => "10:00", words);
  expect(forged.split("\n").filter((one) => one.startsWith("10:00"))).toEqual(["10:00  \u2068Eve\u2069"]);
});
