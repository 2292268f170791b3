import type { FromCaptions, ToCaptions } from "../shared/messages.ts";
import { MODEL } from "./model.ts";

/** A second of sound in pieces of 10 ms: none is lost while the worker makes words. */
const MOST_PIECES = 100;

/** What Chromium has on pages; the platform's types know it as something that workers alone have, for video. */
declare class MediaStreamTrackProcessor {
  constructor(init: { track: MediaStreamTrack; maxBufferSize: number });
  readonly readable: ReadableStream<AudioData>;
}

/**
 * Makes captions of sound on this device, in a worker. Files of some 25 MB are loaded from this page's own server first. All
 * that comes of it is an event.
 */
export class CaptionMaker {
  readonly #worker: Worker;
  readonly #heard = new Map<string, MediaStreamTrack>();

  /**
   * @param spawn runs `@sealcast/captions/worker`; `close` ends that worker
   * @param told hears of all; after "failed" nothing more comes
   */
  constructor(spawn: () => Worker, told: (event: FromCaptions) => void) {
    this.#worker = spawn();
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromCaptions>) => told(data));
    this.#worker.addEventListener("error", () => told({ type: "failed" }));
    this.#post({ type: "open", model: MODEL });
  }

  /** Whose words are made from now on, by a name for each; of nobody else. The tracks stay the caller's. */
  hear(tracks: ReadonlyMap<string, MediaStreamTrack>): void {
    for (const [source, track] of this.#heard) {
      if (tracks.get(source) === track) continue;
      this.#heard.delete(source);
      this.#post({ type: "forget", source });
    }
    for (const [source, track] of tracks) {
      // Browsers refuse to read a track that has ended.
      if (this.#heard.has(source) || track.readyState !== "live") continue;
      this.#heard.set(source, track);
      const sound = new MediaStreamTrackProcessor({ track, maxBufferSize: MOST_PIECES }).readable;
      this.#post({ type: "hear", source, sound }, [sound]);
    }
  }

  /** Also while files are loaded: what is on its way is let go. */
  close(): void {
    this.#worker.terminate();
  }

  #post(message: ToCaptions, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
