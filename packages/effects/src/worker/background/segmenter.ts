import { loadAndCompile, loadLiteRt, Tensor } from "@litertjs/core";
import startLiteRt from "@litertjs/core/wasm/litert_wasm_internal.js";
import wasmUrl from "@litertjs/core/wasm/litert_wasm_internal.wasm?url";
import modelUrl from "@mediapipe/selfie_segmentation/selfie_segmentation_landscape.tflite?url";
import { fetched } from "../fetched.ts";
import type { Segment } from "./background.ts";

declare const self: DedicatedWorkerGlobalScope & { ModuleFactory?: typeof startLiteRt; Module?: object };

/** The model's input: RGB from 0 to 1. What it gives is as large. */
const SIZE = { width: 256, height: 144 };
const BYTES = { wasm: 9_367_934, model: 249_792 };

/** Loads what finds the person in a frame. `loaded` hears how much of it has come. Throws where it does not work here. */
export async function loadSegmenter(loaded: (share: number) => void): Promise<Segment> {
  const [wasmBinary, model] = await Promise.all([
    fetched(wasmUrl, BYTES.wasm, loaded),
    fetched(modelUrl, BYTES.model, () => undefined),
  ]);
  await start(wasmBinary);
  const compiled = await loadAndCompile(model, { accelerator: "wasm" });
  const read = reader();
  return async (frame) => {
    const input = new Tensor(read(frame), [1, SIZE.height, SIZE.width, 3]);
    try {
      const outputs = await compiled.run(input);
      const sureness = outputs[0]?.toTypedArray().slice() ?? [];
      for (const output of outputs) output.delete();
      return { ...SIZE, sureness: sureness as ArrayLike<number> };
    } finally {
      input.delete();
    }
  };
}

/** LiteRT looks for its starter among the globals, after it has had that loaded as a script: here it is there before. */
async function start(wasmBinary: Uint8Array<ArrayBuffer>): Promise<void> {
  self.importScripts = () => undefined;
  self.ModuleFactory = startLiteRt;
  // It reports each step of its start as if it were an error.
  const printErr = () => undefined;
  self.Module = { wasmBinary, printErr };
  await loadLiteRt("litert_wasm_internal.js", { threads: false });
}

/** Makes a frame as small as the model takes it. */
function reader(): (frame: VideoFrame) => Float32Array {
  const { width, height } = SIZE;
  const context = new OffscreenCanvas(width, height).getContext("2d", { alpha: false, willReadFrequently: true });
  if (context === null) throw new Error("This browser gives workers no canvas.");
  const input = new Float32Array(3 * width * height);
  return (frame) => {
    context.drawImage(frame, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    for (let from = 0, to = 0; from < data.length; from += 4) {
      input[to++] = (data[from] ?? 0) / 255;
      input[to++] = (data[from + 1] ?? 0) / 255;
      input[to++] = (data[from + 2] ?? 0) / 255;
    }
    return input;
  };
}
