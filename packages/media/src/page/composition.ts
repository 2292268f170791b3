import type { Composing } from "../shared/composition.ts";
import { framesOf, hasBreakoutBox, writtenTrack } from "./breakout-box.ts";

/** Whether this browser can make one picture of two. */
export function canCompose(): boolean {
  return hasBreakoutBox() && "OffscreenCanvas" in globalThis;
}

/**
 * A screen with a camera's picture in its corner, as one track. It is composed in a worker of its own, since a hidden page
 * draws nothing. The two tracks stay the caller's; `worker` runs composer.worker.ts and is ended by `close`.
 */
export class Composition {
  readonly track: MediaStreamTrack;
  readonly #worker: Worker;

  /** `failed` hears that the worker gave up: the track shows nothing new any more. */
  constructor(worker: Worker, screen: MediaStreamTrack, camera: MediaStreamTrack, failed: () => void) {
    const track = writtenTrack();
    const composing: Composing = { screen: framesOf(screen), camera: framesOf(camera), composed: track.writable };
    this.track = track;
    this.#worker = worker;
    worker.addEventListener("error", failed);
    worker.postMessage(composing, [composing.screen, composing.camera, composing.composed]);
  }

  close(): void {
    this.#worker.terminate();
    this.track.stop();
  }
}
