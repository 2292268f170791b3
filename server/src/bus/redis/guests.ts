import { type Down, parseUp } from "@sealcast/protocol";
import { type Clock, type Milli, milli } from "@sealcast/time";
import { refuseSeat } from "../../rooms/live-room.ts";
import { nameOf, type Rooms } from "../../rooms/rooms.ts";
import { type FaultCode, type FirstMessage, handOver, isFirst, type RoomSocket, type Seat } from "../../rooms/seat.ts";
import type { Allowance } from "../../sockets/allowance.ts";
import { GatedSeat } from "./gated-seat.ts";
import type { Lease } from "./lease.ts";
import type { LineKind, NodeLine, Wire } from "./wire.ts";

/** Milliseconds that a socket is to rest longer than was said last. */
const WORTH_SAYING = 50;
/** Characters with which its address is to be charged. */
const WORTH_CHARGING = 4_096;
/**
 * In characters that the store has not taken yet: past that a guest is too slow, as a socket is which the network does not keep up
 * with. Where much waits in all, many guests ask for much at once: then it is less, or the node could say nothing to anybody.
 */
const MAX_WAITING = 4 * 1024 * 1024;
const MAX_WAITING_WHILE_FULL = 64 * 1024;

interface Options {
  readonly rooms: Rooms;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly wire: () => Wire | null;
  /** What rooms keep that are opened for sockets of other nodes, all together. */
  readonly kept: Allowance;
}

/** Sockets of other nodes that have a seat in a room of this one. */
export class Guests {
  readonly #options: Options;
  /** By node and number. */
  readonly #guests = new Map<string, Guest>();

  constructor(options: Options) {
    this.#options = options;
  }

  get size(): number {
    return this.#guests.size;
  }

  heard(from: string, { kind, links, text }: NodeLine): void {
    for (const link of links) {
      if (kind === "join") this.#enter(from, link, text);
      else this.#guests.get(`${from} ${link}`)?.heard(kind, text);
    }
  }

  /** These nodes' sockets are lost. */
  gone(nodes: readonly string[]): void {
    for (const guest of [...this.#guests.values()]) if (nodes.includes(guest.node)) guest.drop();
  }

  ended(): void {
    for (const guest of [...this.#guests.values()]) guest.drop();
  }

  #enter(from: string, link: number, text: string): void {
    const { lease, wire } = this.#options;
    const key = `${from} ${link}`;
    const [network = ""] = text.split(" ", 1);
    const parsed = parseUp(text.slice(network.length + 1));
    if (!parsed.ok || !isFirst(parsed.value) || this.#guests.has(key)) return;
    const message = parsed.value;
    const say: Ways["say"] = (kind, text, taken) => wire()?.say(from, kind, link, text, taken);
    if (!lease.holds(nameOf(message))) return say("missing");
    const ended = () => this.#guests.delete(key);
    const guest = new Guest({ node: from, network }, this.#options, { say, ended });
    this.#guests.set(key, guest);
    lease.whenSure(() => this.#seat(guest, message, say));
  }

  #seat(guest: Guest, message: FirstMessage, say: (kind: LineKind) => void): void {
    const { lease, rooms, kept } = this.#options;
    if (guest.isOver) return;
    if (!lease.holds(nameOf(message))) {
      guest.drop();
      return say("missing");
    }
    const seat = rooms.enter(message, guest, kept);
    if (seat === null || typeof seat === "string") refuseSeat(seat, guest);
    else guest.sit(new GatedSeat(seat, guest, lease));
  }
}

interface Ways {
  readonly say: (kind: LineKind, text?: string, taken?: () => void) => void;
  readonly ended: () => void;
}

/** A socket of another node, as a room of this one sees it. */
class Guest implements RoomSocket {
  readonly node: string;
  readonly network: string;
  readonly #options: Options;
  readonly #ways: Ways;
  #seat: Seat | null = null;
  #isOver = false;
  #restsUntil = milli(0);
  #uncharged = 0;
  #waiting = 0;

  constructor({ node, network }: Pick<Guest, "node" | "network">, options: Options, ways: Ways) {
    this.node = node;
    this.network = network;
    this.#options = options;
    this.#ways = ways;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  sit(seat: Seat): void {
    if (this.#isOver) seat.drop();
    else this.#seat = seat;
  }

  heard(kind: LineKind, text: string): void {
    if (kind === "gone") return this.drop();
    const parsed = parseUp(text);
    if (kind !== "up" || !parsed.ok || isFirst(parsed.value) || this.#seat === null) return;
    if (handOver(parsed.value, this.#seat, this)) this.#rest(this.#options.clock.now());
  }

  send(text: string): void {
    if (this.#isOver) return;
    const { length } = text;
    const isFull = this.#options.wire()?.isFull === true;
    const isTooSlow = this.#waiting > MAX_WAITING || (isFull && this.#waiting + length > MAX_WAITING_WHILE_FULL);
    if (isTooSlow) return this.restart();
    this.#waiting += length;
    this.#ways.say("down", text, () => {
      this.#waiting -= length;
    });
  }

  offer(text: string): void {
    if (!this.#isOver && !this.#options.wire()?.isBusy) this.#ways.say("offer", text);
  }

  charge(characters: number): void {
    this.#uncharged += characters;
    if (this.#isOver || this.#uncharged < WORTH_CHARGING) return;
    this.#ways.say("charge", String(this.#uncharged));
    this.#uncharged = 0;
  }

  close(): void {
    this.#end("close");
  }

  restart(): void {
    this.#end("restart");
  }

  fault(code: FaultCode, message: string): void {
    this.#end("fault", JSON.stringify({ type: "fault", code, message } satisfies Down));
  }

  /** Its node says that it is lost, or is lost itself. */
  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ways.ended();
    this.#seat?.drop();
  }

  /** A room closes sockets and goes on as if they were lost later: so does this. */
  #end(kind: LineKind, text?: string): void {
    if (this.#isOver) return;
    this.#ways.say(kind, text);
    this.#isOver = true;
    this.#ways.ended();
    queueMicrotask(() => this.#seat?.drop());
  }

  /** Where the room has had more than it may, the node that reads the socket rests. */
  #rest(now: Milli): void {
    const overdrawn = this.#seat?.overdrawnFor(now) ?? 0;
    const until = milli(now + overdrawn);
    if (until - Math.max(now, this.#restsUntil) < WORTH_SAYING) return;
    this.#restsUntil = until;
    this.#ways.say("rest", String(Math.ceil(overdrawn)));
  }
}
