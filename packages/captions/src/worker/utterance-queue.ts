import { type Clock, type Milli, milli } from "@sealcast/time";
import { SAMPLE_RATE } from "./sample-rate.ts";

/** Of sound that waits: what comes later would be read long after it was said. */
const MOST_WAITING = 15 * SAMPLE_RATE;
/** How long nothing is taken where the computer was too slow: each time twice as long. */
const REST = milli(10_000);
const LONGEST_REST = milli(80_000);
/** Over which time the cost is told. */
const COST_OVER = milli(30_000);

interface Waiting {
  readonly source: string;
  readonly sound: Float32Array;
}

interface UtteranceQueueEvents {
  /** Words that the sound has; "" where there are none. */
  transcribe(sound: Float32Array): Promise<string>;
  caption(source: string, text: string): void;
  /** Of one core, 0 to 1. */
  cost(share: number): void;
  behind(isBehind: boolean): void;
  failed(): void;
}

/**
 * Utterances of all sources, one transcribed at a time. Where they come faster than that, all that waits is dropped and
 * nothing is taken for a while: captions that are late are worse than none, and the call needs the computer more.
 */
export class UtteranceQueue {
  readonly #clock: Clock;
  readonly #events: UtteranceQueueEvents;
  #waiting: Waiting[] = [];
  #isBusy = false;
  #isBehind = false;
  #rest = REST;
  /** The source whose words are made now; null where they are not wanted any more. */
  #current: string | null = null;
  readonly #since: Milli;
  #spent: { readonly at: Milli; readonly took: Milli }[] = [];

  constructor(clock: Clock, events: UtteranceQueueEvents) {
    this.#clock = clock;
    this.#events = events;
    this.#since = clock.now();
  }

  add(source: string, sound: Float32Array): void {
    if (this.#isBehind) return;
    this.#waiting.push({ source, sound });
    if (this.#waitingSamples > MOST_WAITING) return this.#giveUp();
    void this.#work();
  }

  /** No words of this source any more, until it is added again. */
  forget(source: string): void {
    this.#waiting = this.#waiting.filter((one) => one.source !== source);
    if (this.#current === source) this.#current = null;
  }

  /** Tells the cost of late. */
  tellCost(): void {
    const now = this.#clock.now();
    this.#spent = this.#spent.filter(({ at }) => now - at < COST_OVER);
    const took = this.#spent.reduce((sum, each) => sum + each.took, 0);
    this.#events.cost(Math.min(1, took / Math.min(COST_OVER, Math.max(1, now - this.#since))));
  }

  get #waitingSamples(): number {
    return this.#waiting.reduce((sum, { sound }) => sum + sound.length, 0);
  }

  #giveUp(): void {
    this.#waiting = [];
    this.#isBehind = true;
    this.#events.behind(true);
    this.#clock.after(this.#rest, () => {
      this.#isBehind = false;
      this.#events.behind(false);
    });
    this.#rest = milli(Math.min(LONGEST_REST, 2 * this.#rest));
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!(await this.#transcribe(next))) return;
    }
    this.#isBusy = false;
  }

  /** False: the engine does not run any more, and nothing more is tried. */
  async #transcribe({ source, sound }: Waiting): Promise<boolean> {
    this.#current = source;
    const begun = this.#clock.now();
    try {
      const text = await this.#events.transcribe(sound);
      if (this.#current === source && text !== "") this.#events.caption(source, text);
    } catch {
      this.#events.failed();
      return false;
    }
    const at = this.#clock.now();
    this.#spent.push({ at, took: milli(at - begun) });
    return true;
  }
}
