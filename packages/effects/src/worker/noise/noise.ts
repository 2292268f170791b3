import { joined, Mono } from "@sealcast/sound";
import type { Clock } from "@sealcast/time";
import type { EffectFault } from "../../shared/messages.ts";
import { Meter } from "../meter.ts";
import { DeadOutput } from "./dead-output.ts";

/** What the suppressor works on: mono, at this rate, in blocks of this many samples. */
const RATE = 48_000;
const BLOCK = 128;

/** Share of a core, and for how many half seconds in a row: a worker that is busier has no time left. */
const MOST_SHARE = 0.95;
const MOST_BUSY = 8;
/** Pieces that wait while the suppressor loads are not heard any more: a piece that is there at once has waited. */
const AT_ONCE_MS = 2;
const MOST_WAITING = 100;

/** Takes the noise out of one block; what comes out belongs to earlier blocks, by `delayMs`. */
export interface Suppressor {
  readonly delayMs: number;
  process(block: Float32Array, into: Float32Array): void;
}

/** Treats a microphone's sound piece by piece, and finds out when that gives nothing. */
export class Noise {
  readonly #suppressor: Suppressor;
  readonly #clock: Clock;
  readonly #meter: Meter;
  readonly #dead = new DeadOutput();
  /** Where a browser processes nothing itself, microphones come at rates of their own. */
  readonly #mono = new Mono(RATE);
  /** Of the sound that came, what does not fill a block yet. */
  #rest = new Float32Array(0);
  #busy = 0;

  constructor(suppressor: Suppressor, clock: Clock) {
    this.#suppressor = suppressor;
    this.#clock = clock;
    this.#meter = new Meter(clock);
  }

  /** Resolves with what ended it; null: the microphone or the treated track did. `written` is called after the first piece. */
  async treat(
    sound: ReadableStream<AudioData>,
    treated: WritableStream<AudioData>,
    written: () => void,
  ): Promise<EffectFault | null> {
    const [reader, writer] = [sound.getReader(), treated.getWriter()];
    const ended = new AbortController();
    const end = () => ended.abort();
    writer.closed.then(end, end);
    let next = await this.#caughtUp(reader);
    for (let count = 0; !next.done && !ended.signal.aborted; next = await reader.read()) {
      const { timestamp } = next.value;
      const { input, output } = this.#treat(next.value);
      if (this.#dead.examine(input, output, RATE)) return "silent";
      if (output.length === 0) continue;
      const format = { format: "f32-planar", sampleRate: RATE, numberOfChannels: 1 } as const;
      const data = new AudioData({ ...format, numberOfFrames: output.length, timestamp, data: output });
      // Rejects once the track has ended: nobody wants it any more.
      writer.write(data).catch(() => data.close());
      if (count++ === 0) written();
    }
    return null;
  }

  /** What was taken since the last time, and whether this computer keeps up. */
  look() {
    const cost = this.#meter.take();
    this.#busy = cost !== null && cost.share > MOST_SHARE ? this.#busy + 1 : 0;
    return { cost, keepsUp: this.#busy < MOST_BUSY };
  }

  /** The first piece that was not there at once. */
  async #caughtUp(reader: ReadableStreamDefaultReader<AudioData>): Promise<ReadableStreamReadResult<AudioData>> {
    for (let waiting = 0; ; waiting++) {
      const asked = this.#clock.now();
      const next = await reader.read();
      if (next.done || waiting >= MOST_WAITING || this.#clock.now() - asked > AT_ONCE_MS) return next;
      next.value.close();
    }
  }

  #treat(data: AudioData): { input: Float32Array; output: Float32Array<ArrayBuffer> } {
    const since = this.#clock.now();
    const waiting = joined([this.#rest, this.#mono.push(data)]);
    data.close();
    const whole = waiting.length - (waiting.length % BLOCK);
    const input = waiting.subarray(0, whole);
    const output = new Float32Array(whole);
    for (let at = 0; at < whole; at += BLOCK)
      this.#suppressor.process(input.subarray(at, at + BLOCK), output.subarray(at, at + BLOCK));
    this.#rest = waiting.slice(whole);
    const ms = this.#clock.now() - since;
    this.#meter.count(ms, ms + this.#suppressor.delayMs);
    return { input, output };
  }
}
