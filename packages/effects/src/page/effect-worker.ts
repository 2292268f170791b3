import { type Cancel, type Clock, every, milli } from "@sealcast/time";
import type { EffectCost, EffectFault, FromEffect } from "../shared/messages.ts";

/** How often it is looked whether the worker has said something. */
const LOOK_GAP = milli(500);
/**
 * Looks in a row after which an effect has failed: without a word of its worker, while that loads and once it runs; between the
 * two, without anything from the device, which may have gone. Looks are counted and not the time, so that a computer that slept
 * accuses no worker.
 */
const MOST_SILENCE = { loading: 120, loaded: 40, running: 8 };

export interface EffectEvents {
  /** How much of what the effect takes has been loaded, from 0 to 1. */
  loading(share: number): void;
  /** The first treated frame has come out. */
  running(): void;
  /** Null: nothing came in. */
  cost(cost: EffectCost | null): void;
  /** It has ended by itself, and nothing comes out any more. */
  failed(why: EffectFault): void;
}

/** An effect's worker, and whether it lives. Owns the worker. */
export class EffectWorker {
  /** True once the first frame has come out; false where it ends before. */
  readonly started: Promise<boolean>;
  readonly #worker: Worker;
  readonly #events: EffectEvents;
  readonly #stop: Cancel;
  #resolve: (started: boolean) => void = () => undefined;
  #is: keyof typeof MOST_SILENCE = "loading";
  #isOver = false;
  #silentLooks = 0;

  constructor(worker: Worker, clock: Clock, events: EffectEvents) {
    this.started = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#worker = worker;
    this.#events = events;
    this.#stop = every(clock, LOOK_GAP, () => this.#look());
    worker.addEventListener("message", ({ data }: MessageEvent<FromEffect>) => this.#heard(data));
    worker.addEventListener("error", () => this.fail("failed"));
  }

  post(message: object, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** The effect ends with this fault. */
  fail(why: EffectFault): void {
    if (this.#isOver) return;
    this.close();
    this.#events.failed(why);
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop();
    this.#worker.terminate();
    this.#resolve(false);
  }

  #heard(message: FromEffect): void {
    if (this.#isOver) return;
    const isWaiting = this.#is === "loaded" && message.type === "cost" && message.cost === null;
    if (!isWaiting) this.#silentLooks = 0;
    switch (message.type) {
      case "loading":
        return this.#events.loading(message.share);
      case "running":
        this.#is = "running";
        this.#resolve(true);
        return this.#events.running();
      case "cost":
        if (this.#is === "loading") this.#is = "loaded";
        return this.#events.cost(message.cost);
      case "ended":
        // Before a frame came out, its caller waits for one.
        if (this.#is !== "running") this.fail("failed");
        return;
      case "failed":
        return this.fail(message.why);
    }
  }

  #look(): void {
    this.#silentLooks++;
    if (this.#silentLooks > MOST_SILENCE[this.#is]) this.fail("failed");
  }
}
