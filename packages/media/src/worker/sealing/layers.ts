import { AES_256_GCM_SHA512_128, type FrameCipher, frameCipher } from "@sealcast/crypto";
import type { EpochKeys } from "@sealcast/keys/messages";

/** What frames are sealed with: fixed for a room, since both ends must do the same. */
export interface Layers {
  /** Bytes that sealing adds behind the ciphertext. */
  readonly tag: number;
  /** The cipher of one KID in one epoch. Rejects where the epoch's keys do not suffice. */
  cipher(keys: EpochKeys, kid: bigint): Promise<FrameCipher>;
}

/** AES-256-GCM. */
export const ONE_LAYER: Layers = {
  tag: 16,
  cipher: ({ baseKey }, kid) => frameCipher(AES_256_GCM_SHA512_128, baseKey, kid),
};
