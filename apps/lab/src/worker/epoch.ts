import { importBaseKey, random } from "@sealcast/crypto";
import type { KeyUpdate } from "@sealcast/keys/messages";

/** Of every stream that a worker of the lab seals and opens. */
export const EPOCH = 1;
export const LEAF = 0;

/** Gives fresh keys: frames of EPOCH are sealed and opened under them from now on. */
export async function beginEpoch(apply: (update: KeyUpdate) => void): Promise<void> {
  const baseKey = await importBaseKey(random(32));
  apply({ type: "epoch", id: EPOCH, epoch: EPOCH, leaf: LEAF, leaves: [0, 1], baseKey, outerKey: null });
  apply({ type: "send", epoch: EPOCH });
}
