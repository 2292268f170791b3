import { spawnLiveRelay, spawnPlayer } from "../workers.ts";

/**
 * What a stream over relays comes and plays through. It takes a while to start, so where there are relays that begins before the
 * host has said whether the stream comes over them.
 */
export class StreamWorkers {
  #relay: Worker | null = null;
  #player: Worker | null = null;

  start(): void {
    this.#relay ??= this.#started(spawnLiveRelay());
    this.#player ??= this.#started(spawnPlayer());
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

  /** One that does not load, or breaks, is given to nobody. */
  #started(worker: Worker): Worker {
    worker.addEventListener("error", () => {
      if (worker === this.#relay) this.#relay = null;
      else if (worker === this.#player) this.#player = null;
      else return;
      worker.terminate();
    });
    return worker;
  }
}
