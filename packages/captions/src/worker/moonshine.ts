import tokenizer from "llama-tokenizer-js";
import * as ort from "onnxruntime-web/wasm";
import type { ModelPart } from "../shared/messages.ts";
import { SAMPLE_RATE } from "./sample-rate.ts";

/** Of the tiny model, as its decoder's inputs are. */
const LAYERS = 6;
const HEADS = 8;
const HEAD_SIZE = 36;
const BEGIN = 1n;
const END = 2n;
/** The tokenizer's; above them are marks of the model that are no text. */
const TEXT_TOKENS = 32_000n;
/** The model's own measure: who speaks faster is cut off, and so is a model that repeats itself. */
const TOKENS_PER_SECOND = 6.5;
/** Shorter sound has no words in it that the model would find. */
const SHORTEST = SAMPLE_RATE / 10;

const kinds = ["decoder", "encoder"].flatMap((side) => ["key", "value"].map((what) => `${side}.${what}`));
const caches = Array.from({ length: LAYERS }, (_, layer) => kinds.map((kind) => `${layer}.${kind}`)).flat();

/** Moonshine tiny, English, by ONNX Runtime on one thread: words of a few seconds of sound. */
export class Moonshine {
  readonly #encoder: ort.InferenceSession;
  readonly #decoder: ort.InferenceSession;

  private constructor(encoder: ort.InferenceSession, decoder: ort.InferenceSession) {
    this.#encoder = encoder;
    this.#decoder = decoder;
  }

  /** Rejects where WebAssembly does not run, or a file is none of the model's. */
  static async open(files: Readonly<Record<ModelPart, Uint8Array<ArrayBuffer>>>): Promise<Moonshine> {
    // Its own threads would be workers of scripts that the page's policy does not know.
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmBinary = files.runtime.buffer;
    ort.env.logLevel = "error";
    const options = { executionProviders: ["wasm"] };
    const encoder = await ort.InferenceSession.create(files.encoder, options);
    return new Moonshine(encoder, await ort.InferenceSession.create(files.decoder, options));
  }

  /** @param sound one channel at 16 kHz, some seconds at most; @returns "" where there are no words in it */
  async transcribe(sound: Float32Array): Promise<string> {
    if (sound.length < SHORTEST) return "";
    const input_values = new ort.Tensor("float32", sound, [1, sound.length]);
    const heard = (await this.#encoder.run({ input_values })).last_hidden_state;
    if (heard === undefined) throw new Error("The encoder gives nothing.");
    const most = Math.trunc((sound.length / SAMPLE_RATE) * TOKENS_PER_SECOND) + 2;
    return textOf(await this.#decode(heard, most));
  }

  /** The likeliest token after all before it, one at a time. */
  async #decode(heard: ort.Tensor, most: number): Promise<bigint[]> {
    const tokens: bigint[] = [];
    let past: Record<string, ort.Tensor> = Object.fromEntries(
      caches.map((of) => [`past_key_values.${of}`, emptyCache()]),
    );
    for (let token = BEGIN; tokens.length < most; tokens.push(token)) {
      const isFirst = tokens.length === 0;
      const made = await this.#decoder.run({
        input_ids: new ort.Tensor("int64", BigInt64Array.of(token), [1, 1]),
        encoder_hidden_states: heard,
        use_cache_branch: new ort.Tensor("bool", Uint8Array.of(isFirst ? 0 : 1), [1]),
        ...past,
      });
      token = likeliest(made.logits);
      if (token === END) break;
      past = Object.fromEntries(
        Object.entries(past).map(([name, before]) => [
          name,
          isFirst || name.includes(".decoder.") ? present(made, name) : before,
        ]),
      );
    }
    return tokens;
  }
}

const emptyCache = () => new ort.Tensor("float32", new Float32Array(0), [0, HEADS, 1, HEAD_SIZE]);

/** What the decoder hands on. What it makes of the encoder's output never changes after the first step. */
function present(made: ort.InferenceSession.ReturnType, name: string): ort.Tensor {
  const cache = made[name.replace("past_key_values", "present")];
  if (cache === undefined) throw new Error(`The decoder hands on no ${name}.`);
  return cache;
}

function likeliest(logits: ort.Tensor | undefined): bigint {
  const values = logits?.data;
  if (!(values instanceof Float32Array)) throw new Error("The decoder gives no logits.");
  let best = 0;
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) > (values[best] ?? 0)) best = i;
  return BigInt(best);
}

function textOf(tokens: readonly bigint[]): string {
  const known = tokens.filter((token) => token > END && token < TEXT_TOKENS).map(Number);
  return tokenizer.decode([Number(BEGIN), ...known]).trim();
}
