import { randomBytes } from "node:crypto";
import { type Outlet, Room, type RoomOptions, type Seat, type Sent } from "./room.ts";

/** Every room of this process, by its id. */
export class Rooms {
  readonly #options: RoomOptions;
  readonly #rooms = new Map<string, Room>();

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** How many rooms there are, those lately emptied included. */
  get size(): number {
    return this.#rooms.size;
  }

  /** Opens the room if need be. Null when it is full. */
  join(message: Sent<"join">, outlet: Outlet): Seat | null {
    const room = this.#rooms.get(message.room) ?? this.#open(message.room);
    return room.join(message, outlet);
  }

  /** Stops every timer. No socket may be left. */
  close(): void {
    for (const room of this.#rooms.values()) room.close();
    this.#rooms.clear();
  }

  #open(id: string): Room {
    const room = new Room(this.#options, () => this.#rooms.delete(id));
    this.#rooms.set(id, room);
    return room;
  }
}

/** 128 bits, base64url. */
export const randomId = (): string => randomBytes(16).toString("base64url");
