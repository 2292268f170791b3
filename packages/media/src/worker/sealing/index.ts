export { TransformStats } from "../track/transform-stats.ts";
export { WorkerLoad } from "../track/worker-load.ts";
export { Keyring } from "./keyring.ts";
export { type Layers, ONE_LAYER } from "./layers.ts";
export { Opener } from "./opener.ts";
export { Policies } from "./policies.ts";
export { Sealer } from "./sealer.ts";
export { Signer } from "./signer.ts";
export { Verifier } from "./verifier.ts";
