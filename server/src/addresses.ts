import { type Clock, type Rate, TokenBucket } from "@sealcast/time";
import { isLoopback, networksOf } from "./address.ts";

const MINUTE_MS = 60_000;
/** How many times as much a /48 may as a /64: one customer can have 65,536 of these. */
const WIDER = 10;

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

interface Network {
  readonly name: string;
  readonly limits: AddressLimits;
  open: number;
  readonly opened: TokenBucket;
}

/** What each address takes of this server, and how much it may. */
export class Addresses {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #networks = new Map<string, Network>();
  /** By network and room. */
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
    const limits = isLoopback(address) ? this.#limits.loopback : this.#limits.address;
    const networks = networksOf(address).map((name, i) => this.#network(name, i === 0 ? limits : wider(limits)));
    if (networks.some(({ open, opened, limits }) => open >= limits.socketsPerAddress || opened.left < 1)) return null;
    for (const network of networks) {
      network.opened.take();
      network.open++;
    }
    return {
      mayJoin: (room) => {
        const joins = networks.map(({ name, limits }) => this.#joinsOf(`${name} ${room}`, limits));
        if (joins.some(({ left }) => left < 1)) return false;
        for (const bucket of joins) bucket.take();
        return true;
      },
      end: () => {
        for (const network of networks) network.open--;
      },
    };
  }

  #network(name: string, limits: AddressLimits): Network {
    const known = this.#networks.get(name);
    if (known) return known;
    const opened = new TokenBucket(perMinute(limits.socketsPerAddress), this.#clock);
    const network = { name, limits, open: 0, opened };
    this.#networks.set(name, network);
    return network;
  }

  #joinsOf(key: string, { joinsPerMinute }: AddressLimits): TokenBucket {
    const bucket = this.#joins.get(key) ?? new TokenBucket(perMinute(joinsPerMinute), this.#clock);
    this.#joins.set(key, bucket);
    return bucket;
  }

  /** Forgets those of whom nothing is left to know. */
  #sweep(): void {
    if (this.#clock.now() - this.#sweptAt < MINUTE_MS) return;
    this.#sweptAt = this.#clock.now();
    for (const [key, bucket] of this.#joins) if (bucket.isFull) this.#joins.delete(key);
    for (const [key, { open, opened }] of this.#networks) if (open === 0 && opened.isFull) this.#networks.delete(key);
  }
}

const wider = ({ socketsPerAddress, joinsPerMinute }: AddressLimits): AddressLimits => ({
  socketsPerAddress: socketsPerAddress * WIDER,
  joinsPerMinute: joinsPerMinute * WIDER,
});

const perMinute = (count: number): Rate => ({ burst: count, perSecond: (count * 1000) / MINUTE_MS });
