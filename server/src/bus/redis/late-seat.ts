import { type Clock, type Milli, milli } from "@sealcast/time";
import { refuseSeat } from "../../rooms/live-room.ts";
import { nameOf, type Rooms } from "../../rooms/rooms.ts";
import { type AfterJoin, type FirstMessage, handOver, type RoomSocket, type Seat } from "../../rooms/seat.ts";
import type { Allowance } from "../../sockets/allowance.ts";
import type { Forwards } from "./forwards.ts";
import { GatedSeat, WaitingMessages } from "./gated-seat.ts";
import type { Lease, RoomPlace } from "./lease.ts";

/** For a socket to get its seat: longer than a lost node's lease holds, and than the time of grace. */
const TO_SIT = milli(6_000);
/** Where it is not known who has the room, or that node does not answer, before it is asked for again. */
const ASK_AGAIN = milli(200);

interface Options {
  readonly rooms: Rooms;
  readonly lease: Lease;
  readonly forwards: Forwards;
  readonly clock: Clock;
}

/** A socket, its first message, and what is charged with what its room keeps. */
export interface Arrival {
  readonly message: FirstMessage;
  readonly socket: RoomSocket;
  readonly kept: Allowance;
}

/** The seat of a socket while it is not known where its room is; from then on that one. */
export class LateSeat implements Seat {
  readonly #options: Options;
  readonly #arrival: Arrival;
  readonly #waiting = new WaitingMessages();
  #seat: Seat | null = null;
  #isSeated = false;
  #isOver = false;

  constructor(options: Options, arrival: Arrival) {
    this.#options = options;
    this.#arrival = arrival;
  }

  overdrawnFor(now: Milli): number {
    return this.#isSeated ? (this.#seat?.overdrawnFor(now) ?? 0) : 0;
  }

  handle(message: AfterJoin): boolean {
    if (this.#isSeated && this.#seat) return this.#seat.handle(message);
    if (!this.#isOver && !this.#waiting.add(message)) this.#restart();
    return true;
  }

  drop(): void {
    this.#isOver = true;
    this.#seat?.drop();
  }

  /** Looks for the room until it is found, or for as long as a client waits. */
  async open(): Promise<void> {
    const { lease, clock } = this.#options;
    const deadline = clock.now() + TO_SIT;
    while (!this.#isOver) {
      const place = await lease.claim(nameOf(this.#arrival.message));
      if (this.#isOver || (place && (await this.#sit(place)))) return;
      if (clock.now() >= deadline) return this.#restart();
      await new Promise<void>((done) => void clock.after(ASK_AGAIN, done));
    }
  }

  /** False where the room is not there. */
  async #sit(place: RoomPlace): Promise<boolean> {
    const { message, socket } = this.#arrival;
    if (place.is === "here") return this.#sitHere();
    const forward = this.#options.forwards.open(place.node, message, socket);
    this.#seat = forward;
    if (forward === null || !(await forward.opened)) return this.#isOver;
    this.#seated(forward);
    return true;
  }

  async #sitHere(): Promise<boolean> {
    const { lease, rooms } = this.#options;
    const { message, socket, kept } = this.#arrival;
    await lease.sure();
    if (this.#isOver) return true;
    if (!lease.holds(nameOf(message))) return false;
    const seat = rooms.enter(message, socket, kept);
    if (seat === null || typeof seat === "string") {
      this.#isOver = true;
      refuseSeat(seat, socket);
    } else {
      this.#seat = new GatedSeat(seat, socket, lease);
      this.#seated(this.#seat);
    }
    return true;
  }

  #seated(seat: Seat): void {
    this.#isSeated = true;
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take())
      handOver(next, seat, this.#arrival.socket);
  }

  #restart(): void {
    this.#isOver = true;
    this.#seat?.drop();
    this.#arrival.socket.restart();
  }
}
