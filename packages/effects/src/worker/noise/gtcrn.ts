import wasmUrl from "@sapphi-red/web-noise-suppressor/gtcrn.wasm?url";
import { fetched } from "../fetched.ts";
import type { Suppressor } from "./noise.ts";
import { type BlockProcessor, registeredProcessor } from "./worklet-scope.ts";
import "@sapphi-red/web-noise-suppressor/gtcrnWorklet.js";

declare const self: DedicatedWorkerGlobalScope;

const BYTES = 196_884;
/** Two of its frames of 16 ms: each is looked at together with the one before. */
const DELAY_MS = 32;

/** Loads GTCRN. `loaded` hears how much of it has come. Throws where it does not work here. */
export async function loadGtcrn(loaded: (share: number) => void): Promise<Suppressor> {
  const wasmBinary = await fetched(wasmUrl, BYTES, loaded);
  const processor = await ready(new (registeredProcessor())({ processorOptions: { maxChannels: 1, wasmBinary } }));
  return { delayMs: DELAY_MS, process: (block, into) => processor.process([block], [into]) };
}

/** It sets itself ready some time after it was made; where its WebAssembly is refused it rejects a promise that nobody has. */
function ready(made: object): Promise<BlockProcessor> {
  return new Promise((resolve, reject) => {
    Object.defineProperty(made, "processor", { set: resolve });
    self.addEventListener("unhandledrejection", ({ reason }) => reject(reason));
  });
}
