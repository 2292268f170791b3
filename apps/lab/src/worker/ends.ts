import { importBaseKey, random } from "@sealcast/crypto";
import type { Policy } from "@sealcast/frame";
import { Keyring, type Layers, Opener, Policies, Sealer } from "@sealcast/media/sealing";

const EPOCH = 1;
const LEAF = 0;

/** Both ends of a stream. */
export interface Ends {
  sealer: Sealer;
  opener: Opener;
}

/** Of a camera, with fresh keys; the receiver has been told the policy. */
export async function ends(layers: Layers, policy: Policy): Promise<Ends> {
  const keyring = new Keyring(layers);
  const policies = new Policies();
  keyring.apply({
    type: "epoch",
    id: EPOCH,
    epoch: EPOCH,
    leaf: LEAF,
    leaves: [0, 1],
    baseKey: await importBaseKey(random(32)),
    outerKey: null,
  });
  keyring.apply({ type: "send", epoch: EPOCH });
  policies.follow("camera", EPOCH, policy);
  policies.announced({ leaf: LEAF, source: "camera", epoch: EPOCH, policy });
  return {
    sealer: new Sealer(keyring, policies, "video", { source: "camera", instance: 0 }),
    opener: new Opener(keyring, policies, "video", { leaf: LEAF, source: "camera" }),
  };
}
