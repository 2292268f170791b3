import { fromHex, utf8 } from "@sealcast/bytes";
import { describe, expect, test } from "vitest";
import wycheproof from "../vectors/wycheproof/xchacha20_poly1305_test.json?raw";
import { AES_256_GCM_SHA512_128, type FrameCipher, frameCipher, importBaseKey } from "./index.ts";
import { openOuter, sealOuter, secondLayer } from "./second-layer.ts";

interface Group {
  ivSize: number;
  tests: { tcId: number; key: string; iv: string; aad: string; msg: string; ct: string; tag: string; result: string }[];
}

const AAD = utf8("header and metadata");
const FRAME = utf8("a frame");
const OUTER = new Uint8Array(32).fill(3);

function hex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = fromHex(text);
  if (bytes === null) throw new Error(`vector holds ${text}, which is not hex`);
  return bytes;
}

async function oneLayer(kid = 7n): Promise<FrameCipher> {
  return frameCipher(AES_256_GCM_SHA512_128, await importBaseKey(new Uint8Array(32)), kid);
}

async function twoLayers(kid = 7n, outer = OUTER): Promise<FrameCipher> {
  return secondLayer(await oneLayer(kid), outer, kid);
}

function vectors(): void {
  const groups = (JSON.parse(wycheproof) as { testGroups: Group[] }).testGroups.filter(({ ivSize }) => ivSize === 192);

  test("all of its cases with a nonce of 24 bytes", async () => {
    // Once there is a cipher, the library is ready.
    await twoLayers();
    let count = 0;
    for (const { tcId, key, iv, aad, msg, ct, tag, result } of groups.flatMap(({ tests }) => tests)) {
      const opened = openOuter(hex(ct + tag), hex(aad), hex(iv), hex(key));
      expect(opened, `case ${tcId}`).toEqual(result === "valid" ? hex(msg) : null);
      if (result === "valid") expect(sealOuter(hex(msg), hex(aad), hex(iv), hex(key))).toEqual(hex(ct + tag));
      count++;
    }
    expect(count).toBe(306);
  });
}

function layers(): void {
  test("opens what it sealed, 32 bytes longer", async () => {
    const cipher = await twoLayers();
    const sealed = await cipher.seal(5, AAD, FRAME);
    expect(sealed.length).toBe(FRAME.length + 32);
    expect(await cipher.open(5, AAD, sealed)).toEqual(FRAME);
  });

  test("is XChaCha20-Poly1305 around the first layer, with KID and counter as its nonce", async () => {
    const once = await (await oneLayer()).seal(258, AAD, FRAME);
    const nonce = Uint8Array.of(...[0, 0, 0, 0, 0, 0, 0, 7], ...[0, 0, 0, 0, 0, 0, 1, 2], ...new Uint8Array(8));
    expect(await (await twoLayers()).seal(258, AAD, FRAME)).toEqual(sealOuter(once, AAD, nonce, OUTER));
  });

  test("every flipped bit is noticed, and so is anything cut short", async () => {
    const cipher = await twoLayers();
    const sealed = await cipher.seal(5, AAD, FRAME);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const flipped = sealed.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(await cipher.open(5, AAD, flipped)).toBeNull();
    }
    for (let length = 0; length < sealed.length; length++)
      expect(await cipher.open(5, AAD, sealed.subarray(0, length))).toBeNull();
  });

  test("the outer layer alone keeps out a receiver that has the inner key only", async () => {
    const sealed = await (await twoLayers()).seal(5, AAD, FRAME);
    expect(await (await oneLayer()).open(5, AAD, sealed)).toBeNull();
    expect(await (await twoLayers(7n, new Uint8Array(32))).open(5, AAD, sealed)).toBeNull();
    expect(await (await twoLayers(8n)).open(5, AAD, sealed)).toBeNull();
    expect(await (await twoLayers()).open(6, AAD, sealed)).toBeNull();
    expect(await (await twoLayers()).open(5, utf8("other"), sealed)).toBeNull();
  });

  test("a key of the wrong length is an error, not a refusal", async () => {
    const cipher = await twoLayers(7n, new Uint8Array(31));
    await expect(cipher.seal(0, AAD, FRAME)).rejects.toThrow(TypeError);
    await expect(cipher.open(0, AAD, new Uint8Array(64))).rejects.toThrow(TypeError);
  });
}

export function secondLayerCases(): void {
  describe("Wycheproof's XChaCha20-Poly1305", vectors);
  describe("two layers", layers);
}
