import fc from "fast-check";
import { expect, test } from "vitest";
import { newLink, parseLink } from "./link.ts";

test("a link carries a secret of 256 bits and a room of 128", async () => {
  const { room, secret } = await newLink();
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(room).toMatch(/^[A-Za-z0-9_-]{22}$/);
  const parsed = await parseLink(room, secret);
  expect(parsed.ok && parsed.secret.length).toBe(32);
});

test("the same secret names the same room, everywhere and always", async () => {
  const secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
  expect(await parseLink("EMrwcb6equ8U3pJx5rp1Mg", secret)).toMatchObject({ ok: true });
});

test("a damaged link is refused, whichever letter is wrong or missing", async () => {
  const { room, secret } = await newLink();
  for (let i = 0; i < secret.length; i += 1) {
    const other = secret[i] === "A" ? "B" : "A";
    expect(await parseLink(room, secret.slice(0, i) + other + secret.slice(i + 1))).toEqual({ ok: false });
    expect(await parseLink(room, secret.slice(0, i))).toEqual({ ok: false });
  }
  expect(await parseLink((await newLink()).room, secret)).toEqual({ ok: false });
});

test("any text is refused without a throw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string({ minLength: 40, maxLength: 44 }), async (room, fragment) => {
      expect(await parseLink(room, fragment)).toEqual({ ok: false });
    }),
  );
});
