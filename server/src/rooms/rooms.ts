import type { Allowance } from "../sockets/allowance.ts";
import { liveRoomOf } from "./door.ts";
import { Doors } from "./doors.ts";
import { LiveRoom, type WatchRefusal } from "./live-room.ts";
import { Room } from "./room.ts";
import type { RoomOptions, RoomSocket, Seat, Sent } from "./seat.ts";

/** Every room of this process: calls by their doors, live rooms by their names. */
export class Rooms {
  readonly #options: RoomOptions;
  readonly #doors = new Doors();
  readonly #live = new Map<string, LiveRoom>();

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** How many rooms there are, those lately emptied included. */
  get size(): { readonly calls: number; readonly streams: number } {
    return { calls: this.#doors.size, streams: this.#live.size };
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

  /** Stops every timer. No socket may be left. */
  close(): void {
    for (const room of [...this.#doors.rooms()]) this.#doors.expired(room);
    for (const room of this.#live.values()) room.close();
    this.#live.clear();
  }

  #liveRoom(id: string): LiveRoom {
    const known = this.#live.get(id);
    if (known) return known;
    const room = new LiveRoom(this.#options, () => this.#live.delete(id));
    this.#live.set(id, room);
    return room;
  }

  #open(door: string, allowance: Allowance): Room {
    const room = new Room(door, { ...this.#options, allowance }, this.#doors);
    this.#doors.add(room);
    return room;
  }
}
