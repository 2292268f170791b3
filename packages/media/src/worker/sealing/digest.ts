import { concat } from "@sealcast/bytes";
import { frameDigest } from "@sealcast/crypto";
import { free } from "../free.ts";

/** What a sender signs of a frame: all that its tag covers, and ciphertext and tag. Both are read before this returns. */
export function digestOf(aad: Uint8Array, tagged: Uint8Array): Promise<Uint8Array> {
  const frame = concat(aad, tagged);
  const digest = frameDigest(frame);
  free(frame.buffer);
  return digest;
}
