import { spawnLiveRelay, spawnPlayer } from "../workers.ts";

/**
 * What a stream over relays comes and plays through. It takes a while to start, so where there are relays that begins before the
 * host has said whether the stream comes over them.
 */
export class StreamWorkers {
  #relay: Worker | null = null;
  #player: Worker | null = null;

  start(): void {
    this.#relay ??= started(spawnLiveRelay(), () => this.drop());
    this.#player ??= started(spawnPlayer(), () => this.drop());
    // Where it does not come, it is asked for again, by who plays.
    void import("@sealcast/player").catch(() => undefined);
  }

  /** For the caller to end, like `player`. */
  relay(): Worker {
    const worker = this.#relay ?? spawnLiveRelay();
    this.#relay = null;
    return worker;
  }

  player(): Worker {
    const worker = this.#player ?? spawnPlayer();
    this.#player = null;
    return worker;
  }

  /** Ends those that nobody has taken. */
  drop(): void {
    this.#relay?.terminate();
    this.#player?.terminate();
    this.#relay = null;
    this.#player = null;
  }
}

/** `failed`: it did not load, or broke, so that nobody is to be given it. */
function started(worker: Worker, failed: () => void): Worker {
  worker.addEventListener("error", failed);
  return worker;
}
