import fc from "fast-check";
import { expect, test } from "vitest";
import { newLink, parseLink } from "./link.ts";

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
