import { concat, u32, utf8 } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VaultError } from "./error.ts";
import { encodeMeta, type Meta, parseMeta } from "./meta.ts";

const META: Meta = {
  facts: { kind: "video/mp4", people: ["Ann", "بِن"], created: 1_800_000_000_000, seconds: 12.5 },
  notes: {
    title: "A call",
    signature: { signer: new Uint8Array(32).fill(1), value: new Uint8Array(64).fill(2) },
    resealing: false,
    shared: [{ name: "Ben", recipient: "age1pq1x" }],
  },
  thumbnail: Uint8Array.of(1, 2, 3),
  digests: new Uint8Array(64).fill(4),
};

describe("a file's details", () => {
  it("come back as they were, and the facts in the bytes that are signed", () => {
    const { meta, factsBytes } = parseMeta(encodeMeta(META));
    expect(meta).toEqual(META);
    expect(JSON.parse(new TextDecoder().decode(factsBytes))).toEqual(META.facts);
  });

  it("that are of any bytes are details or a VaultError", () => {
    const property = fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      expect(() => parseMeta(bytes)).toThrow(VaultError);
    });
    fc.assert(property);
  });

  it("with any byte changed are others, or a VaultError", () => {
    const encoded = encodeMeta(META);
    for (let at = 0; at < encoded.length; at++) {
      try {
        expect(parseMeta(encoded.with(at, (encoded[at] ?? 0) ^ 1)).meta).not.toEqual(META);
      } catch (error) {
        expect(error).toBeInstanceOf(VaultError);
      }
    }
  });

  it.each([
    ["a title too long", { notes: { ...META.notes, title: "x".repeat(201) } }],
    ["a person too many", { facts: { ...META.facts, people: Array.from({ length: 101 }, () => "x") } }],
    ["a time that is none", { facts: { ...META.facts, seconds: -1 } }],
    ["a thumbnail too large", { thumbnail: new Uint8Array(64 * 1024 + 1) }],
  ])("with %s are refused", (_, change) => {
    expect(() => parseMeta(encodeMeta({ ...META, ...change }))).toThrow(VaultError);
  });

  it("with a length that is beyond all bounds are refused before anything is made of it", () => {
    expect(() => parseMeta(concat(u32(0xffff_ffff), utf8("{}")))).toThrow(VaultError);
  });
});
