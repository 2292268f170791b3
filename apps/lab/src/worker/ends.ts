import type { Policy } from "@sealcast/frame";
import { Keyring, type Layers, Opener, Policies, Sealer } from "@sealcast/media/sealing";
import { beginEpoch, EPOCH, LEAF } from "./epoch.ts";

/** Both ends of a stream. */
export interface Ends {
  sealer: Sealer;
  opener: Opener;
}

/** Of a camera, with fresh keys; the receiver has been told the policy. */
export async function ends(layers: Layers, policy: Policy): Promise<Ends> {
  const keyring = new Keyring(layers);
  const policies = new Policies();
  await beginEpoch((update) => keyring.apply(update));
  policies.follow("camera", EPOCH, policy);
  policies.announced({ leaf: LEAF, source: "camera", epoch: EPOCH, policy });
  return {
    sealer: new Sealer(keyring, policies, "video", { source: "camera", instance: 0 }),
    opener: new Opener(keyring, policies, "video", { leaf: LEAF, source: "camera" }),
  };
}
