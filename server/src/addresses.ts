import type { Clock } from "@sealcast/time";
import { isLoopback, networkOf } from "./address.ts";
import { type Rate, TokenBucket } from "./token-bucket.ts";

const MINUTE_MS = 60_000;

export interface AddressLimits {
  /** At a time, and opened in a minute. */
  readonly socketsPerAddress: number;
  /** Into one room, from one address. */
  readonly joinsPerMinute: number;
}

interface Limits {
  readonly address: AddressLimits;
  /** Of this computer itself. */
  readonly loopback: AddressLimits;
}

/** One socket as its address counts it. */
export interface Visit {
  /** Whether its address may join this room, which counts as a join. */
  mayJoin(room: string): boolean;
  /** The socket is gone. Once. */
  end(): void;
}

interface Place {
  open: number;
  readonly opened: TokenBucket;
}

/** What each address takes of this server, and how much it may. */
export class Addresses {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #places = new Map<string, Place>();
  /** By address and room. */
  readonly #joins = new Map<string, TokenBucket>();
  #sweptAt: number;

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#sweptAt = clock.now();
  }

  /** Null when the address has its share. */
  visit(address: string): Visit | null {
    this.#sweep();
    const network = networkOf(address);
    const limits = isLoopback(address) ? this.#limits.loopback : this.#limits.address;
    const place = this.#place(network, limits);
    if (place.open >= limits.socketsPerAddress || place.opened.left < 1) return null;
    place.opened.take();
    place.open++;
    return {
      mayJoin: (room) => this.#mayJoin(`${network} ${room}`, limits),
      end: () => void place.open--,
    };
  }

  #place(network: string, { socketsPerAddress }: AddressLimits): Place {
    const known = this.#places.get(network);
    if (known) return known;
    const place = { open: 0, opened: new TokenBucket(perMinute(socketsPerAddress), this.#clock) };
    this.#places.set(network, place);
    return place;
  }

  #mayJoin(key: string, { joinsPerMinute }: AddressLimits): boolean {
    const known = this.#joins.get(key);
    const bucket = known ?? new TokenBucket(perMinute(joinsPerMinute), this.#clock);
    if (!known) this.#joins.set(key, bucket);
    if (bucket.left < 1) return false;
    bucket.take();
    return true;
  }

  /** Forgets those of whom nothing is left to know. */
  #sweep(): void {
    if (this.#clock.now() - this.#sweptAt < MINUTE_MS) return;
    this.#sweptAt = this.#clock.now();
    for (const [key, bucket] of this.#joins) if (bucket.isFull) this.#joins.delete(key);
    for (const [key, { open, opened }] of this.#places) if (open === 0 && opened.isFull) this.#places.delete(key);
  }
}

const perMinute = (count: number): Rate => ({ burst: count, perSecond: (count * 1000) / MINUTE_MS });
