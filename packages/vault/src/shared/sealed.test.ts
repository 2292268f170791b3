import { concat } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf } from "./age-file.ts";
import { VaultError } from "./error.ts";
import {
  CHUNK_BYTES,
  chunkNonce,
  FILE_KEY_BYTES,
  NONCE_BYTES,
  payloadBytes,
  payloadCipher,
  plaintextBytes,
  SEALED_CHUNK_BYTES,
} from "./payload.ts";
import { SealedReader } from "./sealed-reader.ts";
import { ChunkSealer, SealedWriter, storageFull } from "./sealed-writer.ts";

const RUNS = Number(process.env.FUZZ_SLOW_RUNS ?? 40);
const MOST = 4 * CHUNK_BYTES;
const key = random(FILE_KEY_BYTES);
const nonce = random(NONCE_BYTES);
/** Sizes around whole chunks are what goes wrong. */
const sizes = fc.oneof(
  fc.integer({ min: 0, max: MOST }),
  fc.constantFrom(0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, MOST),
);

function plain(bytes: number): Uint8Array {
  return new Uint8Array(bytes).map((_, i) => (i * 31 + (i >> 8)) & 255);
}

/** A file in memory; `room`: bytes after which there is none. */
class Disk {
  bytes: Uint8Array = nonce.slice();
  room: number = Number.POSITIVE_INFINITY;

  readonly put = (sealed: Uint8Array, at: number): void => {
    if (at + sealed.length > this.room) throw storageFull();
    const grown = new Uint8Array(Math.max(this.bytes.length, at + sealed.length));
    grown.set(this.bytes);
    grown.set(sealed, at);
    this.bytes = grown;
  };
}

async function writerTo(disk: Disk): Promise<SealedWriter> {
  return new SealedWriter(await payloadCipher(key, nonce), disk.put);
}

async function sealed(whole: Uint8Array, pieces: readonly number[] = []): Promise<Uint8Array> {
  const disk = new Disk();
  const writer = await writerTo(disk);
  let at = 0;
  for (const piece of [...pieces, whole.length]) {
    await writer.append(whole.subarray(at, at + piece));
    at = Math.min(at + piece, whole.length);
  }
  await writer.finish();
  return disk.bytes;
}

