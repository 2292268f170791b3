import { expect, it } from "vitest";
import { piecesOf } from "./links.ts";

/** Links in brackets, with where they lead where that is written otherwise. */
function shown(text: string): string {
  return piecesOf(text)
    .map(({ text: piece, href }) => (href === null ? piece : href === piece ? `[${piece}]` : `[${piece} -> ${href}]`))
    .join("");
}

it.each([
  ["no link here", "no link here"],
  ["see https://example.org/a?b=c#d.", "see [https://example.org/a?b=c#d]."],
  ["http://example.org", "[http://example.org -> http://example.org/]"],
  [
    "(https://example.org/x) and https://example.org/y_(z)!",
    "([https://example.org/x]) and [https://example.org/y_(z)]!",
  ],
  ["two: https://a.example/, https://b.example/\nnext", "two: [https://a.example/], [https://b.example/]\nnext"],
  ["“https://example.org/”", "“[https://example.org/]”"],
  [
    "javascript:alert(1) data:text/html,x file:///etc/passwd",
    "javascript:alert(1) data:text/html,x file:///etc/passwd",
  ],
  ["xhttps://", "xhttps://"],
  ["https://", "https://"],
  ["https://paypal.com@evil.example/", "https://paypal.com@evil.example/"],
  ["https://раураl.example/", "[https://xn--l-7sba6dbr.example/]"],
  ["https://example.org/مرحبا", "[https://example.org/%D9%85%D8%B1%D8%AD%D8%A8%D8%A7]"],
  ["https://example.org/\u200fmoc.elgoog", "[https://example.org/%E2%80%8Fmoc.elgoog]"],
  ['https://example.org/"><img src=x>', '[https://example.org/]"><img src=x>'],
])("%s", (text, pieces) => {
  expect(shown(text)).toBe(pieces);
});

it("is quick on a text that is all links, or nearly one", () => {
  expect(piecesOf("https://a.example/ ".repeat(200)).length).toBe(400);
  expect(
    piecesOf("https://".repeat(500))
      .map(({ text }) => text)
      .join(""),
  ).toBe("https://".repeat(500));
  expect(piecesOf(`https://example.org/${")".repeat(3_900)}`)[0]?.href).toBe("https://example.org/");
});
