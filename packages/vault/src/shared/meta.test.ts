import { concat, u32, utf8 } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VaultError } from "./error.ts";
import { encodeMeta, type Meta, parseMeta, titled } from "./meta.ts";
import { jpegOf } from "./thumbnail.cases.ts";

const META: Meta = {
  facts: { kind: "video/mp4", people: ["Ann", "بِن"], created: 1_800_000_000_000, seconds: 12.5 },
  notes: {
    title: "A call",
    signature: { signer: new Uint8Array(32).fill(1), value: new Uint8Array(64).fill(2) },
    resealing: false,
    shared: [{ name: "Ben", recipient: "age1pq1x" }],
  },
  thumbnail: jpegOf(160, 90),
  digests: new Uint8Array(64).fill(4),
};

const TWO_HEADERS = 'video/mp4; codecs="x"\r\nX: y';

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
    ["a time beyond a year", { facts: { ...META.facts, seconds: 366 * 24 * 3_600 + 1 } }],
    ["a date that no calendar has", { facts: { ...META.facts, created: 8.64e15 + 1 } }],
    ["a date between two", { facts: { ...META.facts, created: 1.5 } }],
    ["facts that it does not know", { facts: { ...META.facts, more: 1 } }],
    ["notes that it does not know", { notes: { ...META.notes, more: 1 } }],
    ["a date before all", { facts: { ...META.facts, created: -1 } }],
    ["a page as their kind", { facts: { ...META.facts, kind: "text/html" } }],
    ["an image that may hold a script as their kind", { facts: { ...META.facts, kind: "image/svg+xml" } }],
    ["another header in their kind", { facts: { ...META.facts, kind: TWO_HEADERS } }],
    ["a name of something else as their kind", { facts: { ...META.facts, kind: "constructor" } }],
    ["a thumbnail that takes a gigabyte to show", { thumbnail: jpegOf(16_383, 16_383) }],
    ["a recipient too many", { notes: { ...META.notes, shared: Array(101).fill(META.notes.shared[0]) } }],
    [
      "a key that is too short",
      { notes: { ...META.notes, signature: { signer: new Uint8Array(31), value: new Uint8Array(64) } } },
    ],
    [
      "a signature that is too short",
      { notes: { ...META.notes, signature: { signer: new Uint8Array(32), value: new Uint8Array(63) } } },
    ],
    ["a thumbnail too large", { thumbnail: concat(jpegOf(160, 90), new Uint8Array(64 * 1024)) }],
  ])("with %s are refused", (_, change) => {
    expect(() => parseMeta(encodeMeta({ ...META, ...change }))).toThrow(VaultError);
  });

  it.each(["video/mp4", 'video/mp4; codecs="avc1.64001f,opus"', 'audio/mp4;codecs="opus"', "application/octet-stream"])(
    "may say that the file is %s",
    (kind) => expect(parseMeta(encodeMeta({ ...META, facts: { ...META.facts, kind } })).meta.facts.kind).toBe(kind),
  );

  it("have no thumbnail where there is none", () => {
    expect(parseMeta(encodeMeta({ ...META, thumbnail: new Uint8Array() })).meta.thumbnail).toHaveLength(0);
  });

  it.each([
    ["a title\nin two lines\x1b[2K", "a titlein two lines[2K"],
    ["\u202Egpj.exe\u2069", "gpj.exe"],
    ["\u200B \u2060", "Untitled"],
    ["", "Untitled"],
    ["فیلم\u200cها 👩\u200d💻", "فیلم\u200cها 👩\u200d💻"],
  ])("have a title to see, in one line, that turns nothing round: %j", (title, shown) => {
    expect(parseMeta(encodeMeta({ ...META, notes: { ...META.notes, title } })).meta.notes.title).toBe(shown);
    expect(titled(title)).toBe(shown);
  });

  it("have a title of 200 characters at most", () => expect(titled("x".repeat(300))).toHaveLength(200));

  it("with text that is none are refused", () => {
    const encoded = encodeMeta(META);
    expect(() => parseMeta(encoded.with(new TextDecoder("latin1").decode(encoded).indexOf("Ann"), 0xff))).toThrow(
      VaultError,
    );
  });

  it("with a length that is beyond all bounds are refused before anything is made of it", () => {
    expect(() => parseMeta(concat(u32(0xffff_ffff), utf8("{}")))).toThrow(VaultError);
  });
});
