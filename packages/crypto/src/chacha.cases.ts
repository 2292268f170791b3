import { concat, fromHex, utf8 } from "@sealcast/bytes";
import { describe, expect, test } from "vitest";
import wycheproof from "../vectors/wycheproof/chacha20_poly1305_test.json?raw";
import { type ChaCha, chaCha20Poly1305, portable } from "./chacha.ts";

interface Vector {
  tcId: number;
  key: string;
  iv: string;
  aad: string;
  msg: string;
  ct: string;
  tag: string;
  result: "valid" | "invalid" | "acceptable";
}

function hex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = fromHex(text);
  if (bytes === null) throw new Error(`vector holds ${text}, which is not hex`);
  return bytes;
}

/** Those that have no additional data, which these functions do not take, and a nonce of 12 bytes. */
const vectors = (JSON.parse(wycheproof) as { testGroups: { tests: Vector[] }[] }).testGroups
  .flatMap(({ tests }) => tests)
  .filter(({ iv, aad }) => aad === "" && iv.length === 24);

export function chaChaCases(): void {
  describe.each([
    ["what this platform has", chaCha20Poly1305],
    ["libsodium", portable],
  ] as const)("ChaCha20-Poly1305 of %s", (_, cipherOf) => {
    const of = (key: Uint8Array): Promise<ChaCha> => cipherOf(key);

    test("agrees with Wycheproof", async () => {
      expect(vectors.length).toBeGreaterThan(20);
      for (const { key, iv, msg, ct, tag, result } of vectors) {
        const cipher = await of(hex(key));
        const sealed = concat(hex(ct), hex(tag));
        const opened = await cipher.open(hex(iv), sealed);
        expect(opened).toEqual(result === "valid" ? hex(msg) : null);
        if (result === "valid") expect(await cipher.seal(hex(iv), hex(msg))).toEqual(sealed);
      }
    });

    test("what is too short to hold a tag does not open", async () => {
      const cipher = await of(new Uint8Array(32));
      for (const length of [0, 1, 15]) expect(await cipher.open(new Uint8Array(12), new Uint8Array(length))).toBeNull();
    });

    test("nothing opens of which a bit was changed, or that another key or nonce sealed", async () => {
      const [cipher, other] = [await of(new Uint8Array(32)), await of(new Uint8Array(32).fill(1))];
      const sealed = await cipher.seal(new Uint8Array(12), utf8("a chunk"));
      for (const at of [0, 6, 7, sealed.length - 1]) {
        const changed = sealed.with(at, (sealed[at] ?? 0) ^ 1);
        expect(await cipher.open(new Uint8Array(12), changed)).toBeNull();
      }
      expect(await other.open(new Uint8Array(12), sealed)).toBeNull();
      expect(await cipher.open(new Uint8Array(12).fill(1), sealed)).toBeNull();
    });

    test("the key may be erased once it was given", async () => {
      const key = new Uint8Array(32).fill(7);
      const cipher = await of(key);
      key.fill(0);
      const sealed = await cipher.seal(new Uint8Array(12), utf8("a chunk"));
      expect(await (await of(new Uint8Array(32).fill(7))).open(new Uint8Array(12), sealed)).toEqual(utf8("a chunk"));
    });
  });
}
