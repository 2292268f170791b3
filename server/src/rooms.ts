import { randomBytes } from "node:crypto";
import { type LiveOutlet, LiveRoom } from "./live-room.ts";
import { type CallOptions, type Outlet, Room, type Seat, type Sent } from "./room.ts";

/** Every room of this process, by its id. */
export class Rooms {
  readonly #options: CallOptions;
  readonly #rooms = new Map<string, Room>();
  readonly #live = new Map<string, LiveRoom>();

  constructor(options: CallOptions) {
    this.#options = options;
  }

  /** How many rooms there are, those lately emptied included. */
  get size(): { readonly calls: number; readonly streams: number } {
    return { calls: this.#rooms.size, streams: this.#live.size };
  }

  /** Opens the room if need be. Null when it is full. */
  join(message: Sent<"join">, outlet: Outlet): Seat | null {
    const room = this.#rooms.get(message.room) ?? this.#open(message.room);
    return room.join(message, outlet);
  }

  /** Opens the live room if need be. Null when another host holds it. */
  host(message: Sent<"host">, outlet: LiveOutlet): Seat | null {
    return this.#liveRoom(message.room).host(message, outlet);
  }

  /** Opens the live room if need be: viewers may come before the host. Null when it is full. */
  watch(message: Sent<"watch">, outlet: LiveOutlet): Seat | null {
    return this.#liveRoom(message.room).watch(message, outlet);
  }

  /** Stops every timer. No socket may be left. */
  close(): void {
    for (const rooms of [this.#rooms, this.#live]) {
      for (const room of rooms.values()) room.close();
      rooms.clear();
    }
  }

  #liveRoom(id: string): LiveRoom {
    const known = this.#live.get(id);
    if (known) return known;
    const room = new LiveRoom(this.#options, () => this.#live.delete(id));
    this.#live.set(id, room);
    return room;
  }

  #open(id: string): Room {
    const room = new Room(this.#options, () => {
      room.close();
      this.#rooms.delete(id);
    });
    this.#rooms.set(id, room);
    return room;
  }
}

/** 128 bits, base64url. */
export const randomId = (): string => randomBytes(16).toString("base64url");
