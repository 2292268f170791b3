import type { Removal } from "../relay/livekit.ts";
import type { RoomOptions } from "./seat.ts";

/** A media relay that remembers, in place of LiveKit. */
export class FakeRelay implements NonNullable<RoomOptions["relay"]> {
  readonly url = "wss://relay.example.org";
  /** By room. */
  readonly there = new Map<string, Set<string>>();
  /** Tokens. */
  asked = 0;
  /** How often it was told that someone is to go. */
  removals = 0;
  isReachable = true;

  async token(room: string, identity: string): Promise<string> {
    this.asked++;
    return `head.${room}-${identity}.signature`;
  }

  /** As with a token of this room. */
  enter(room: string, identity: string): void {
    this.there.set(room, (this.there.get(room) ?? new Set()).add(identity));
  }

  async remove(room: string, identity: string): Promise<Removal> {
    this.removals++;
    if (!this.isReachable) return "unreached";
    return this.there.get(room)?.delete(identity) ? "removed" : "absent";
  }

  async end(room: string): Promise<void> {
    if (this.isReachable) this.there.delete(room);
  }
}
