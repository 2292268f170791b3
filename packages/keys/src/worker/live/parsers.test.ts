import { random } from "@sealcast/crypto";
import { ManualClock } from "@sealcast/time";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hostFingerprint } from "../../shared/live-link.ts";
import { newIdentity } from "../room/room.cases.ts";
import { LiveAdmission } from "./admission.ts";
import { openAnswer } from "./answer.ts";
import { LINK_CLAIM, openWord, parseAsk, pskOf, sealAsk, sealWord } from "./ask.ts";
import { LiveChannel } from "./channel.ts";
import { newViewerKey } from "./hpke.ts";

const room = "r".repeat(22);
const secret = random(32);
const { publicKey, privateKey } = await newViewerKey();
const identity = await newIdentity();
const host = await hostFingerprint(identity.publicKey);
const nonce = random(32);

/** Anything, and what is nearly right: bytes of a real message with some replaced, or cut off. */
const near = (whole: Uint8Array) =>
  fc.oneof(
    fc.uint8Array({ maxLength: 2000 }),
    fc.nat(whole.length - 1).map((length) => whole.slice(0, length)),
    fc.tuple(fc.nat(whole.length - 1), fc.nat(254)).map(([at, by]) => {
      const bent = whole.slice();
      bent[at] = (bent[at] ?? 0) ^ (by + 1);
      return bent;
    }),
  );

test("no bytes make the parser of asks throw; what it reads is what was written", async () => {
  const ask = { ...LINK_CLAIM, nonce, viewerKey: publicKey };
  const whole = await sealAsk(secret, room, 1000n, ask);
  expect(parseAsk(whole)).toEqual({ ...ask, expiry: 1120n });
  fc.assert(
    fc.property(near(whole), (bytes) => void parseAsk(bytes)),
    { numRuns: 2000 },
  );
});

test("no bytes are taken for an answer or a word, and none throw", async () => {
  const asked = { room, nonce, viewerKey: publicKey, psk: pskOf(LINK_CLAIM, secret) };
  const word = await sealWord(identity, { secret, room, nonce }, "turned-away");
  expect(await openWord(host, { secret, room, nonce }, word)).toBe("turned-away");
  expect(await openWord(host, { secret, room, nonce: random(32) }, word)).toBeNull();
  const answer = Uint8Array.from({ length: 1281 }, (_, i) => (i === 0 ? 2 : i % 251));
  await fc.assert(
    fc.asyncProperty(near(word), near(answer), async (bytes, other) => {
      expect(await openWord(host, { secret, room, nonce }, bytes)).toBeNull();
      expect(await openAnswer(privateKey, host, asked, other)).toEqual({ ok: false, why: "invalid" });
    }),
    { numRuns: 100 },
  );
});

test("no bytes are taken for a record, and none throw", async () => {
  const [sealKey, openKey] = [random(32), random(32)];
  const deliver = (): never => expect.unreachable();
  const options = { clock: new ManualClock(), transmit: () => undefined, deliver };
  const channel = await LiveChannel.open({ ...options, sealKey, openKey });
  await fc.assert(
    fc.asyncProperty(near(Uint8Array.from({ length: 60 }, (_, i) => (i === 0 ? 3 : 0))), async (bytes) => {
      expect(await channel.receive(bytes)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("what a host keeps comes back as it was, and damaged it is refused or read, never thrown at", async () => {
  const admission = await LiveAdmission.create(host);
  admission.replaceLink();
  admission.remove("ab".repeat(16));
  const whole = admission.encode();
  const again = await LiveAdmission.parse(host, whole);
  expect(again?.encode()).toEqual(whole);
  expect(again?.isRemoved("ab".repeat(16))).toBe(true);
  fc.assert(
    fc.asyncProperty(near(whole), async (bytes) => void (await LiveAdmission.parse(host, bytes))),
    { numRuns: 2000 },
  );
});
