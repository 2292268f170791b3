import runtime from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import decoder from "../../../../node_modules/@moonshine-ai/moonshine-js/dist/model/tiny/quantized/decoder_model_merged.onnx?url";
import encoder from "../../../../node_modules/@moonshine-ai/moonshine-js/dist/model/tiny/quantized/encoder_model.onnx?url";
import type { ModelFile, ModelPart } from "../shared/messages.ts";

/** Moonshine tiny, English, and what runs it: files of the build, which this page's own server has. */
export const MODEL: Readonly<Record<ModelPart, ModelFile>> = {
  runtime: { url: runtime, bytes: 14_239_897 },
  encoder: { url: encoder, bytes: 7_937_661 },
  decoder: { url: decoder, bytes: 20_243_286 },
};
