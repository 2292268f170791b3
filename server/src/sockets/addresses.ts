import { type Clock, type Rate, TokenBucket } from "@sealcast/time";
import { isLoopback, networksOf } from "./address.ts";
import { Allowance } from "./allowance.ts";

const MINUTE_MS = 60_000;
/** How many times as much a /48 may as a /64: one customer can have 65,536 of these. */
const WIDER = 10;
/** The same, of what is counted in characters. */
const WIDER_SIZE = 2;
/** Seconds of its rate that an address may send at once. */
const BURST_SECONDS = 4;

export interface AddressLimits {
  /** TCP connections, at a time, and opened in a minute. */
  readonly connectionsPerAddress: number;
  /** Over HTTP, upgrades included. */
  readonly requestsPerMinute: number;
  /** Signalling sockets, at a time, and opened in a minute. */
  readonly socketsPerAddress: number;
  /** Into one room, from one address. */
  readonly joinsPerMinute: number;
  /** Of messages, over all its sockets. */
  readonly bytesPerSecond: number;
  /** In characters: what rooms that it opened keep for those who come back. */
  readonly keptPerAddress: number;
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
  /** What is left of the bytes that its address may send. */
  readonly bytes: readonly TokenBucket[];
  /** What rooms that it opens may keep. */
  readonly kept: Allowance;
  /** The widest network that the address is in: what one customer may be given. */
  readonly network: string;
  /** The socket is gone. Once. */
  end(): void;
}

/** What each address takes of this server, and how much it may. */
export class Addresses {
  readonly #limits: Limits;
  readonly #clock: Clock;
  /** What all rooms may keep. */
  readonly #kept: Allowance;
  readonly #networks = new Map<string, Network>();
  /** By addresses as they are written, since the last sweep. */
  readonly #read = new Map<string, readonly [Network, ...Network[]]>();
  /** By network and room. */
  readonly #joins = new Map<string, TokenBucket>();
  #sweptAt: number;

  constructor(limits: Limits, clock: Clock, kept = new Allowance()) {
    this.#limits = limits;
    this.#clock = clock;
    this.#kept = kept;
    this.#sweptAt = clock.now();
  }

