import { concat, toBase64url, u64, utf8 } from "@sealcast/bytes";
import { random, sealWithSecret } from "@sealcast/crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOffered, offerKnockKey } from "../mls/knock-key.ts";
import { mlsSuite } from "../mls/suite.ts";
import { openAnswer, openKnock, sealAnswer, sealKnock, unwrapKnock } from "./knock.ts";

const link = random(32);
const [ROOM, OTHER_ROOM] = ["AAAAAAAAAAAAAAAAAAAAAA", "BAAAAAAAAAAAAAAAAAAAAA"];
const [at, elsewhere] = ["A".repeat(43), "E".repeat(43)];
const suite = await mlsSuite();
const externalSecret = random(64);
const place = { room: ROOM, at };
const offer = await offerKnockKey(externalSecret, place, [link], suite);
const words = Uint8Array.of(1, 2, 3);

async function knock(keyPackage = words): Promise<Uint8Array> {
  const context = { ...place, link, suite, seconds: 1000n };
  return (await sealKnock(context, offer.key, keyPackage)) ?? expect.unreachable();
}

/** What a member reads who has this, and for the rest what the knocker has. */
async function read(
  sealed: Uint8Array,
  has: { link?: Uint8Array; room?: string; at?: string; secret?: Uint8Array } = {},
) {
  const { room = ROOM, secret = externalSecret } = has;
  const inside = await unwrapKnock({ room, link: has.link ?? link, seconds: 1000n }, sealed);
  return inside && openKnock({ room, at: has.at ?? at, suite }, secret, inside);
}

describe("a knock", () => {
  test("opens with the link and in the epoch that it is for, in its room", async () => {
    const sealed = await knock();
    expect(await read(sealed)).toEqual(words);
    expect(await read(sealed, { link: random(32) })).toBeNull();
    expect(await read(sealed, { room: OTHER_ROOM })).toBeNull();
    expect(await read(sealed, { at: elsewhere })).toBeNull();
    expect(await read(sealed, { secret: random(64) }), "with the link alone").toBeNull();
  });

  test("opens for two minutes and the skew of a clock", async () => {
    const sealed = await knock();
    const unwrap = (seconds: bigint) => unwrapKnock({ room: ROOM, link, seconds }, sealed);
    for (const now of [880n, 1000n, 1240n]) expect(await unwrap(now)).not.toBeNull();
    for (const now of [879n, 1241n]) expect(await unwrap(now)).toBeNull();
  });

  test("of any bytes is refused without a throw, under the link or not", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
        expect(await read(bytes)).toBeNull();
        expect(await read(await sealWithSecret(link, "knock", utf8(ROOM), concat(u64(1000n), bytes)))).toBeNull();
      }),
    );
  });

  test("that ends before its expiry is refused", async () => {
    expect(await read(await sealWithSecret(link, "knock", utf8(ROOM), new Uint8Array(7)))).toBeNull();
  });

  test("is read up to 8 KiB", async () => {
    const rest = 8 * 1024 - (await knock(new Uint8Array())).length;
    const [largest, larger] = [await knock(new Uint8Array(rest)), await knock(new Uint8Array(rest + 1))];
    expect(largest).toHaveLength(8 * 1024);
    expect(await read(largest)).toHaveLength(rest);
    expect(await read(larger)).toBeNull();
  });

  test("to a key that is none cannot be made", async () => {
    for (const key of ["?", "", toBase64url(random(1215)), toBase64url(new Uint8Array(1216).fill(255))])
      expect(await sealKnock({ ...place, link, suite, seconds: 0n }, key, words)).toBeNull();
  });
});

describe("a knock key", () => {
  test("is of 1,216 bytes and the same for all who are in its epoch", async () => {
    const again = await offerKnockKey(externalSecret, place, [random(32), link], suite);
    expect([again.key, again.key.length, again.tags.length]).toEqual([offer.key, 1622, 2]);
    expect(again.tags[1]).toBe(offer.tags[0]);
  });

  test("is believed under its tag's link, for its epoch and room, and no other key is", async () => {
    const another = await offerKnockKey(random(64), place, [random(32)], suite);
    expect(await isOffered(offer, place, link)).toBe(true);
    expect(await isOffered({ ...offer, tags: [...another.tags, ...offer.tags] }, place, link)).toBe(true);
    expect(await isOffered(offer, place, random(32))).toBe(false);
    expect(await isOffered(offer, { room: ROOM, at: elsewhere }, link)).toBe(false);
    expect(await isOffered(offer, { room: OTHER_ROOM, at }, link)).toBe(false);
    expect(await isOffered({ ...offer, key: another.key }, place, link)).toBe(false);
  });
});

describe("an answer", () => {
  test("is for one knock; one that says anything else is none", async () => {
    const leafKey = random(32);
    for (const answer of ["waiting", "turned-away", { link: random(40) }] as const) {
      const sealed = await sealAnswer(link, ROOM, leafKey, answer);
      expect(await openAnswer(link, ROOM, leafKey, sealed)).toEqual(answer);
      expect(await openAnswer(random(32), ROOM, leafKey, sealed)).toBeNull();
      expect(await openAnswer(link, ROOM, random(32), sealed)).toBeNull();
    }
    for (const said of [[], [0], [4], [1, 1], [2, 0]]) {
      const sealed = await sealWithSecret(link, "answer", concat(utf8(ROOM), leafKey), Uint8Array.from(said));
      expect(await openAnswer(link, ROOM, leafKey, sealed)).toBeNull();
    }
  });

  test("that is too large is none", async () => {
    expect(await openAnswer(link, ROOM, random(32), new Uint8Array(9000))).toBeNull();
  });
});
