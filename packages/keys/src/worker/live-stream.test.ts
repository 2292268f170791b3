import { AES_256_GCM_SHA512_128, deriveFrameKey, random } from "@sealcast/crypto";
import { expect, test } from "vitest";
import { LiveStream, rotationKeys, signingContext } from "./live-stream.ts";

const resume = { id: random(16), secret: random(32) };

/** Tells one base key from another. */
async function salt({ baseKey }: { baseKey: CryptoKey }): Promise<string> {
  return String((await deriveFrameKey(AES_256_GCM_SHA512_128, baseKey, 1n)).salt);
}

test("what is granted gives the keys that the host seals under", async () => {
  const stream = await LiveStream.begin();
  const keys = await stream.keys();
  expect(keys).toMatchObject({ epoch: stream.rotation, leaf: 0, outerKey: null });
  const { stream: id, rotation, streamKey, resume: granted, signingKey } = stream.grant(resume);
  expect(await salt(await rotationKeys(id, rotation, streamKey))).toBe(await salt(keys));
  expect([id, granted, signingKey.length]).toEqual([stream.id, resume, 32]);
});

test("no two streams, rotations or keys give the same", async () => {
  const [id, key] = [random(16), random(32)];
  const keys = [
    rotationKeys(id, 1, key),
    rotationKeys(id, 2, key),
    rotationKeys(random(16), 1, key),
    rotationKeys(id, 1, random(32)),
  ];
  const salts = await Promise.all(keys.map(async (each) => salt(await each)));
  expect(new Set(salts).size).toBe(4);
});

test("a rotation has the next number and a fresh key; what was handed out before is not touched", async () => {
  const stream = await LiveStream.begin();
  const [{ rotation }, before] = [stream, stream.key];
  const copy = before.slice();
  stream.rotate();
  expect(stream.rotation).toBe(rotation + 1);
  expect([before, stream.key.length]).toEqual([copy, 32]);
  expect(stream.key).not.toEqual(before);
});

test("streams start at any rotation that has one after it in 32 bits, and have another id each", async () => {
  const streams = await Promise.all(Array.from({ length: 24 }, () => LiveStream.begin()));
  const rotations = streams.map(({ rotation }) => rotation);
  expect(rotations.every((rotation) => rotation >= 0 && rotation < 2 ** 31)).toBe(true);
  expect(rotations.some((rotation) => rotation >= 2 ** 24)).toBe(true);
  expect(new Set(rotations).size).toBe(24);
  expect(new Set(streams.map(({ id }) => String(id))).size).toBe(24);
});

test("floors are those of the present rotation's numbers, and another rotation has none yet", async () => {
  const stream = await LiveStream.begin();
  const [now, other] = [stream.rotation % 16, (stream.rotation + 1) % 16].map((slot) => ({
    kid: (5n << 10n) | BigInt(slot),
    highest: 40,
  })) as [{ kid: bigint; highest: number }, { kid: bigint; highest: number }];
  expect(stream.grant(resume).floors).toEqual([]);
  stream.sealed([now, other]);
  expect(stream.grant(resume).floors).toEqual([now]);
  stream.rotate();
  expect(stream.grant(resume).floors).toEqual([]);
});

test("frames of a stream are signed for its room and its id", () => {
  expect(signingContext("room", Uint8Array.of(1, 255))).toBe("live room 01ff");
});
