import type { FromSound, ToSound } from "../shared/messages.ts";
import { SoundQueue } from "./sound-queue.ts";
import { Varispeed } from "./varispeed.ts";

/** Samples that an audio context asks for at once. */
const BLOCK = 128;
/** Blocks from one report to the next: some 27 ms. */
const REPORT_BLOCKS = 10;

/** What the worklet does, without the worklet: sound at its time, steered by a `StreamPlayer`. */
export class SoundOutput {
  readonly #contextRate: number;
  readonly #soundRate: number;
  readonly #queue: SoundQueue;
  readonly #varispeed: Varispeed;
  readonly #report: (report: FromSound) => void;
  #contextMs = 0;
  #seek = 0;
  #blocks = 0;
  isClosed = false;

  /** @param contextRate samples a second that go out @param soundRate those that come in */
  constructor(contextRate: number, soundRate: number, report: (report: FromSound) => void) {
    this.#contextRate = contextRate;
    this.#soundRate = soundRate;
    this.#queue = new SoundQueue(soundRate);
    this.#varispeed = new Varispeed(2, BLOCK, (into, from, count) => this.#queue.read(into, from, count));
    this.#report = report;
    this.#steer(1);
  }

  hear(message: ToSound): void {
    switch (message.type) {
      case "piece":
        // Another rate would play at another pitch.
        if (message.sampleRate === this.#soundRate) this.#queue.push(message);
        return;
      case "rate":
        return this.#steer(message.rate);
      case "seek":
        this.#queue.seek(message.atMs + this.#contextMs - message.contextMs);
        this.#seek = message.seek;
        return;
      case "clear":
        this.#queue.clear();
        this.#seek = 0;
        return;
      case "close":
        this.isClosed = true;
    }
  }

  /** One block. @param contextMs the time of its first sample */
  render(outputs: readonly Float32Array[], contextMs: number): void {
    this.#contextMs = contextMs;
    if (this.#blocks++ % REPORT_BLOCKS === 0) {
      const { atMs, isStarved, underruns } = this.#queue;
      this.#report({ contextMs, atMs, seek: this.#seek, isStarved, underruns });
    }
    this.#varispeed.render(outputs);
    this.#contextMs += (1_000 * (outputs[0]?.length ?? 0)) / this.#contextRate;
  }

  #steer(rate: number): void {
    this.#varispeed.rate = (rate * this.#soundRate) / this.#contextRate;
  }
}
