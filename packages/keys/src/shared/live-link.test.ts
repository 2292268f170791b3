import { fromBase64url, toBase64url } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hostFingerprint, liveFragment, liveRoomOf, parseLiveLink } from "./live-link.ts";

async function newLive() {
  const link = { secret: random(32), host: await hostFingerprint(random(32)) };
  const room = await liveRoomOf(toBase64url(random(32)));
  return { link, room, fragment: await liveFragment(room, link) };
}

const DAMAGED = { ok: false, why: "damaged" };

test("a link carries a secret of 256 bits, a fingerprint of 128 and a check that binds both to the room", async () => {
  const { link, room, fragment } = await newLive();
  expect(room).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(fragment).toMatch(/^[A-Za-z0-9_-]{86}$/);
  expect(await parseLiveLink(room, fragment)).toEqual({ ok: true, ...link });
  expect(await parseLiveLink((await newLive()).room, fragment)).toEqual(DAMAGED);
});

test("the same keys name the same room and make the same link, everywhere and always", async () => {
  const bytes = (from: number) => Uint8Array.from({ length: 32 }, (_, i) => from + i);
  const link = { secret: bytes(0), host: await hostFingerprint(bytes(32)) };
  expect(toBase64url(link.host)).toBe("7zyumax0mpN-Ohwi5rXMoA");
  const room = await liveRoomOf(toBase64url(bytes(64)));
  expect(room).toBe("3nvT1BCjD6VqESbrJDt73A");
  expect((await liveFragment(room, link)).slice(64)).toBe("3Qps2iAKwZxi9VzgrQDpcQ");
});

test("a damaged link is refused, whichever letter is wrong or missing: the secret's, the fingerprint's, the check's", async () => {
  const { room, fragment } = await newLive();
  for (let i = 0; i < fragment.length; i += 1) {
    const other = fragment[i] === "A" ? "B" : "A";
    expect(await parseLiveLink(room, fragment.slice(0, i) + other + fragment.slice(i + 1))).toEqual(DAMAGED);
    if (i !== 64) expect(await parseLiveLink(room, fragment.slice(0, i))).toEqual(DAMAGED);
  }
});

test("the fingerprint of another host, or another host's link, is refused", async () => {
  const [one, other] = [await newLive(), await newLive()];
  expect(await parseLiveLink(one.room, other.fragment)).toEqual(DAMAGED);
  const bytes = fromBase64url(one.fragment);
  bytes?.set(other.link.host, 32);
  expect(await parseLiveLink(one.room, toBase64url(bytes ?? new Uint8Array()))).toEqual(DAMAGED);
});

test("a link without a check, as links once were, is outdated", async () => {
  const { room, fragment } = await newLive();
  expect(await parseLiveLink(room, fragment.slice(0, 64))).toEqual({ ok: false, why: "outdated" });
});

test("any text is refused without a throw", async () => {
  const letters = fc.stringMatching(/^[A-Za-z0-9_-]{64}$|^[A-Za-z0-9_-]{86}$/);
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.oneof(letters, fc.string()), async (room, fragment) => {
      expect((await parseLiveLink(room, fragment)).ok).toBe(false);
    }),
  );
});
