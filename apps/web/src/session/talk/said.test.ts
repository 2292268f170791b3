import { expect, it } from "vitest";
import { shownText } from "./said.ts";

it.each([
  ["what people write", "Grüße, 你好 👩‍👩‍👧 – e\u0301\n\tand more", "Grüße, 你好 👩‍👩‍👧 – é\n\tand more"],
  ["control characters", "a\u0000b\u0007c\u001b[31md\u009be", "abc[31mde"],
  ["line ends of all kinds", "a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne"],
  ["turned directions", "\u202egnp.exe\u202c \u2067a\u2069 \u2066b", "gnp.exe a b"],
  ["marks of direction, which people need", "\u200fשלום\u200e", "\u200fשלום\u200e"],
  ["a tower of marks", `a${"\u0336".repeat(400)}b`, `a${"\u0336".repeat(4)}b`],
  ["rows of empty lines", `a${"\n".repeat(400)}b`, "a\n\nb"],
  ["halves of letters", "a\ud800b", "a\ufffdb"],
  ["white space alone", " \n\t\u00a0 ", ""],
  ["what nobody sees", "\u200b\u2060\u00ad\ufeff", ""],
])("shows %s", (_, raw, shown) => {
  expect(shownText(raw)).toBe(shown);
});