describe("a sealed file", () => {
  it("gives any part of what was appended in any pieces", async () => {
    const parts = fc.array(fc.integer({ min: 0, max: 2 * CHUNK_BYTES }), { maxLength: 5 });
    const ranges = fc.array(fc.tuple(fc.integer({ min: 0, max: MOST + 9 }), fc.integer({ min: 0, max: MOST })), {
      maxLength: 6,
    });
    const property = fc.asyncProperty(sizes, parts, ranges, async (size, pieces, asked) => {
      const whole = plain(size);
      const payload = await sealed(whole, pieces);
      expect(payload.length).toBe(payloadBytes(size));
      const reader = await SealedReader.open(bytesOf(payload), key);
      expect(reader.size).toBe(size);
      for (const [at, length] of asked)
        expect(Buffer.from(await reader.read(at, length)).equals(Buffer.from(whole.subarray(at, at + length)))).toBe(
          true,
        );
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  it("with a chunk that its key seals and its signer did not is closed there, and nowhere else", async () => {
    const [signed, other] = [plain(2 * CHUNK_BYTES + 5), plain(2 * CHUNK_BYTES + 5)];
    other[CHUNK_BYTES] = 1 + (other[CHUNK_BYTES] ?? 0);
    const disk = new Disk();
    const writer = await writerTo(disk);
    await writer.append(signed);
    const digests = await writer.finish();
    const reader = await SealedReader.open(bytesOf(await sealed(other)), key, { digests });
    await expect(reader.read(CHUNK_BYTES, 9)).rejects.toMatchObject({ code: "tampered" });
    expect(await reader.read(0, 9)).toEqual(signed.slice(0, 9));
    await expect(reader.read(0, signed.length)).rejects.toMatchObject({ code: "tampered" });
  });

  it("has nothing before its beginning, nor between bytes", async () => {
    const reader = await SealedReader.open(bytesOf(await sealed(plain(10))), key);
    for (const [at, length] of [
      [-1, 2],
      [0, -1],
      [0.5, 1],
      [0, Number.NaN],
    ] as const)
      await expect(reader.read(at, length)).rejects.toThrow(RangeError);
  });

  it("with a byte changed anywhere gives nothing of that chunk, and all of the others", async () => {
    const whole = plain(3 * CHUNK_BYTES + 100);
    const payload = await sealed(whole);
    const places = fc.integer({ min: NONCE_BYTES, max: payload.length - SEALED_CHUNK_BYTES });
    const property = fc.asyncProperty(places, async (at) => {
      const changed = payload.with(at, (payload[at] ?? 0) ^ 1);
      const chunk = Math.floor((at - NONCE_BYTES) / SEALED_CHUNK_BYTES);
      const reader = await SealedReader.open(bytesOf(changed), key);
      await expect(reader.read(chunk * CHUNK_BYTES, 1)).rejects.toMatchObject({
        code: "tampered",
        name: "TamperedError",
      });
      await expect(reader.read(0, whole.length)).rejects.toBeInstanceOf(VaultError);
      const other = ((chunk + 1) % 3) * CHUNK_BYTES;
      expect(await reader.read(other, 1)).toEqual(whole.subarray(other, other + 1));
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  it.each([
    ["cut off within a chunk", (bytes: Uint8Array) => bytes.slice(0, -1)],
    ["cut off between chunks", (bytes: Uint8Array) => bytes.slice(0, NONCE_BYTES + 2 * SEALED_CHUNK_BYTES)],
    ["extended", (bytes: Uint8Array) => concat(bytes, new Uint8Array(20))],
    ["without a chunk", (bytes: Uint8Array) => bytes.slice(0, NONCE_BYTES)],
    ["of nothing", () => new Uint8Array()],
    ["under another nonce", (bytes: Uint8Array) => bytes.with(0, (bytes[0] ?? 0) ^ 1)],
  ])("%s does not open", async (_, edit) => {
    const payload = edit(await sealed(plain(3 * CHUNK_BYTES + 100)));
    await expect(SealedReader.open(bytesOf(payload), key)).rejects.toMatchObject({ code: "tampered" });
  });

  it("that is not finished gives its whole chunks, and no more", async () => {
    const disk = new Disk();
    const writer = await writerTo(disk);
    const whole = plain(2 * CHUNK_BYTES + 500);
    await writer.append(whole);
    expect([writer.chunks, writer.tail.length]).toEqual([2, 500]);
    const reader = await SealedReader.openUnfinished(bytesOf(disk.bytes), key);
    expect(reader.size).toBe(2 * CHUNK_BYTES);
    expect(await reader.read(CHUNK_BYTES, CHUNK_BYTES)).toEqual(whole.subarray(CHUNK_BYTES, 2 * CHUNK_BYTES));
    await expect(SealedReader.open(bytesOf(disk.bytes), key)).rejects.toMatchObject({ code: "tampered" });
  });
});

describe("a chunk's index", () => {
  it("is sealed once under a key, whatever is in it", async () => {
    const sealer = new ChunkSealer(await payloadCipher(key, nonce));
    await sealer.seal(3, false, plain(CHUNK_BYTES));
    expect(() => sealer.seal(3, false, plain(CHUNK_BYTES))).toThrow("before");
    expect(() => sealer.seal(3, true, plain(1))).toThrow("before");
    await sealer.seal(4, true, plain(1));
  });

  it("is of a whole chunk, but for the last", async () => {
    const sealer = new ChunkSealer(await payloadCipher(key, nonce));
    expect(() => sealer.seal(0, false, plain(CHUNK_BYTES - 1))).toThrow(RangeError);
    expect(() => sealer.seal(0, true, plain(CHUNK_BYTES + 1))).toThrow(RangeError);
  });

  it("stands in the nonce with what says whether it is the last", () => {
    expect([...chunkNonce(0, false)]).toEqual(Array(12).fill(0));
    expect([...chunkNonce(2 ** 32 + 258, true)]).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 1]);
    for (const index of [-1, 0.5, 2 ** 53]) expect(() => chunkNonce(index, false)).toThrow(RangeError);
  });
});

describe("storage that is full", () => {
  it("loses nothing that was written, and the file ends with what fits", async () => {
    const disk = new Disk();
    const writer = await writerTo(disk);
    const whole = plain(6 * CHUNK_BYTES);
    disk.room = NONCE_BYTES + 2 * SEALED_CHUNK_BYTES + 1000;
    await expect(writer.append(whole)).rejects.toMatchObject({ code: "storage-full", name: "StorageFullError" });
    await expect(writer.append(plain(1))).rejects.toMatchObject({ code: "storage-full" });
    disk.room += 2 * SEALED_CHUNK_BYTES;
    await writer.finish();
    const reader = await SealedReader.open(bytesOf(disk.bytes), key);
    expect(reader.size).toBe(4 * CHUNK_BYTES);
    expect(await reader.read(0, reader.size)).toEqual(whole.subarray(0, reader.size));
  });
});

it("a length that no payload has is none", () => {
  for (const bytes of [0, 15, 16, 31, NONCE_BYTES + SEALED_CHUNK_BYTES + 16]) expect(plaintextBytes(bytes)).toBeNull();
  const property = fc.property(
    fc.integer({ min: 0, max: 2 ** 40 }),
    (size) => plaintextBytes(payloadBytes(size)) === size,
  );
  fc.assert(property);
});
