import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Secret } from "./index.ts";

describe("Secret", () => {
  const bytes = () => Uint8Array.of(171, 205, 239);

  test("reveals its bytes", () => {
    expect(new Secret(bytes()).reveal()).toEqual(bytes());
  });

  test("shows itself nowhere", () => {
    const secret = new Secret(bytes());
    expect(`${secret}`).toBe("<redacted>");
    expect(JSON.stringify({ secret })).toBe('{"secret":"<redacted>"}');
    expect(inspect({ secret })).toBe("{ secret: <redacted> }");
    expect(inspect(secret, { customInspect: false, showHidden: true, depth: null })).not.toMatch(/171|205|239/);
    expect(structuredClone(secret)).toEqual({});
    expect(Reflect.ownKeys(secret)).toEqual([]);
  });

  test("erase overwrites the bytes and ends it", () => {
    const own = bytes();
    const secret = new Secret(own);
    secret.erase();
    secret.erase();
    expect(own).toEqual(new Uint8Array(3));
    expect(() => secret.reveal()).toThrow("erased");
  });
});
