import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase64url, fromHex, toBase64url, toHex } from "./index.ts";

describe("hex", () => {
  test("agrees with Node and reads back", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString("hex"));
        expect(fromHex(toHex(bytes))).toEqual(bytes);
      }),
    );
  });

  test.each(["0", "0g", "AB", " 00", "0x00", "é0"])("%j is refused", (text) => {
    expect(fromHex(text)).toBeNull();
  });
});

describe("base64url", () => {
  test("agrees with Node and reads back", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(toBase64url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
        expect(fromBase64url(toBase64url(bytes))).toEqual(bytes);
      }),
    );
  });

  test("accepts nothing but what toBase64url writes", () => {
    const letter = fc.constantFrom(..."AQgwZz09-_+/=");
    fc.assert(
      fc.property(fc.string({ unit: letter, maxLength: 6 }), (text) => {
        const bytes = fromBase64url(text);
        const canonical = Buffer.from(text, "base64url").toString("base64url") === text;
        expect(bytes !== null).toBe(canonical);
        if (bytes !== null) expect(toBase64url(bytes)).toBe(text);
      }),
    );
  });

  test.each(["A", "AAAAA", "AB", "AAB", "AA==", "+A", "/A", "A A", "AA\n", "é"])("%j is refused", (text) => {
    expect(fromBase64url(text)).toBeNull();
  });
});
