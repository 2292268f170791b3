import { AES_256_GCM_SHA512_128, deriveFrameKey, random } from "@sealcast/crypto";
import { expect, test } from "vitest";
import { LiveStream, rotationKeys, signingContext } from "./stream.ts";

const resume = { id: random(16), secret: random(32) };

/** Tells one base key from another. */
async function salt({ baseKey }: { baseKey: CryptoKey }): Promise<string> {
  return String((await deriveFrameKey(AES_256_GCM_SHA512_128, baseKey, 1n)).salt);
}

test("what is granted gives the keys that the host seals under", async () => {
  const stream = await LiveStream.begin();
  const keys = await stream.keys();
  expect(keys).toMatchObject({ epoch: stream.rotation, leaf: 0, outerKey: null });
  const { stream: id, signingKey } = stream.grant;
  const { rotation, streamKey, resume: granted, removal } = stream.keysFor(resume, true);
  expect(await salt(await rotationKeys(id, rotation, streamKey))).toBe(await salt(keys));
  expect([id, granted, removal, signingKey.length]).toEqual([stream.id, resume, true, 32]);
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

test("there are always four floors, under the present rotation's number, in whatever one they were sealed", async () => {
  const stream = await LiveStream.begin();
  const none = { kid: 0n, highest: 0 };
  const floors = () => stream.keysFor(resume, false).floors;
  expect(floors()).toEqual([none, none, none, none]);
  const kids = [5n, 6n, 7n, 8n, 9n].map((instance) => instance << 13n);
  stream.sealed(kids.slice(0, 2).map((kid, i) => ({ kid: kid | BigInt(i), highest: 40 + i })));
  for (const _ of [1, 2]) {
    const slot = BigInt(stream.rotation % 16);
    expect(floors()).toEqual([
      { kid: (5n << 13n) | slot, highest: 40 },
      { kid: (6n << 13n) | slot, highest: 41 },
      none,
      none,
    ]);
    stream.rotate();
  }
  stream.sealed(kids.map((kid) => ({ kid, highest: 50 })));
  expect(floors()).toHaveLength(4);
});

test("frames of a stream are signed for its room and its id", () => {
  expect(signingContext("room", Uint8Array.of(1, 255))).toBe("live room 01ff");
});
