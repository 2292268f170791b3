import { Mono } from "@sealcast/sound";
import { type Clock, every, milli } from "@sealcast/time";
import type { FromCaptions, ToCaptions } from "../shared/messages.ts";
import { download } from "./download.ts";
import { Moonshine } from "./moonshine.ts";
import { SAMPLE_RATE } from "./sample-rate.ts";
import { UtteranceQueue } from "./utterance-queue.ts";
import { Utterances } from "./utterances.ts";

const COST_GAP = milli(5_000);

/** Words of all sources: their sound is read and cut while the one engine makes words of what was said. */
export class Captioner {
  readonly #post: (message: FromCaptions) => void;
  readonly #queue: UtteranceQueue;
  readonly #engine: Promise<Moonshine>;
  readonly #readers = new Map<string, ReadableStreamDefaultReader<AudioData>>();

  constructor(
    model: Extract<ToCaptions, { type: "open" }>["model"],
    clock: Clock,
    post: (message: FromCaptions) => void,
  ) {
    this.#post = post;
    this.#engine = this.#open(model);
    this.#queue = new UtteranceQueue(clock, {
      transcribe: async (sound) => (await this.#engine).transcribe(sound),
      caption: (source, text) => post({ type: "caption", source, text }),
      cost: (share) => post({ type: "cost", share }),
      behind: (isBehind) => post({ type: "behind", isBehind }),
      failed: () => post({ type: "failed" }),
    });
    this.#engine.then(
      () => {
        post({ type: "ready" });
        every(clock, COST_GAP, () => this.#queue.tellCost());
      },
      () => post({ type: "failed" }),
    );
  }

  async hear(source: string, sound: ReadableStream<AudioData>): Promise<void> {
    this.forget(source);
    const reader = sound.getReader();
    this.#readers.set(source, reader);
    const [mono, utterances] = [new Mono(SAMPLE_RATE), new Utterances()];
    // Without an engine nothing is to be had of it.
    await this.#engine.catch(() => reader.cancel());
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const heard = utterances.push(mono.push(piece.value));
      piece.value.close();
      if (this.#readers.get(source) === reader) for (const each of heard) this.#queue.add(source, each);
    }
  }

  forget(source: string): void {
    this.#queue.forget(source);
    void this.#readers.get(source)?.cancel();
    this.#readers.delete(source);
  }

  async #open(model: Extract<ToCaptions, { type: "open" }>["model"]): Promise<Moonshine> {
    const files = await download(model, (share) => this.#post({ type: "loading", share }));
    return Moonshine.open(files);
  }
}
