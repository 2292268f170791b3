import type { Room } from "./room.ts";
import type { DoorDirectory } from "./room-doors.ts";

/** Doors that lead to other processes. */
export interface Elsewhere {
  /** Whether the door leads here, to a room or to none. */
  leadsHere(door: string): boolean;
  /** The room may have learnt of nodes at which sessions stand whose room is in another process, behind this door. */
  learnt(door: string): void;
}

/** There is no other process. */
const nowhereElse: Elsewhere = { leadsHere: () => true, learnt: () => undefined };

/** Which room each door leads to: a room's own door always does, a former one while no room has it as its own. */
export class Doors implements DoorDirectory<Room> {
  readonly #elsewhere: Elsewhere;
  readonly #rooms = new Map<string, Room>();
  /** The rooms that take a former door in, the first come first. */
  readonly #listening = new Map<string, Set<Room>>();

  constructor(elsewhere = nowhereElse) {
    this.#elsewhere = elsewhere;
  }

  /** How many rooms there are. */
  get size(): number {
    return this.#rooms.size;
  }

  /** Every door that leads to a room here, or would if it led to none. */
  names(): Iterable<string> {
    return new Set([...this.#rooms.keys(), ...this.#listening.keys()]);
  }

  /** The room that has this door as its own. */
  owner(door: string): Room | undefined {
    return this.#rooms.get(door);
  }

  /** The rooms that take this door in as a former one. */
  listeners(door: string): Room[] {
    return [...(this.#listening.get(door) ?? [])];
  }

  find(door: string): Room | undefined {
    const [listening] = this.#listening.get(door) ?? [];
    return this.#rooms.get(door) ?? listening;
  }

  add(room: Room): void {
    this.#rooms.set(room.door, room);
  }

  rooms(): Iterable<Room> {
    return this.#rooms.values();
  }

  replace(door: string, room: Room): boolean {
    if (this.#rooms.has(door) || !this.#elsewhere.leadsHere(door)) return false;
    this.#rooms.delete(room.door);
    this.#rooms.set(door, room);
    return true;
  }

  listen(door: string, room: Room): void {
    const rooms = this.#listening.get(door) ?? new Set();
    this.#listening.set(door, rooms.add(room));
  }

  unlisten(door: string, room: Room): void {
    const rooms = this.#listening.get(door);
    rooms?.delete(room);
    if (rooms?.size === 0) this.#listening.delete(door);
  }

  /**
   * After a restart, those who missed that a door was replaced meet behind it in a room of their own. It is closed once
   * this room has their nodes as ended ones, which takes the tokens: nobody else can call them away. They come again.
   */
  learnt(room: Room, doors: Iterable<string>): void {
    for (const door of doors) {
      const other = this.#rooms.get(door);
      if (other === undefined && !this.#elsewhere.leadsHere(door)) this.#elsewhere.learnt(door);
      if (other === undefined || other === room || !room.hasEnded(other.standing)) continue;
      for (const former of [...other.formerDoors, door]) room.takeDoor(former);
      this.expired(other);
    }
  }

  expired(room: Room): void {
    this.#rooms.delete(room.door);
    room.close();
  }
}
