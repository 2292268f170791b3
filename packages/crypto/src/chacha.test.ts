import { createCipheriv, createDecipheriv } from "node:crypto";
import { utf8 } from "@sealcast/bytes";
import { afterEach, describe, expect, test, vi } from "vitest";
import { chaChaCases } from "./chacha.cases.ts";
import { chaCha20Poly1305, portable } from "./chacha.ts";

chaChaCases();

const KEY = new Uint8Array(32).fill(7);
const NONCE = new Uint8Array(12).fill(1);
const MESSAGE = utf8("a chunk");

test("a nonce of a wrong length is a bug, not a message that does not open", async () => {
  const cipher = await portable(KEY);
  await expect(cipher.open(new Uint8Array(11), new Uint8Array(16))).rejects.toThrow(TypeError);
});

/** What browsers have and Node 20 has not, by Node's own ciphers. */
function givePlatformChaCha(): { importKey: ReturnType<typeof vi.spyOn> } {
  const parts = (data: BufferSource, params: unknown) => {
    const { name, iv } = params as { name: string; iv: Uint8Array };
    if (name !== "ChaCha20-Poly1305") throw new DOMException("another algorithm", "NotSupportedError");
    return { iv, data: new Uint8Array(data as Uint8Array<ArrayBuffer>) };
  };
  const importKey = vi.spyOn(crypto.subtle, "importKey").mockResolvedValue({} as CryptoKey);
  vi.spyOn(crypto.subtle, "encrypt").mockImplementation(async (params, _, plaintext) => {
    const { iv, data } = parts(plaintext, params);
    const cipher = createCipheriv("chacha20-poly1305", KEY, iv, { authTagLength: 16 });
    return Uint8Array.from(Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()])).buffer;
  });
  vi.spyOn(crypto.subtle, "decrypt").mockImplementation(async (params, _, sealed) => {
    const { iv, data } = parts(sealed, params);
    const cipher = createDecipheriv("chacha20-poly1305", KEY, iv, { authTagLength: 16 });
    cipher.setAuthTag(data.subarray(-16));
    const opened = cipher.update(data.subarray(0, -16));
    try {
      cipher.final();
    } catch {
      throw new DOMException("", "OperationError");
    }
    return Uint8Array.from(opened).buffer;
  });
  return { importKey };
}

describe("where Web Crypto has ChaCha20-Poly1305", () => {
  afterEach(() => vi.restoreAllMocks());

  test("it seals and opens, with a key that cannot be read again", async () => {
    const { importKey } = givePlatformChaCha();
    const cipher = await chaCha20Poly1305(KEY);
    expect(importKey).toHaveBeenCalledExactlyOnceWith("raw-secret", KEY, "ChaCha20-Poly1305", false, [
      "encrypt",
      "decrypt",
    ]);
    const sealed = await cipher.seal(NONCE, MESSAGE);
    expect(crypto.subtle.encrypt).toHaveBeenCalledOnce();
    expect(sealed).toEqual(await (await portable(KEY)).seal(NONCE, MESSAGE));
    expect(await cipher.open(NONCE, sealed)).toEqual(MESSAGE);
    expect(await cipher.open(NONCE, sealed.with(3, (sealed[3] ?? 0) ^ 1))).toBeNull();
    expect(crypto.subtle.decrypt).toHaveBeenCalledTimes(2);
  });

  test.each([
    ["another word of Web Crypto's", new DOMException("", "InvalidAccessError")],
    ["what is no word of Web Crypto's", Object.assign(new Error("broken"), { name: "OperationError" })],
  ])("%s is a bug, not a message that does not open", async (_, error) => {
    givePlatformChaCha();
    const cipher = await chaCha20Poly1305(KEY);
    vi.spyOn(crypto.subtle, "decrypt").mockRejectedValue(error);
    await expect(cipher.open(NONCE, new Uint8Array(16))).rejects.toBe(error);
  });

  test("a key that cannot be imported for a reason of its own is a bug", async () => {
    const error = new Error("broken");
    vi.spyOn(crypto.subtle, "importKey").mockRejectedValue(error);
    await expect(chaCha20Poly1305(KEY)).rejects.toBe(error);
  });

  test.each([new TypeError("no such format"), new DOMException("", "NotSupportedError")])(
    "without it libsodium's takes its place: %s",
    async (error) => {
      vi.spyOn(crypto.subtle, "importKey").mockRejectedValue(error);
      const cipher = await chaCha20Poly1305(KEY);
      expect(await cipher.seal(NONCE, MESSAGE)).toEqual(await (await portable(KEY)).seal(NONCE, MESSAGE));
    },
  );
});
