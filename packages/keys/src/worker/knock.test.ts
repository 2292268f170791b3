import { concat, utf8 } from "@sealcast/bytes";
import { random, sealWithSecret } from "@sealcast/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openAnswer, openKnock, sealAnswer, sealKnock } from "./knock.ts";

const secret = random(32);
const ROOM = "AAAAAAAAAAAAAAAAAAAAAA";

test("opens with the link, in its room, for two minutes and the skew of a clock", async () => {
  const knock = await sealKnock(secret, ROOM, 1000n, Uint8Array.of(1, 2, 3));
  for (const now of [880n, 1000n, 1240n])
    expect(await openKnock(secret, ROOM, now, knock)).toEqual(Uint8Array.of(1, 2, 3));
  for (const now of [879n, 1241n]) expect(await openKnock(secret, ROOM, now, knock)).toBeNull();
  expect(await openKnock(random(32), ROOM, 1000n, knock)).toBeNull();
  expect(await openKnock(secret, "BAAAAAAAAAAAAAAAAAAAAA", 1000n, knock)).toBeNull();
});

test("one that is larger than any key package is not even opened", async () => {
  const knock = await sealKnock(secret, ROOM, 1000n, new Uint8Array(9000));
  expect(await openKnock(secret, ROOM, 1000n, knock)).toBeNull();
});

test("any bytes are refused without a throw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
      expect(await openKnock(secret, ROOM, 1000n, bytes)).toBeNull();
    }),
  );
});

test("one that ends before its key package is refused, and an empty one is not", async () => {
  const short = await sealWithSecret(secret, "knock", utf8(ROOM), new Uint8Array(7));
  expect(await openKnock(secret, ROOM, 0n, short)).toBeNull();
  expect(await openKnock(secret, ROOM, 1000n, await sealKnock(secret, ROOM, 1000n, new Uint8Array()))).toEqual(
    new Uint8Array(),
  );
});

test("is read up to 8 KiB", async () => {
  const largest = await sealKnock(secret, ROOM, 1000n, new Uint8Array(8 * 1024 - 12 - 16 - 8));
  expect(largest).toHaveLength(8 * 1024);
  expect(await openKnock(secret, ROOM, 1000n, largest)).not.toBeNull();
  const larger = await sealKnock(secret, ROOM, 1000n, new Uint8Array(8 * 1024 - 12 - 16 - 7));
  expect(await openKnock(secret, ROOM, 1000n, larger)).toBeNull();
});

test("an answer is for one knock; one that says anything else is none", async () => {
  const leafKey = random(32);
  for (const answer of ["waiting", "turned-away", { link: random(40) }] as const) {
    const sealed = await sealAnswer(secret, ROOM, leafKey, answer);
    expect(await openAnswer(secret, ROOM, leafKey, sealed)).toEqual(answer);
    expect(await openAnswer(random(32), ROOM, leafKey, sealed)).toBeNull();
    expect(await openAnswer(secret, ROOM, random(32), sealed)).toBeNull();
  }
  for (const said of [[], [0], [4], [1, 1], [2, 0]]) {
    const sealed = await sealWithSecret(secret, "answer", concat(utf8(ROOM), leafKey), Uint8Array.from(said));
    expect(await openAnswer(secret, ROOM, leafKey, sealed)).toBeNull();
  }
});

test("an answer that is too large is none", async () => {
  expect(await openAnswer(secret, ROOM, random(32), new Uint8Array(9000))).toBeNull();
});
