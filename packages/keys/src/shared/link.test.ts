import { fromBase64url, toBase64url } from "@sealcast/bytes";
import { hkdf, random } from "@sealcast/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { laterFragment, newLink, parseLink } from "./link.ts";

test("a link carries a secret of 256 bits and a room of 128", async () => {
  const { room, secret } = await newLink(1);
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(room).toMatch(/^[A-Za-z0-9_-]{22}$/);
  const parsed = await parseLink(room, secret);
  expect(parsed.ok && parsed.secret.length).toBe(32);
});

test("the same secret names the same room, everywhere and always", async () => {
  const secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
  expect(await parseLink("EMrwcb6equ8U3pJx5rp1Mg", secret)).toMatchObject({ ok: true });
});

test("a room's name commits to its layers: the same secret admits to no other room", async () => {
  const [one, two] = [await newLink(1), await newLink(2)];
  expect(await parseLink(one.room, one.secret)).toMatchObject({ ok: true, layers: 1 });
  expect(await parseLink(two.room, two.secret)).toMatchObject({ ok: true, layers: 2 });
  const secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
  expect(await parseLink("EMrwcb6equ8U3pJx5rp1Mg", secret)).toMatchObject({ layers: 1 });
  expect(await parseLink("wdopRruKhGclyWFQVlVCBg", secret)).toMatchObject({ layers: 2 });
});

test("a damaged link is refused, whichever letter is wrong or missing", async () => {
  const { room, secret } = await newLink(1);
  for (let i = 0; i < secret.length; i += 1) {
    const other = secret[i] === "A" ? "B" : "A";
    expect(await parseLink(room, secret.slice(0, i) + other + secret.slice(i + 1))).toEqual({ ok: false });
    expect(await parseLink(room, secret.slice(0, i))).toEqual({ ok: false });
  }
  expect(await parseLink((await newLink(1)).room, secret)).toEqual({ ok: false });
});

test("any text is refused without a throw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string({ minLength: 40, maxLength: 44 }), async (room, fragment) => {
      expect(await parseLink(room, fragment)).toEqual({ ok: false });
    }),
  );
});

test("a later link admits to the same room with as many layers, and no letter of it can be another", async () => {
  const { room } = await newLink(2);
  const secret = random(32);
  for (const layers of [1, 2] as const) {
    const fragment = await laterFragment(room, layers, secret);
    expect(fragment).toMatch(/^[A-Za-z0-9_-]{64}$/);
    expect(await parseLink(room, fragment)).toEqual({ ok: true, secret, layers });
    expect(await parseLink((await newLink(2)).room, fragment)).toEqual({ ok: false });
    for (const i of [0, 42, 43, 63]) {
      const other = fragment[i] === "A" ? "B" : "A";
      expect(await parseLink(room, fragment.slice(0, i) + other + fragment.slice(i + 1))).toEqual({ ok: false });
    }
  }
});

test("a secret with less than the whole check, or with more, is no link", async () => {
  const { room, secret } = await newLink(1);
  const bytes = fromBase64url(secret) ?? new Uint8Array();
  const later = await laterFragment(room, 1, bytes);
  expect(await parseLink(room, later)).toMatchObject({ ok: true });
  for (const fragment of [
    later.slice(0, 63),
    `${later}A`,
    later.slice(0, 44),
    `${later}AA`,
    `${secret}A`,
    `${secret}=`,
  ])
    expect(await parseLink(room, fragment)).toEqual({ ok: false });
});

test("a secret that is too short to be one is no link, though the room is named after it", async () => {
  const short = random(16);
  const room = toBase64url(await hkdf(short, "room", 16));
  expect(await parseLink(room, toBase64url(short))).toEqual({ ok: false });
  expect(await parseLink(room, "")).toEqual({ ok: false });
});

test("a secret is the caller's own copy of 32 bytes", async () => {
  const { room, secret } = await newLink(1);
  const parsed = await parseLink(room, await laterFragment(room, 1, fromBase64url(secret) ?? new Uint8Array()));
  expect(parsed.ok && [parsed.secret.length, parsed.secret.buffer.byteLength]).toEqual([32, 32]);
});

test("a later link of a room of one layer and of two", async () => {
  const secret = Uint8Array.from({ length: 32 }, (_, i) => i);
  const fragments = await Promise.all(([1, 2] as const).map((layers) => laterFragment("A".repeat(22), layers, secret)));
  expect(fragments).toEqual([
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh-jY_epL-kMnNQEw8AnESGA",
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8KHnoKqGaWGoe_cN9ff8EQ",
  ]);
});
