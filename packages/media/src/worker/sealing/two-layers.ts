import { secondLayer } from "@sealcast/crypto/second-layer";
import { type Layers, ONE_LAYER } from "./layers.ts";

/** AES-256-GCM, then XChaCha20-Poly1305 under a key of its own. */
export const TWO_LAYERS: Layers = {
  tag: 32,
  async cipher(keys, kid) {
    if (keys.outerKey === null) throw new Error("this epoch came without the second layer's key");
    return secondLayer(await ONE_LAYER.cipher(keys, kid), keys.outerKey, kid);
  },
};