  /** A TCP connection. Null when the address has its share; else what is to be called when it is gone. */
  connect(address: string): (() => void) | null {
    return open(this.#networksOf(address).map(({ connections }) => connections));
  }

  /** Whether the address may have this request answered. */
  mayAsk(address: string): boolean {
    const left = this.#networksOf(address).map(({ requests }) => requests.take());
    return Math.min(...left) >= 0;
  }

  /** A signalling socket. Null when the address has its share. */
  visit(address: string): Visit | null {
    const networks = this.#networksOf(address);
    const end = open(networks.map(({ sockets }) => sockets));
    if (end === null) return null;
    return {
      mayJoin: (room) => {
        const joins = networks.map(({ name, limits }) => this.#joinsOf(`${name} ${room}`, limits));
        if (joins.some(({ left }) => left < 1)) return false;
        for (const bucket of joins) bucket.take();
        return true;
      },
      bytes: networks.map(({ bytes }) => bytes),
      kept: networks[0].kept,
      network: (networks.at(-1) ?? networks[0]).name,
      end,
    };
  }

  /** The smallest network that the address is in first. */
  #networksOf(address: string): readonly [Network, ...Network[]] {
    this.#sweep();
    const known = this.#read.get(address);
    if (known) return known;
    const networks = this.#find(address);
    this.#read.set(address, networks);
    return networks;
  }

  #find(address: string): readonly [Network, ...Network[]] {
    const limits = isLoopback(address) ? this.#limits.loopback : this.#limits.address;
    const [narrow, wide] = networksOf(address);
    if (wide === undefined) return [this.#network(narrow, limits, null)];
    const around = this.#network(wide, wider(limits), null);
    return [this.#network(narrow, limits, around), around];
  }

  #network(name: string, limits: AddressLimits, around: Network | null): Network {
    const known = this.#networks.get(name);
    if (known) return known;
    const network = new Network(name, limits, this.#clock, around, this.#kept);
    this.#networks.set(name, network);
    return network;
  }

  #joinsOf(key: string, { joinsPerMinute }: AddressLimits): TokenBucket {
    const bucket = this.#joins.get(key) ?? new TokenBucket(perMinute(joinsPerMinute), this.#clock);
    this.#joins.set(key, bucket);
    return bucket;
  }

  /** Forgets those of whom nothing is left to know. A network stays while one within it is known, since it counts theirs. */
  #sweep(): void {
    if (this.#clock.now() - this.#sweptAt < MINUTE_MS) return;
    this.#sweptAt = this.#clock.now();
    this.#read.clear();
    for (const [key, bucket] of this.#joins) if (bucket.isFull) this.#joins.delete(key);
    for (const [key, network] of this.#networks) {
      if (!network.isIdle) continue;
      this.#networks.delete(key);
      network.end();
    }
  }
}

/** How many of something are open, and were opened lately. */
class Openings {
  readonly #max: number;
  readonly #lately: TokenBucket;
  #open = 0;

  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#lately = new TokenBucket(perMinute(max), clock);
  }

  get hasPlace(): boolean {
    return this.#open < this.#max && this.#lately.left >= 1;
  }

  get isIdle(): boolean {
    return this.#open === 0 && this.#lately.isFull;
  }

  open(): void {
    this.#lately.take();
    this.#open++;
  }

  close(): void {
    this.#open--;
  }
}

/** What one network takes. */
class Network {
  readonly name: string;
  readonly limits: AddressLimits;
  readonly connections: Openings;
  readonly requests: TokenBucket;
  readonly sockets: Openings;
  readonly bytes: TokenBucket;
  readonly kept: Allowance;
  readonly #around: Network | null;
  /** How many networks within this one are known. */
  #within = 0;

  constructor(name: string, limits: AddressLimits, clock: Clock, around: Network | null, all: Allowance) {
    this.name = name;
    this.limits = limits;
    this.connections = new Openings(limits.connectionsPerAddress, clock);
    this.requests = new TokenBucket(perMinute(limits.requestsPerMinute), clock);
    this.sockets = new Openings(limits.socketsPerAddress, clock);
    const { bytesPerSecond: perSecond } = limits;
    this.bytes = new TokenBucket({ burst: BURST_SECONDS * perSecond, perSecond }, clock);
    this.kept = new Allowance(limits.keptPerAddress, around?.kept ?? all);
    this.#around = around;
    if (around) around.#within++;
  }

  get isIdle(): boolean {
    const { connections, sockets, requests, bytes, kept } = this;
    const isUnused = connections.isIdle && sockets.isIdle && requests.isFull && bytes.isFull;
    return this.#within === 0 && isUnused && kept.used === 0;
  }

  /** It is forgotten. */
  end(): void {
    if (this.#around) this.#around.#within--;
  }
}

/** Null unless there is a place in all of them; else what closes them. */
function open(openings: readonly Openings[]): (() => void) | null {
  if (!openings.every(({ hasPlace }) => hasPlace)) return null;
  for (const one of openings) one.open();
  return () => {
    for (const one of openings) one.close();
  };
}

const wider = (limits: AddressLimits): AddressLimits => ({
  connectionsPerAddress: limits.connectionsPerAddress * WIDER,
  requestsPerMinute: limits.requestsPerMinute * WIDER,
  socketsPerAddress: limits.socketsPerAddress * WIDER,
  joinsPerMinute: limits.joinsPerMinute * WIDER,
  bytesPerSecond: limits.bytesPerSecond * WIDER_SIZE,
  keptPerAddress: limits.keptPerAddress * WIDER_SIZE,
});

const perMinute = (count: number): Rate => ({ burst: count, perSecond: (count * 1000) / MINUTE_MS });
