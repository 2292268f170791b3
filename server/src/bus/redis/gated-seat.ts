import type { Milli } from "@sealcast/time";
import { type AfterJoin, handOver, type RoomSocket, type Seat } from "../../rooms/seat.ts";
import type { Lease } from "./lease.ts";

/** How much of one socket waits for the store: messages, and characters of them. */
const MAX_WAITING = 64;
const MAX_WAITING_SIZE = 1024 * 1024;

/** What waits of one socket's messages, bounded. Past that the socket is to come again. */
export class WaitingMessages {
  readonly #messages: AfterJoin[] = [];
  #size = 0;

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** False where there is no more place. */
  add(message: AfterJoin): boolean {
    if (this.#messages.length >= MAX_WAITING || this.#size >= MAX_WAITING_SIZE) return false;
    this.#messages.push(message);
    this.#size += sizeOf(message);
    return true;
  }

  take(): AfterJoin | undefined {
    const message = this.#messages.shift();
    if (message) this.#size -= sizeOf(message);
    return message;
  }
}

/** Of what is long in it. */
const sizeOf = (message: AfterJoin): number =>
  "body" in message ? message.body.length : JSON.stringify(message).length;

/**
 * A seat in a room of this node. Its messages wait, in their order, while the node may not order (see [Note: Who orders]), and
 * while it claims a door that one of them names: then rooms find every door that can be theirs among those that lead here.
 */
export class GatedSeat implements Seat {
  readonly #seat: Seat;
  readonly #socket: RoomSocket;
  readonly #lease: Lease;
  readonly #waiting = new WaitingMessages();
  #isWorking = false;
  #isDropped = false;

  constructor(seat: Seat, socket: RoomSocket, lease: Lease) {
    this.#seat = seat;
    this.#socket = socket;
    this.#lease = lease;
  }

  overdrawnFor(now: Milli): number {
    return this.#seat.overdrawnFor(now);
  }

  handle(message: AfterJoin): boolean {
    if (!this.#isWorking && this.#lease.isSure && doorOf(message) === null) return this.#seat.handle(message);
    if (this.#isDropped) return true;
    if (!this.#waiting.add(message)) this.#socket.restart();
    else if (!this.#isWorking) void this.#work();
    return true;
  }

  drop(): void {
    this.#isDropped = true;
    if (!this.#isWorking) this.#lease.whenSure(() => this.#seat.drop());
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      await this.#claim(next);
      await this.#lease.sure();
      handOver(next, this.#seat, this.#socket);
    }
    this.#isWorking = false;
    if (this.#isDropped) this.#seat.drop();
  }

  /** The store may be found to be away while it is asked: a commit is not ordered without its door for that. */
  async #claim(message: AfterJoin): Promise<void> {
    const lease = this.#lease;
    const door = doorOf(message);
    if (door === null) return;
    await lease.sure();
    const place = lease.isAlone ? null : await lease.claim(door);
    if (place === null && lease.isAlone && message.type === "commit") lease.assume(door);
  }
}

/** A door that is to lead to the sender's room. */
function doorOf(message: AfterJoin): string | null {
  if (message.type === "listen") return message.door;
  return message.type === "commit" ? (message.door?.door ?? null) : null;
}
