import { concat, equal, toHex, utf8 } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Batch, encodeBatch, packKid, parseSignedBatch, SOURCES, signedMessage, streamOf } from "./index.ts";

const numRuns = Number(process.env.FUZZ_RUNS ?? 300);
const SIGNATURE = new Uint8Array(64).fill(7);
const HIGHEST = Number.MAX_SAFE_INTEGER;

const kidFields = fc.record({
  instance: fc.nat(2 ** 31 - 1),
  source: fc.constantFrom(...SOURCES),
  sealed: fc.constant(true),
  leaf: fc.nat(63),
  epoch: fc.oneof(fc.nat(40), fc.bigInt(0n, 2n ** 53n - 2n).map(Number)),
});
const digest = fc.uint8Array({ minLength: 16, maxLength: 16 });
const batches: fc.Arbitrary<Batch> = fc
  .tuple(kidFields, fc.nat(2 ** 31 - 1), fc.oneof(fc.nat(9), fc.nat(2 ** 31 - 1)), fc.array(digest, { maxLength: 64 }))
  .map(([fields, number, first, digests]) => ({
    kid: packKid(fields),
    epoch: fields.epoch,
    number: digests.length === 0 ? 0xffff_ffff : number,
    first,
    digests,
  }));

function soundBatch(change: Partial<Batch> = {}): Batch {
  const kid = packKid({ instance: 2, source: "camera", sealed: true, leaf: 0, epoch: 19 });
  return { kid, epoch: 19, number: 5, first: 300, digests: [new Uint8Array(16).fill(1)], ...change };
}

describe("a batch", () => {
  test("comes back as it was, with what is signed and the signature", () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const body = encodeBatch(batch);
        const parsed = parseSignedBatch(concat(body, SIGNATURE));
        expect(parsed).toEqual({ batch, body, signature: SIGNATURE });
      }),
      { numRuns: Math.min(numRuns, 5_000) },
    );
  });

  test("of other bytes is refused, or is the one batch that these bytes are", () => {
    const edits = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 3 });
    fc.assert(
      fc.property(batches, edits, fc.nat(40), fc.uint8Array({ maxLength: 40 }), (batch, list, cut, more) => {
        const bytes = concat(encodeBatch(batch), SIGNATURE);
        for (const [at, byte] of list) bytes[at % bytes.length] = byte;
        for (const any of [bytes, bytes.subarray(0, bytes.length - cut), concat(bytes, more), more]) {
          const parsed = parseSignedBatch(any);
          if (parsed === null) continue;
          const again = concat(encodeBatch(parsed.batch), parsed.signature);
          if (!equal(again, any)) throw new Error(`does not hold: the same bytes again of ${toHex(any)}`);
        }
      }),
      { numRuns },
    );
  });

  test.each<[string, Partial<Batch>]>([
    ["a KID of readable frames", { kid: packKid({ ...fieldsOf(), sealed: false }) }],
    ["another epoch than its KID's", { epoch: 20 }],
    ["an epoch that no number holds", { kid: packKid({ ...fieldsOf(), epoch: 4 }), epoch: 2 ** 53 + 4 }],
    ["a counter that no sender reaches", { first: 2 ** 53 }],
    ["counters that run beyond what a sender reaches", { first: HIGHEST }],
    ["more digests than a packet holds", { digests: Array(65).fill(new Uint8Array(16)) }],
    ["a digest too short", { digests: [new Uint8Array(15)] }],
    ["no digest and not the last number", { digests: [] }],
    ["the last number and a digest", { number: 0xffff_ffff }],
  ])("with %s is not made", (_, change) => {
    expect(() => encodeBatch(soundBatch(change))).toThrow(RangeError);
  });

  test.each<[string, number, number[]]>([
    ["of another version", 0, [2]],
    ["with a KID of readable frames", 1, [0, 0, 0, 0, 0, 0, 0x48, 0x03]],
    ["of another epoch than its KID's", 16, [20]],
    ["of an epoch that no number holds", 8, [4, 0, 0x20, 0, 0, 0, 0, 0, 4]],
    ["of counters that no sender reaches", 21, [0, 0x20, 0, 0, 0, 0, 0, 0]],
    ["of counters that run beyond what a sender reaches", 21, [0, 0x1f, 255, 255, 255, 255, 255, 255]],
    ["with the last number and a digest", 17, [255, 255, 255, 255]],
  ])("%s is refused", (_, at, bytes) => {
    const good = concat(encodeBatch(soundBatch()), SIGNATURE);
    expect(parseSignedBatch(good)).not.toBeNull();
    good.set(bytes, at);
    expect(parseSignedBatch(good)).toBeNull();
  });

  test("of any length but whole digests, up to 64 of them, is refused", () => {
    const end = encodeBatch(soundBatch({ digests: [], number: 0xffff_ffff }));
    expect(parseSignedBatch(concat(end, SIGNATURE))?.batch.digests).toEqual([]);
    expect(parseSignedBatch(concat(end, SIGNATURE.subarray(1)))).toBeNull();
    const full = encodeBatch(soundBatch({ digests: Array(64).fill(new Uint8Array(16)) }));
    expect(parseSignedBatch(concat(full, SIGNATURE))?.batch.digests).toHaveLength(64);
    expect(parseSignedBatch(concat(full, new Uint8Array(16), SIGNATURE))).toBeNull();
    expect(parseSignedBatch(concat(full, new Uint8Array(1), SIGNATURE))).toBeNull();
    expect(parseSignedBatch(new Uint8Array())).toBeNull();
  });

  test("is as PROTOCOL.md has it", () => {
    const digests = [Uint8Array.from(Array(16).keys()), new Uint8Array(16).fill(255)];
    expect(toHex(encodeBatch(soundBatch({ digests })))).toBe(
      "01 0000000000004c03 0000000000000013 00000005 000000000000012c 000102030405060708090a0b0c0d0e0f ".replaceAll(
        " ",
        "",
      ) + "ff".repeat(16),
    );
  });
});

describe("what is signed", () => {
  test("is labelled, and tells one place from another", () => {
    const body = Uint8Array.of(1, 2);
    expect(signedMessage("é", body)).toEqual(
      concat(utf8("Sealcast frame signatures\0"), Uint8Array.of(0, 2), utf8("é"), body),
    );
    // Without its length, a context could take bytes of what follows it.
    expect(equal(signedMessage("a", Uint8Array.of(98)), signedMessage("ab", new Uint8Array()))).toBe(false);
  });
});

test("a stream is the same in every epoch, sealed and readable, and no other transform's, source's or leaf's", () => {
  const fields = fieldsOf();
  const stream = streamOf(packKid(fields));
  expect(streamOf(packKid({ ...fields, epoch: 4 }))).toBe(stream);
  expect(streamOf(packKid({ ...fields, sealed: false }))).toBe(stream);
  expect(streamOf(packKid({ ...fields, instance: 3 }))).not.toBe(stream);
  expect(streamOf(packKid({ ...fields, source: "microphone" }))).not.toBe(stream);
  expect(streamOf(packKid({ ...fields, leaf: 1 }))).not.toBe(stream);
});

function fieldsOf() {
  return { instance: 2, source: "camera", sealed: true, leaf: 0, epoch: 19 } as const;
}
