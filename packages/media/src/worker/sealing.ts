export { Gauge } from "./gauge.ts";
export { Keyring } from "./keyring.ts";
export { type Layers, ONE_LAYER } from "./layers.ts";
export { Opener } from "./opener.ts";
export { Policies } from "./policies.ts";
export { Sealer } from "./sealer.ts";
export { Signer } from "./signer.ts";
export { Tally } from "./tally.ts";
export { Verifier } from "./verifier.ts";
