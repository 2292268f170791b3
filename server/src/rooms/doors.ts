import type { Room } from "./room.ts";
import type { DoorDirectory } from "./room-doors.ts";

/** Which room each door leads to: a room's own door always does, a former one while no room has it as its own. */
export class Doors implements DoorDirectory<Room> {
  readonly #rooms = new Map<string, Room>();
  /** The rooms that take a former door in, the first come first. */
  readonly #listening = new Map<string, Set<Room>>();

  /** How many rooms there are. */
  get size(): number {
    return this.#rooms.size;
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
    if (this.#rooms.has(door)) return false;
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
      if (other === undefined || other === room || !room.isAheadOf(other)) continue;
      for (const former of [...other.formerDoors, door]) room.takeDoor(former);
      this.expired(other);
    }
  }

  expired(room: Room): void {
    this.#rooms.delete(room.door);
    room.close();
  }
}
