import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { MODEL } from "./model.ts";

const { resolve } = createRequire(import.meta.url);
const weights = (name: string) =>
  `../../../../node_modules/@moonshine-ai/moonshine-js/dist/model/tiny/quantized/${name}.onnx`;

it.each([
  ["runtime", "onnxruntime-web/ort-wasm-simd-threaded.wasm"],
  ["encoder", weights("encoder_model")],
  ["decoder", weights("decoder_model_merged")],
] as const)("the %s is as long as its package's file", (part, file) => {
  expect(MODEL[part].bytes).toBe(statSync(resolve(file)).size);
});
