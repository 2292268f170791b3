import type { Allowance } from "../sockets/allowance.ts";
import { liveRoomOf } from "./door.ts";
import { Doors, type Elsewhere } from "./doors.ts";
import { LiveRoom, type WatchRefusal } from "./live-room.ts";
import { Room } from "./room.ts";
import type { FirstMessage, RoomOptions, RoomSocket, Seat, Sent } from "./seat.ts";

/** What a room is known by to others of its kind: of calls a door, of live rooms their name. */
export function nameOf(message: FirstMessage): string {
  if (message.type === "join") return message.door;
  return message.type === "host" ? liveRoomOf(message.key) : message.room;
}

/** What other processes may ask of a call. */
export interface Standing {
  /** Where its members stand. */
  readonly nodes: readonly string[];
  /** Its own door, and its former ones. */
  readonly doors: readonly string[];
}

/** Every room of this process: calls by their doors, live rooms by their names. */
export class Rooms {
  readonly #options: RoomOptions;
  readonly #doors: Doors;
  readonly #live = new Map<string, LiveRoom>();

  constructor(options: RoomOptions, elsewhere?: Elsewhere) {
    this.#options = options;
    this.#doors = new Doors(elsewhere);
  }

  /** How many rooms there are, those lately emptied included. */
  get size(): { readonly calls: number; readonly streams: number } {
    return { calls: this.#doors.size, streams: this.#live.size };
  }

  /** A socket's seat in the room that its first message names, whose signature the caller has checked. Null when that is full. */
  enter(message: FirstMessage, socket: RoomSocket, kept: Allowance): Seat | WatchRefusal | null {
    if (message.type === "join") return this.join(message, socket, kept);
    return message.type === "host" ? this.host(message, socket) : this.watch(message, socket);
  }

  /** Opens the room if the door leads nowhere: what it keeps is charged to `kept`. Null when it is full. */
  join(message: Pick<Sent<"join">, "door" | "resume">, socket: RoomSocket, kept: Allowance): Seat | null {
    return (this.#doors.find(message.door) ?? this.#open(message.door, kept)).join(message, socket);
  }

  /** Opens the live room that the host's key names if need be. The caller has checked the signature. */
  host(message: Sent<"host">, socket: RoomSocket): Seat {
    return this.#liveRoom(liveRoomOf(message.key)).host(message, socket);
  }

  /** Opens the live room if need be: viewers may come before the host. The caller has checked the signature. */
  watch(message: Sent<"watch">, socket: RoomSocket): Seat | WatchRefusal {
    return this.#liveRoom(message.room).watch(message, socket);
  }

  /** The names of all rooms, and those that would lead to one if they led to no other. */
  *names(): Iterable<string> {
    yield* this.#doors.names();
    yield* this.#live.keys();
  }

  /** The room of this name is another process's: its clients come again. False: there is none. */
  lose(name: string): boolean {
    const call = this.#doors.owner(name);
    if (call) this.#doors.expired(call);
    this.#live.get(name)?.close();
    return this.#live.delete(name) || call !== undefined;
  }

  /** Whether a call takes this door in as a former one. */
  listens(door: string): boolean {
    return this.#doors.listeners(door).length > 0;
  }

  /** Of the call that has this door as its own. */
  standing(door: string): Standing | null {
    const call = this.#doors.owner(door);
    return call ? { nodes: call.standing, doors: [...call.formerDoors, door] } : null;
  }

  /** Those calls take these doors that listen at `door`, and know that all at these nodes were left behind. False: none does. */
  takeDoors(door: string, { nodes, doors }: Standing): boolean {
    const ahead = this.#doors.listeners(door).find((room) => room.hasEnded(nodes));
    for (const one of doors) ahead?.takeDoor(one);
    return ahead !== undefined;
  }

  /** Stops every timer, and has all clients come again. */
  close(): void {
    for (const room of [...this.#doors.rooms()]) this.#doors.expired(room);
    for (const room of this.#live.values()) room.close();
    this.#live.clear();
  }

  #liveRoom(id: string): LiveRoom {
    const known = this.#live.get(id);
    if (known) return known;
    const room = new LiveRoom(id, this.#options, () => this.#live.delete(id));
    this.#live.set(id, room);
    return room;
  }

  #open(door: string, allowance: Allowance): Room {
    const room = new Room(door, { ...this.#options, allowance }, this.#doors);
    this.#doors.add(room);
    return room;
  }
}
