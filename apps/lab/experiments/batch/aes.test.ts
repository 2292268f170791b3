import { fromHex } from "@sealcast/bytes";
import { expect, test } from "vitest";
import { expandKey, ROUND_TABLE } from "./aes.ts";

const hex = (word: number | undefined) => (word ?? 0).toString(16).padStart(8, "0");
const last = (key: string) => [...expandKey(fromHex(key) ?? expect.unreachable()).slice(-4)].map(hex).join("");

// FIPS 197, appendix A.1 and A.3: the last round's key.
test.each([
  ["2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"],
  ["603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "fe4890d1e6188d0b046df344706c631e"],
])("the key %s expands as the standard has it", (key, expected) => {
  expect(last(key)).toBe(expected);
});

test("the round table holds SubBytes and the first column of MixColumns", () => {
  // FIPS 197, figure 7: the S-box of 00, 53 and ff.
  expect([0x00, 0x53, 0xff].map((byte) => hex(ROUND_TABLE[byte]))).toEqual(["c66363a5", "c1eded2c", "2c16163a"]);
});
