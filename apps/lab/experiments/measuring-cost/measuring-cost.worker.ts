import { TransformStats, WorkerLoad } from "@sealcast/media/sealing";
import { milli, systemClock } from "@sealcast/time";
import type { MeasuringCost } from "./measuring-cost.ts";

declare const self: DedicatedWorkerGlobalScope;

/** A clock tells no single one apart. */
const REPEATS = 50;

/** Frames pass as they are; of each, all that is measured is measured many times over. */
class Cost {
  readonly #load = new WorkerLoad();
  readonly #stats = new TransformStats("t1", this.#load);
  readonly #watched = new WorkerLoad();
  readonly #watchedStats = new TransformStats("t2", this.#watched);
  #always = 0;
  #watching = 0;
  #frames = 0;

  frame(frame: RTCEncodedVideoFrame): void {
    const { data } = frame;
    this.#watched.watch();
    this.#always += timeOf(() => measure(this.#load, this.#stats, frame, data));
    this.#watching += timeOf(() => measure(this.#watched, this.#watchedStats, frame, data));
    this.#frames++;
  }

  get cost(): MeasuringCost {
    const us = (ms: number) => (1_000 * ms) / (REPEATS * this.#frames);
    return { alwaysUs: us(this.#always), watchedUs: us(this.#watching), frames: this.#frames };
  }
}

/** What the product's worker does with a frame besides sealing or opening it. */
function measure(load: WorkerLoad, stats: TransformStats, frame: RTCEncodedVideoFrame, data: ArrayBuffer): void {
  const since = systemClock.now();
  load.begin();
  load.waited(milli(systemClock.now() - since));
  stats.leaves(frame, { since, isKey: false, mimeType: "video/vp8", clear: data, wire: data });
  stats.passed(since, { epoch: 1, mimeType: "video/vp8", bytes: data.byteLength, overhead: 24, readable: false });
  load.end();
}

function timeOf(work: () => void): number {
  const since = performance.now();
  for (let time = 0; time < REPEATS; time++) work();
  return performance.now() - since;
}

const cost = new Cost();

self.addEventListener("rtctransform", ({ transformer }) => {
  const { readable, writable } = transformer;
  const look = (frame: RTCEncodedVideoFrame, out: TransformStreamDefaultController<RTCEncodedVideoFrame>) => {
    cost.frame(frame);
    out.enqueue(frame);
  };
  // Ends with the connection.
  readable
    .pipeThrough(new TransformStream({ transform: look }))
    .pipeTo(writable)
    .catch(() => undefined);
});
self.addEventListener("message", () => self.postMessage(cost.cost));
