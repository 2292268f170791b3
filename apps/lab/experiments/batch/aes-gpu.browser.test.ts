import { fromHex, toHex } from "@sealcast/bytes";
import { expect, test } from "vitest";
import { AesGpu } from "./aes-gpu.page.ts";
import { IMAGE_BYTES } from "./batch.ts";

const bytes = (hex: string) => fromHex(hex) ?? expect.unreachable();

// NIST SP 800-38A, F.5.1 and F.5.5: four blocks.
const PLAIN =
  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
const COUNTER = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

test.each([
  [
    "2b7e151628aed2a6abf7158809cf4f3c",
    "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
  ],
  [
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
  ],
])("the shader has the standard's vectors, with the key %s", async (key, expected) => {
  const gpu = await AesGpu.start(bytes(key));
  const image = new Uint8Array(IMAGE_BYTES);
  image.set(bytes(PLAIN));
  const { encrypted } = await gpu.encrypt(image, bytes(COUNTER));
  gpu.close();
  expect(toHex(encrypted.slice(0, 64))).toBe(expected);
});

test.each([128, 256])("what it makes of more images than go at a time is Web Crypto's, with %i bits", async (bits) => {
  const [key, counter] = [new Uint8Array(bits / 8), new Uint8Array(16)];
  for (const array of [key, counter]) crypto.getRandomValues(array);
  const images = new Uint8Array(8195 * IMAGE_BYTES);
  for (let at = 0; at < images.length; at += 65_536) crypto.getRandomValues(images.subarray(at, at + 65_536));
  const gpu = await AesGpu.start(key);
  const { encrypted } = await gpu.encrypt(images, counter);
  gpu.close();
  const aes = await crypto.subtle.importKey("raw", key, "AES-CTR", false, ["encrypt"]);
  for (const image of [0, 1, 4095, 8191, 8192, 8194]) {
    const own = new DataView(counter.slice().buffer);
    own.setUint32(8, own.getUint32(8) + image);
    const at = image * IMAGE_BYTES;
    const parameters = { name: "AES-CTR", counter: own.buffer, length: 32 };
    const expected = new Uint8Array(await crypto.subtle.encrypt(parameters, aes, images.slice(at, at + IMAGE_BYTES)));
    expect(toHex(encrypted.slice(at, at + IMAGE_BYTES)) === toHex(expected), `image ${image}`).toBe(true);
  }
});
