export { Keyring } from "./keyring.ts";
export { type Layers, ONE_LAYER } from "./layers.ts";
export { Opener } from "./opener.ts";
export { Policies } from "./policies.ts";
export { Sealer } from "./sealer.ts";
export { Signer } from "./signer.ts";
export { TransformStats } from "./transform-stats.ts";
export { Verifier } from "./verifier.ts";
export { WorkerLoad } from "./worker-load.ts";
