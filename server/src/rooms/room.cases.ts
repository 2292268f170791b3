import { type Down, parseDown } from "@sealcast/protocol";
import { ManualClock, milli } from "@sealcast/time";
import { expect } from "vitest";
import { Allowance } from "../sockets/allowance.ts";
import { knockKey, token } from "./door.cases.ts";
import { nodeOf } from "./door.ts";
import type { Elsewhere } from "./doors.ts";
import { Rooms } from "./rooms.ts";
import type { RoomOptions, Seat, Sent } from "./seat.ts";

export type Received<T extends Down["type"]> = Extract<Down, { type: T }>;
type Resume = Sent<"join">["resume"];

export const node = (epoch: string): string => nodeOf(token(epoch));

/** A client as the room sees it: one session, over one socket after the other. */
export class Client {
  readonly received: Down[] = [];
  /** In characters: what its address was charged with besides what it said. */
  charged = 0;
  closed = 0;
  restarted = 0;
  /** Whether much is waiting for its socket. */
  isBusy = false;
  /** The epoch that it said it is in. */
  epoch = "";
  /** Where it may knock, as the server named it last. */
  open: Received<"knock-keys">["tips"] = [];
  #seat: Seat | null = null;
  #joined: Received<"joined"> | null = null;

  join(
    rooms: Rooms,
    { door = "D", resume = null, network = "" }: { door?: string; resume?: Resume; network?: string } = {},
    kept = new Allowance(),
  ): this {
    const socket = {
      network,
      charge: (characters: number) => {
        this.charged += characters;
      },
      send: (text: string) => this.#receive(text),
      offer: (text: string) => void (this.isBusy || this.#receive(text)),
      close: () => this.closed++,
      restart: () => this.restarted++,
      fault: (code: Received<"fault">["code"]) => this.#receive(JSON.stringify({ type: "fault", code, message: "" })),
    };
    this.#seat = rooms.join({ door, resume }, socket, kept);
    return this;
  }

  say(message: Parameters<Seat["handle"]>[0]): void {
    this.#seat?.handle(message);
  }

  enter(epoch: string, ...tags: string[]): this {
    this.epoch = epoch;
    this.say({ type: "enter", token: token(epoch), knockKey: knockKey(epoch, ...tags) });
    return this;
  }

  /** From the epoch that it is in. */
  commit(next: string, more: Partial<Sent<"commit">> & { newcomers?: readonly Client[] } = {}): void {
    const { newcomers = [], ...fields } = more;
    const welcome = newcomers.length > 0 ? { to: newcomers.map(({ member }) => member), body: "welcome" } : null;
    const [at, body, despite, door, key] = [node(this.epoch), "commit", [], null, knockKey(next)];
    this.say({ type: "commit", at, next: node(next), body, welcome, despite, door, knockKey: key, ...fields });
  }

  opens(door: string): Sent<"commit">["door"] {
    return { door, signature: "" };
  }

  relay(body = "relay"): void {
    this.say({ type: "relay", body });
  }
  /** Asks where, and knocks there. */
  knock(all = false): void {
    this.say({ type: "request-keys", all });
    for (const { at } of this.open) this.say({ type: "knock", at, body: "package" });
  }
  listen(door: string): void {
    this.say({ type: "listen", door, signature: "" });
  }
  restock(at: string, next: string, body = "commit"): void {
    this.say({ type: "restock", token: token(at), next: node(next), body });
  }
  drop(): void {
    this.#seat?.drop();
  }
  leave(): void {
    this.say({ type: "leave" });
  }

  get isSeated(): boolean {
    return this.#seat !== null;
  }
  get joined(): Received<"joined"> {
    return this.#joined ?? expect.unreachable("never joined");
  }
  get member(): string {
    return this.joined.member;
  }
  get last(): Down | undefined {
    return this.received.at(-1);
  }
  /** What this client would send to resume now. */
  get place(): { token: string; seq: number } {
    return { token: this.joined.token, seq: Math.max(...this.received.map((m) => ("seq" in m ? m.seq : 0))) };
  }
  all<T extends Down["type"]>(type: T): Received<T>[] {
    return this.received.filter((message): message is Received<T> => message.type === type);
  }
  types(): string[] {
    return this.received.map((message) => (message.type === "presence" ? message.is : message.type));
  }
  /** What came since this was last asked. */
  fresh(): string[] {
    const types = this.types();
    this.received.length = 0;
    return types;
  }

  #receive(text: string): void {
    const parsed = parseDown(text);
    const message = parsed.ok ? parsed.value : expect.unreachable(`not a message: ${text}`);
    if (message.type === "joined") this.#joined = message;
    if (message.type === "knock-keys") this.open = message.tips;
    else this.received.push(message);
  }
}

interface Helpers {
  readonly relay?: RoomOptions["relay"];
  readonly turn?: RoomOptions["turn"];
  readonly elsewhere?: Elsewhere;
}

export function setUp({ relay = null, turn = null, elsewhere }: Helpers = {}) {
  const clock = new ManualClock();
  let ids = 0;
  const randomId = () => String(ids++).padStart(22, "0");
  const allowance = new Allowance();
  const options = { clock, randomId, stunPort: 3478, relay, liveRelays: null, turn, dropped: () => {} };
  const rooms = new Rooms(options, elsewhere);
  const join = (door = "D", network = "") => new Client().join(rooms, { door, network }, allowance);
  return { rooms, allowance, join, clock, wait: (ms: number) => clock.advance(milli(ms)) };
}

/** This many members of one group in epoch "e", who have received nothing since they entered. */
export function group(size: number, helpers: Helpers = {}) {
  const room = setUp(helpers);
  const members = Array.from({ length: size }, () => room.join().enter("e"));
  for (const member of members) member.received.splice(1);
  const [alice, bob, ...others] = members;
  if (!alice) return expect.unreachable();
  return { ...room, members, alice, bob: bob ?? alice, others };
}
