import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { media } from "@sealcast/testbed/media";
import { wordsOf, wordsWrong } from "@sealcast/testbed/reading";
import { beforeAll, expect, it } from "vitest";
import { Moonshine } from "./moonshine.ts";
import { SAMPLE_RATE } from "./sample-rate.ts";
import { Utterances } from "./utterances.ts";

const WAV_HEADER_BYTES = 44;
const MOST_WRONG = 0.1;

const { resolve } = createRequire(import.meta.url);
const file = (path: string) => new Uint8Array(readFileSync(path));
const weights = (name: string) =>
  file(resolve(`../../../../node_modules/@moonshine-ai/moonshine-js/dist/model/tiny/quantized/${name}.onnx`));

let engine: Moonshine;
beforeAll(async () => {
  engine = await Moonshine.open({
    runtime: file(resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm")),
    encoder: weights("encoder_model"),
    decoder: weights("decoder_model_merged"),
  });
}, 120_000);

/** Someone reads aloud, and is silent for a second. */
function reading(): Float32Array {
  const wav = file(media.reading);
  const samples = new Int16Array(wav.slice(WAV_HEADER_BYTES).buffer);
  const sound = new Float32Array(samples.length + SAMPLE_RATE);
  sound.set(Float32Array.from(samples, (sample) => sample / 32_768));
  return sound;
}

it("what someone reads aloud for 26 s, cut at pauses, is written down with at most one word in ten wrong", async ({
  annotate,
}) => {
  const texts: string[] = [];
  for (const utterance of new Utterances().push(reading())) texts.push(await engine.transcribe(utterance));
  expect(texts.length).toBeGreaterThan(4);
  const heard = wordsOf(texts.join(" "));
  const wrong = wordsWrong(heard);
  await annotate(`${wrong} of ${heard.length} words wrong: ${texts.join(" | ")}`);
  expect(heard.length).toBeGreaterThan(65);
  expect(wrong / heard.length).toBeLessThanOrEqual(MOST_WRONG);
}, 120_000);

it("silence, a click and what is too short have no words", async () => {
  for (const samples of [0, 100, SAMPLE_RATE / 2]) expect(await engine.transcribe(new Float32Array(samples))).toBe("");
});
