import { toHex } from "@sealcast/bytes";
import { expect, test } from "vitest";
import { signingOf } from "./signing.ts";

const [own, ben, other] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const pins = [{ identity: toHex(ben), name: "Ben", verified: true }];

test("a file is signed by this person, by one they have met, by a stranger or by nobody", () => {
  const by = (signer: Uint8Array | null) => signingOf({ state: "finished", signer }, own, pins);
  expect(by(own)).toEqual({ by: "own" });
  expect(by(ben)).toEqual({ by: "known", name: "Ben", isVerified: true });
  expect(by(other)).toEqual({ by: "stranger" });
  expect(by(null)).toEqual({ by: "nobody" });
});

test("of a file that is not finished or is damaged nothing is said", () => {
  for (const state of ["writing", "unfinished", "damaged"] as const)
    expect(signingOf({ state, signer: null }, own, pins)).toBeNull();
  expect(signingOf({ state: "resealing", signer: own }, own, pins)).toEqual({ by: "own" });
});
