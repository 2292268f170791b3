import { milli } from "@sealcast/time";
import type { Lifetime } from "../lifetime.ts";

const MINUTE = milli(60_000);

/** For how long a host has been away, in whole minutes. */
export class Absence {
  readonly #life: Lifetime;
  readonly #show: (minutes: number) => void;
  /** Null while the host is here. */
  #since: number | null = null;
  #shown = 0;

  constructor(life: Lifetime, show: (minutes: number) => void) {
    this.#life = life;
    this.#show = show;
    life.every(MINUTE, () => this.#count());
  }

  stands(isAway: boolean): void {
    if (isAway) this.#since ??= this.#life.clock.now();
    else this.#since = null;
    this.#count();
  }

  #count(): void {
    const minutes = this.#since === null ? 0 : Math.floor((this.#life.clock.now() - this.#since) / MINUTE);
    if (minutes !== this.#shown) this.#show(minutes);
    this.#shown = minutes;
  }
}
