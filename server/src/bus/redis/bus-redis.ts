import type { Clock } from "@sealcast/time";
import type { WatchRefusal } from "../../rooms/live-room.ts";
import { nameOf, Rooms } from "../../rooms/rooms.ts";
import type { FirstMessage, RoomOptions, RoomSocket, Seat } from "../../rooms/seat.ts";
import { Allowance } from "../../sockets/allowance.ts";
import type { Bus } from "../bus.ts";
import { Forwards } from "./forwards.ts";
import { GatedSeat } from "./gated-seat.ts";
import { Guests } from "./guests.ts";
import { LateSeat } from "./late-seat.ts";
import { Lease } from "./lease.ts";
import { Merging } from "./merging.ts";
import { hiddenName } from "./sealing.ts";
import type { Store, StoreSession } from "./store.ts";
import { type NodeLine, Wire } from "./wire.ts";

/** In characters: what rooms keep that were opened for sockets of other nodes. */
const KEPT_FOR_GUESTS = 4 * 1024 * 1024;

export interface BusRedisOptions {
  readonly store: Store;
  /** Of all nodes, and of nobody else. */
  readonly secret: Buffer;
  readonly clock: Clock;
  readonly randomId: () => string;
  readonly rooms: RoomOptions;
  /** This node can reach others, or no longer. */
  readonly changed: (isConnected: boolean) => void;
  /** A room's people are sent to another node. */
  readonly roomLost: () => void;
  /** A message between nodes, of this many bytes. */
  readonly passed: (bytes: number) => void;
}

/** Rooms of several nodes over one store: each has one owner, and all other nodes forward to that one. */
export class BusRedis implements Bus {
  readonly rooms: Rooms;
  readonly #options: BusRedisOptions;
  readonly #lease: Lease;
  readonly #forwards: Forwards;
  readonly #guests: Guests;
  readonly #merging: Merging;
  #wire: Wire | null = null;

  constructor(options: BusRedisOptions) {
    const { clock, secret } = options;
    this.#options = options;
    this.#lease = new Lease({
      ...options,
      store: hiding(options.store, secret),
      received: (bytes) => this.#wire?.receive(bytes),
      gone: (nodes) => this.#gone(nodes),
      ended: () => this.#ended(),
      entered: (node, session) => this.#entered(node, session),
      lost: (name) => this.#lost(name),
      elsewhere: (name, node) => this.#elsewhere(name, node),
      wanted: () => this.rooms.names(),
      peers: () => this.#wire?.peers ?? [],
    });
    const lease = this.#lease;
    const wire = () => this.#wire;
    this.rooms = new Rooms(
      { ...options.rooms, clock: gatedClock(clock, lease) },
      { leadsHere: (door) => lease.holds(door), learnt: (door) => this.#merging.learnt(door) },
    );
    const { rooms } = this;
    this.#forwards = new Forwards(clock, wire);
    this.#guests = new Guests({ rooms, lease, clock, wire, kept: new Allowance(KEPT_FOR_GUESTS) });
    this.#merging = new Merging({ rooms, lease, wire });
  }

  /** How many sockets it has at other nodes, and they have here. */
  get dealings() {
    const [forwarded, guests] = [this.#forwards.size, this.#guests.size];
    return { forwarded, guests, isConnected: this.#lease.isConnected };
  }

  /** For who watches the server. */
  get state(): "ok" | "degraded" {
    return this.#lease.isConnected ? "ok" : "degraded";
  }

  start(): void {
    this.#lease.start();
  }

  enter(message: FirstMessage, socket: RoomSocket, kept: Allowance): Seat | WatchRefusal | null {
    const lease = this.#lease;
    if (!lease.holds(nameOf(message)) || !lease.isSure) return this.#enterLate(message, socket, kept);
    const seat = this.rooms.enter(message, socket, kept);
    return seat === null || typeof seat === "string" ? seat : new GatedSeat(seat, socket, lease);
  }

  /** Has all clients come again, and lets other nodes have the rooms. */
  async close(): Promise<void> {
    this.rooms.close();
    this.#wire?.close();
    this.#forwards.ended();
    await this.#lease.close();
  }

  #enterLate(message: FirstMessage, socket: RoomSocket, kept: Allowance): Seat {
    const { clock } = this.#options;
    const options = { rooms: this.rooms, lease: this.#lease, forwards: this.#forwards, clock };
    const seat = new LateSeat(options, { message, socket, kept });
    void seat.open();
    return seat;
  }

  #entered(node: string, session: StoreSession): void {
    const { secret, clock, passed, changed } = this.#options;
    this.#wire = new Wire({
      secret,
      clock,
      node,
      session,
      passed,
      heard: (from, line) => this.#heard(from, line),
      deaf: (peer) => this.#gone([peer]),
      broken: () => this.#lease.rename(),
    });
    changed(true);
  }

  #heard(from: string, line: NodeLine): void {
    switch (line.kind) {
      case "join":
      case "up":
      case "gone":
        return this.#guests.heard(from, line);
      case "where":
      case "standing":
      case "yield":
      case "yielded":
        return this.#merging.heard(from, line);
      default:
        return this.#forwards.heard(from, line);
    }
  }

  #gone(nodes: readonly string[]): void {
    this.#wire?.forget(nodes);
    this.#forwards.gone(nodes);
    this.#guests.gone(nodes);
  }

  #ended(): void {
    this.#wire = null;
    this.#forwards.ended();
    this.#guests.ended();
    this.#options.changed(false);
  }

  #elsewhere(name: string, node: string): void {
    if (this.rooms.listens(name)) this.#merging.found(name, node);
  }

  #lost(name: string): void {
    if (this.rooms.lose(name)) this.#options.roomLost();
    // A door that was replaced here meanwhile: who came by it elsewhere was left behind.
    else if (this.rooms.listens(name)) this.#merging.learnt(name);
  }
}

/** Rooms' timers order, too: they wait like messages. */
const gatedClock = (clock: Clock, lease: Lease): Clock => ({
  now: () => clock.now(),
  after(delay, task) {
    let isCancelled = false;
    const stop = clock.after(delay, () => lease.whenSure(() => isCancelled || task()));
    return () => {
      isCancelled = true;
      stop();
    };
  },
});

/** The store learns no door: what it has names for, it cannot find. */
function hiding(store: Store, secret: Buffer): Store {
  const hidden = (names: readonly string[]) => names.map((name) => hiddenName(secret, name));
  return {
    async open(node, events) {
      const session = await store.open(node, events);
      return {
        renew: (peers) => session.renew(peers),
        claim: (names, former) => session.claim(hidden(names), former),
        release: (names) => session.release(hidden(names)),
        publish: (to, bytes) => session.publish(to, bytes),
        leave: () => session.leave(),
        close: () => session.close(),
      };
    },
  };
}
