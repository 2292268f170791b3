import type { WatchRefusal } from "../rooms/live-room.ts";
import type { FirstMessage, RoomSocket, Seat } from "../rooms/seat.ts";
import type { Allowance } from "../sockets/allowance.ts";

/** What joined sockets know of the world: a seat in their room, which may be in this process or in another one. */
export interface Bus {
  /**
   * A socket's seat in the room that its first message names, whose signature the caller has checked. Null when the room is
   * full. Where that is not known at once, the seat says so later by a fault.
   *
   * @param kept - What is charged with what a room keeps that is opened here.
   */
  enter(message: FirstMessage, socket: RoomSocket, kept: Allowance): Seat | WatchRefusal | null;
}
