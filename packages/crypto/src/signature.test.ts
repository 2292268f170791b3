import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";
import { frameDigest, newSigningKeys, sign, verify } from "./index.ts";

const message = Uint8Array.of(1, 2, 3);

test("a signature verifies under its key and over its message only", async () => {
  const [keys, others] = await Promise.all([newSigningKeys(), newSigningKeys()]);
  const signature = await sign(keys.privateKey, message);
  expect(await verify(keys.publicKey, message, signature)).toBe(true);
  expect(await verify(others.publicKey, message, signature)).toBe(false);
  expect(await verify(keys.publicKey, Uint8Array.of(1, 2), signature)).toBe(false);
  expect(await verify(keys.publicKey, message, signature.with(0, (signature[0] ?? 0) ^ 1))).toBe(false);
});

test("a signature of another length is none, whatever the browser would say", async () => {
  const { privateKey, publicKey } = await newSigningKeys();
  const signature = await sign(privateKey, message);
  expect(signature).toHaveLength(64);
  const lenient = vi.spyOn(crypto.subtle, "verify").mockResolvedValue(true);
  expect(await verify(publicKey, message, signature.subarray(1))).toBe(false);
  expect(await verify(publicKey, message, Uint8Array.of(...signature, 0))).toBe(false);
  lenient.mockRestore();
});

test("the private half cannot be read", async () => {
  const { privateKey } = await newSigningKeys();
  await expect(crypto.subtle.exportKey("pkcs8", privateKey)).rejects.toThrow();
});

test("a frame's digest is the first 16 bytes of SHA-256", async () => {
  const expected = createHash("sha256").update(message).digest().subarray(0, 16);
  expect(await frameDigest(message)).toEqual(new Uint8Array(expected));
});
