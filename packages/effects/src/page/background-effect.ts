import type { Clock } from "@sealcast/time";
import type { Backdrop, EffectCost, ToBackground } from "../shared/messages.ts";
import { framesOf, writtenTrack } from "./breakout-box.ts";
import { type EffectEvents, EffectWorker } from "./effect-worker.ts";
import { FramePace } from "./frame-pace.ts";

export interface BackgroundEvents extends EffectEvents {
  /** This computer does not keep up: frames are smaller from now on. */
  smaller(): void;
}

/**
 * A camera's picture with something else behind the person. `track` has what the worker wrote and nothing else: while it
 * loads, when it fails and after it has died there is no frame, so the camera's own picture never shows in its place.
 */
export class BackgroundEffect {
  readonly track: MediaStreamTrack;
  /** True once the first treated frame is in `track`; false where it ends before. */
  readonly started: Promise<boolean>;
  readonly #worker: EffectWorker;
  readonly #pace = new FramePace();
  readonly #smaller: () => void;

  /** Only where `canTreat`. The camera stays the caller's; `worker` runs background.worker.ts and is ended here. */
  constructor(worker: Worker, camera: MediaStreamTrack, backdrop: Backdrop, events: BackgroundEvents, clock: Clock) {
    const track = writtenTrack<VideoFrame>("video");
    this.track = track;
    this.#smaller = () => {
      this.#post({ type: "most-height", height: this.#pace.mostHeight });
      events.smaller();
    };
    const cost = (cost: EffectCost | null) => {
      if (cost !== null) this.#keepUp(cost);
      events.cost(cost);
    };
    this.#worker = new EffectWorker(worker, clock, { ...events, cost });
    this.started = this.#worker.started;
    const [frames, treated] = [framesOf(camera), track.writable];
    this.#post({ type: "start", frames, treated, backdrop }, [frames, treated, ...pictureOf(backdrop)]);
  }

  /** Puts something else behind the person, from the next frame on. */
  show(backdrop: Backdrop): void {
    this.#post({ type: "backdrop", backdrop }, pictureOf(backdrop));
  }

  /** The computer has too much to do: frames get smaller. False where they are as small as they may be. */
  relieve(): boolean {
    const isLower = this.#pace.lower();
    if (isLower) this.#smaller();
    return isLower;
  }

  close(): void {
    this.#worker.close();
    this.track.stop();
  }

  #keepUp(cost: EffectCost): void {
    const step = this.#pace.examine(cost);
    if (step === "lower") this.#smaller();
    if (step === "give-up") this.#worker.fail("too-slow");
  }

  #post(message: ToBackground, transfer: Transferable[] = []): void {
    this.#worker.post(message, transfer);
  }
}

function pictureOf(backdrop: Backdrop): Transferable[] {
  return backdrop.kind === "picture" ? [backdrop.picture] : [];
}
