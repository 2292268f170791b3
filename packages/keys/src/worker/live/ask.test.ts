import { concat, utf8 } from "@sealcast/bytes";
import { openWithSecret, random, sealWithSecret } from "@sealcast/crypto";
import { expect, test } from "vitest";
import { hostFingerprint } from "../../shared/live-link.ts";
import { isCurrent } from "../expiry.ts";
import { newIdentity } from "../room/room.cases.ts";
import { type Ask, isAskOf, LINK_CLAIM, LIVE_TYPES, openWord, parseAsk, pskOf, sealAsk, sealWord } from "./ask.ts";

const room = "r".repeat(22);
const [secret, nonce, viewerKey] = [random(32), random(32), random(1216)];
const resume = { kind: "resume", resumeId: random(16) } as const;

test("what is asked is what the host reads, with a link or with a resume secret", async () => {
  for (const claim of [LINK_CLAIM, resume]) {
    const body = await sealAsk(secret, room, 1000n, { ...claim, nonce, viewerKey });
    expect(parseAsk(body)).toEqual({ ...claim, nonce, viewerKey, expiry: 1120n });
  }
});

test("an ask of another length, type or kind is none, nor is a link's with a resume id", async () => {
  const body = await sealAsk(secret, room, 1000n, { ...LINK_CLAIM, nonce, viewerKey });
  expect(parseAsk(body)).not.toBeNull();
  for (const wrong of [
    body.subarray(1),
    concat(body, new Uint8Array(1)),
    body.with(0, 2),
    body.with(1, 2),
    body.with(17, 1),
  ])
    expect(parseAsk(wrong)).toBeNull();
});

test("only the secret and the room that it was made with own it, and no altered byte", async () => {
  const body = await sealAsk(secret, room, 1000n, { ...LINK_CLAIM, nonce, viewerKey });
  expect(await isAskOf(secret, room, body)).toBe(true);
  expect(await isAskOf(random(32), room, body)).toBe(false);
  expect(await isAskOf(secret, "s".repeat(22), body)).toBe(false);
  for (const at of [0, 1, 2, 18, 26, 58, body.length - 65, body.length - 64, body.length - 1])
    expect(await isAskOf(secret, room, body.with(at, (body[at] ?? 0) ^ 1)), `${at}`).toBe(false);
});

test("it is current for its two minutes and two more, on either side of the clocks", () => {
  const ask = { expiry: 1000n } as Ask;
  expect([759n, 760n, 1000n, 1120n, 1121n].map((seconds) => isCurrent(ask.expiry, seconds))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
});

test("what an answer is sealed under names link or resume id, so that neither passes for the other", () => {
  const keys = [pskOf(LINK_CLAIM, secret), pskOf(resume, secret), pskOf({ ...resume, resumeId: random(16) }, secret)];
  expect(new Set(keys.map(({ id }) => String(id))).size).toBe(3);
  expect(keys[0]).toEqual({ id: utf8("Sealcast live link"), key: secret });
  expect(keys[1]).toEqual({ id: concat(utf8("Sealcast live resume"), resume.resumeId), key: secret });
});

const identity = await newIdentity();
const host = await hostFingerprint(identity.publicKey);
const on = { secret, room, nonce };

test("a word is for one ask, in one room, under its secret", async () => {
  for (const word of ["waiting", "turned-away"] as const) {
    const body = await sealWord(identity, on, word);
    expect(body).toHaveLength(1 + 12 + 97 + 16);
    expect(await openWord(host, on, body)).toBe(word);
    expect(await openWord(host, { ...on, secret: random(32) }, body)).toBeNull();
    expect(await openWord(host, { ...on, room: "s".repeat(22) }, body)).toBeNull();
    expect(await openWord(host, { ...on, nonce: random(32) }, body)).toBeNull();
    expect(await openWord(host, on, body.with(0, LIVE_TYPES.record))).toBeNull();
    expect(await openWord(host, on, new Uint8Array())).toBeNull();
  }
});

test("anyone who has the secret and is not the host says no word, nor turns one into the other", async () => {
  const other = await newIdentity();
  expect(await openWord(host, on, await sealWord(other, on, "turned-away"))).toBeNull();
  const posing = { publicKey: identity.publicKey, sign: other.sign };
  expect(await openWord(host, on, await sealWord(posing, on, "turned-away"))).toBeNull();
  const aad = concat(utf8(room), nonce);
  const waiting = await sealWord(identity, on, "waiting");
  const opened = (await openWithSecret(secret, "live word", aad, waiting.subarray(1))) ?? expect.unreachable();
  const sealed = async (plaintext: Uint8Array) =>
    concat(Uint8Array.of(LIVE_TYPES.word), await sealWithSecret(secret, "live word", aad, plaintext));
  expect(await openWord(host, on, await sealed(opened))).toBe("waiting");
  for (const wrong of [opened.with(0, 2), opened.with(0, 3), opened.subarray(0, 1), concat(opened, Uint8Array.of(0))])
    expect(await openWord(host, on, await sealed(wrong))).toBeNull();
});
