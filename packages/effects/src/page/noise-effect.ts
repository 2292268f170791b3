import type { Clock } from "@sealcast/time";
import type { ToNoise } from "../shared/messages.ts";
import { soundOf, writtenTrack } from "./breakout-box.ts";
import { type EffectEvents, EffectWorker } from "./effect-worker.ts";

/** A microphone's sound without the noise around the voice. */
export class NoiseEffect {
  readonly track: MediaStreamTrack;
  /** True once treated sound is in `track`; false where it ends before. */
  readonly started: Promise<boolean>;
  readonly #worker: EffectWorker;

  /** Only where `canTreat`. The microphone stays the caller's; `worker` runs noise.worker.ts and is ended here. */
  constructor(worker: Worker, microphone: MediaStreamTrack, events: EffectEvents, clock: Clock) {
    const track = writtenTrack<AudioData>("audio");
    this.track = track;
    this.#worker = new EffectWorker(worker, clock, events);
    this.started = this.#worker.started;
    const [sound, treated] = [soundOf(microphone), track.writable];
    const start: ToNoise = { type: "start", sound, treated };
    this.#worker.post(start, [sound, treated]);
  }

  close(): void {
    this.#worker.close();
    this.track.stop();
  }
}
