import { fromBase64url, toBase64url } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hostFingerprint, liveFragment, liveRoomOf, parseLiveLink } from "./live-link.ts";

async function newLive() {
  const link = { secret: random(32), host: await hostFingerprint(random(32)) };
  const room = await liveRoomOf(link);
  return { link, room, fragment: await liveFragment(room, link) };
}

test("a link carries a secret of 256 bits and a fingerprint of 128, and names its room", async () => {
  const { link, room, fragment } = await newLive();
  expect(room).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(fragment).toMatch(/^[A-Za-z0-9_-]{64}$/);
  expect(await parseLiveLink(room, fragment)).toEqual({ ok: true, ...link });
});

test("the same secret and host name the same room, everywhere and always", async () => {
  const identity = Uint8Array.from({ length: 32 }, (_, i) => 32 + i);
  const link = { secret: Uint8Array.from({ length: 32 }, (_, i) => i), host: await hostFingerprint(identity) };
  expect(toBase64url(link.host)).toBe("7zyumax0mpN-Ohwi5rXMoA");
  expect(await liveRoomOf(link)).toBe("QC4EBt36htgAPAJtq-mDNQ");
});

test("a later link of the room is longer, and as much bound to room and host", async () => {
  const { link, room } = await newLive();
  const later = { ...link, secret: random(32) };
  const fragment = await liveFragment(room, later);
  expect(fragment).toHaveLength(86);
  expect(await parseLiveLink(room, fragment)).toEqual({ ok: true, ...later });
  expect(await parseLiveLink((await newLive()).room, fragment)).toEqual({ ok: false });
});

test("a damaged link is refused, whichever letter is wrong or missing: the secret's, the fingerprint's, the check's", async () => {
  const { link, room, fragment } = await newLive();
  const later = await liveFragment(room, { ...link, secret: random(32) });
  for (const whole of [fragment, later]) {
    for (let i = 0; i < whole.length; i += 1) {
      const other = whole[i] === "A" ? "B" : "A";
      expect(await parseLiveLink(room, whole.slice(0, i) + other + whole.slice(i + 1))).toEqual({ ok: false });
      expect(await parseLiveLink(room, whole.slice(0, i))).toEqual({ ok: false });
    }
  }
});

test("the fingerprint of another host, or another host's link, is refused", async () => {
  const [one, other] = [await newLive(), await newLive()];
  expect(await parseLiveLink(one.room, other.fragment)).toEqual({ ok: false });
  const bytes = fromBase64url(one.fragment);
  bytes?.set(other.link.host, 32);
  expect(await parseLiveLink(one.room, toBase64url(bytes ?? new Uint8Array()))).toEqual({ ok: false });
});

test("a link without its host, or with less of a secret, is none, though the room is named after it", async () => {
  const hostless = { secret: random(32), host: new Uint8Array() };
  expect(await parseLiveLink(await liveRoomOf(hostless), toBase64url(hostless.secret))).toEqual({ ok: false });
  const short = { secret: random(16), host: new Uint8Array() };
  expect(await parseLiveLink(await liveRoomOf(short), toBase64url(short.secret))).toEqual({ ok: false });
});

test("any text is refused without a throw", async () => {
  const letters = fc.stringMatching(/^[A-Za-z0-9_-]{64}$|^[A-Za-z0-9_-]{86}$/);
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.oneof(letters, fc.string()), async (room, fragment) => {
      expect(await parseLiveLink(room, fragment)).toEqual({ ok: false });
    }),
  );
});
