import { utf8 } from "@sealcast/bytes";
import { describe, expect, test, vi } from "vitest";
import {
  AES_128_GCM_SHA256_128,
  AES_256_GCM_SHA512_128,
  deriveFrameKey,
  hkdf,
  importBaseKey,
  open,
  openWithSecret,
  random,
  seal,
  sealWithSecret,
} from "./index.ts";

const AAD = utf8("header and metadata");
const PLAINTEXT = utf8("a frame");
const MAX = 2n ** 64n - 1n;

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
}

function frames(): void {
  const frameKey = async (kid = 7n, suite = AES_256_GCM_SHA512_128, baseKey = new Uint8Array(32)) =>
    deriveFrameKey(suite, await importBaseKey(baseKey), kid);

  test.each([0n, 1n, 2n ** 32n, 2n ** 53n + 1n, MAX])("counter %s opens what it sealed", async (counter) => {
    const key = await frameKey();
    const sealed = new Uint8Array(await seal(key, counter, AAD, PLAINTEXT));
    expect(sealed.length).toBe(PLAINTEXT.length + 16);
    const opened = await open(key, counter, AAD, sealed);
    expect(opened).toEqual(PLAINTEXT);
    expect(opened?.buffer.byteLength).toBe(PLAINTEXT.length);
  });

  test("an empty frame is a tag", async () => {
    const key = await frameKey();
    const sealed = new Uint8Array(await seal(key, 0n, AAD, new Uint8Array()));
    expect(sealed.length).toBe(16);
    expect(await open(key, 0n, AAD, sealed)).toEqual(new Uint8Array());
  });

  test("every flipped bit of the ciphertext, the tag and the aad is noticed", async () => {
    const key = await frameKey();
    const sealed = new Uint8Array(await seal(key, 5n, AAD, PLAINTEXT));
    for (let bit = 0; bit < sealed.length * 8; bit++) expect(await open(key, 5n, AAD, flipped(sealed, bit))).toBeNull();
    for (let bit = 0; bit < AAD.length * 8; bit++) expect(await open(key, 5n, flipped(AAD, bit), sealed)).toBeNull();
  });

  test("another counter, KID, suite or base key opens nothing", async () => {
    const key = await frameKey();
    const sealed = new Uint8Array(await seal(key, 5n, AAD, PLAINTEXT));
    for (const counter of [0n, 4n, 5n + 2n ** 32n, 5n + 2n ** 63n])
      expect(await open(key, counter, AAD, sealed)).toBeNull();
    for (const other of [
      await frameKey(8n),
      await frameKey(7n + 2n ** 32n),
      await frameKey(7n, AES_128_GCM_SHA256_128),
      await frameKey(7n, AES_256_GCM_SHA512_128, new Uint8Array(32).fill(1)),
    ])
      expect(await open(other, 5n, AAD, sealed)).toBeNull();
  });

  test("too few bytes to hold a tag open to null", async () => {
    const key = await frameKey();
    for (const length of [0, 1, 15]) expect(await open(key, 0n, AAD, new Uint8Array(length))).toBeNull();
  });

  test.each([-1n, MAX + 1n])("counter %s is refused: its nonce would be another counter's", async (counter) => {
    const key = await frameKey();
    await expect(seal(key, counter, AAD, PLAINTEXT)).rejects.toThrow(RangeError);
    await expect(open(key, counter, AAD, new Uint8Array(16))).rejects.toThrow(RangeError);
  });

  test("a KID beyond 64 bits is refused", async () => {
    await expect(frameKey(MAX + 1n)).rejects.toThrow(RangeError);
  });

  test("no key can be exported", async () => {
    const baseKey = await importBaseKey(new Uint8Array(32));
    const { key } = await deriveFrameKey(AES_256_GCM_SHA512_128, baseKey, 0n);
    await expect(crypto.subtle.exportKey("raw", key)).rejects.toThrow();
    await expect(crypto.subtle.exportKey("raw", baseKey)).rejects.toThrow();
  });

  test("a failure other than the tag's is thrown", async () => {
    const { salt } = await frameKey();
    const sealOnly = await crypto.subtle.importKey("raw", new Uint8Array(32), "AES-GCM", false, ["encrypt"]);
    await expect(open({ key: sealOnly, salt }, 0n, AAD, new Uint8Array(16))).rejects.toThrow();
  });
}

function messages(): void {
  const secret = new Uint8Array(32).fill(3);

  test("a message opens under its secret, label and aad only", async () => {
    const sealed = await sealWithSecret(secret, "knock", AAD, PLAINTEXT);
    expect(sealed.length).toBe(12 + PLAINTEXT.length + 16);
    expect(await openWithSecret(secret, "knock", AAD, sealed)).toEqual(PLAINTEXT);
    expect(await openWithSecret(new Uint8Array(32), "knock", AAD, sealed)).toBeNull();
    expect(await openWithSecret(secret, "link", AAD, sealed)).toBeNull();
    expect(await openWithSecret(secret, "knock", PLAINTEXT, sealed)).toBeNull();
  });

  test("every flipped bit and every cut is noticed", async () => {
    const sealed = await sealWithSecret(secret, "knock", AAD, PLAINTEXT);
    for (let bit = 0; bit < sealed.length * 8; bit++)
      expect(await openWithSecret(secret, "knock", AAD, flipped(sealed, bit))).toBeNull();
    for (let length = 0; length < sealed.length; length++)
      expect(await openWithSecret(secret, "knock", AAD, sealed.subarray(0, length))).toBeNull();
  });

  test("what is too short to hold a nonce asks for no key, which no page can read back", async () => {
    const importKey = vi.spyOn(crypto.subtle, "importKey");
    const secretKey = () => importKey.mock.calls.filter(([, , algorithm]) => algorithm === "AES-GCM");
    expect(await openWithSecret(secret, "knock", AAD, new Uint8Array(11))).toBeNull();
    expect(secretKey()).toEqual([]);
    await openWithSecret(secret, "knock", AAD, new Uint8Array(12));
    expect(secretKey().map(([, , , isExtractable]) => isExtractable)).toEqual([false]);
    importKey.mockRestore();
  });

  test("no two messages share a nonce", async () => {
    const nonces = new Set<string>();
    for (let i = 0; i < 50; i++)
      nonces.add((await sealWithSecret(secret, "knock", AAD, PLAINTEXT)).subarray(0, 12).join());
    expect(nonces.size).toBe(50);
  });
}

export function aeadCases(): void {
  describe("seal and open", frames);
  describe("sealWithSecret and openWithSecret", messages);

  test("hkdf separates purposes and salts, and leaves its input alone", async () => {
    const secret = random(32);
    const before = secret.slice();
    const outputs = await Promise.all([
      hkdf(secret, "a", 16),
      hkdf(secret, "b", 16),
      hkdf(secret, "a", 16, Uint8Array.of(1)),
      hkdf(random(32), "a", 16),
    ]);
    expect(new Set(outputs.map((output) => output.join())).size).toBe(4);
    expect(outputs.map((output) => output.length)).toEqual([16, 16, 16, 16]);
    expect(await hkdf(secret, "a", 16)).toEqual(outputs[0]);
    expect(secret).toEqual(before);
  });
}
