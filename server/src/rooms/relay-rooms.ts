import { type Cancel, type Milli, milli, type Rate, TokenBucket } from "@sealcast/time";
import { TOKEN_SECONDS } from "../relay/livekit.ts";
import type { RoomOptions } from "./seat.ts";
import { type Session, type Sessions, send } from "./sessions.ts";

/** Of one session: its page asks once, and again where it is sent away. */
const ASKS: Rate = { burst: 6, perSecond: 0.1 };
/** How often it is looked whether all who have a name there are still inside. */
const LOOK_EVERY = milli(2_000);
/** The relay renews tokens itself, for 10 minutes each: so long, and a minute for clocks that differ, who was sent away can come back. */
const WATCHED = milli(11 * 60_000);
/** How often a room of the relay is searched then, and after a search that found someone, or was not answered. */
const SEARCH_EVERY = milli(15_000);
const SEARCH_SOON = milli(2_000);

interface Options extends Pick<RoomOptions, "clock" | "randomId" | "dropped"> {
  readonly relay: NonNullable<RoomOptions["relay"]>;
  readonly sessions: Sessions;
}

/** A room of the media relay, where one branch of a group meets. */
interface RelayRoom {
  readonly name: string;
  /** What each session is called there. */
  readonly names: Map<Session, string>;
  /** Until then someone may come back who was sent away. */
  watchedUntil: Milli;
  stopSearch: Cancel | null;
}

/**
 * Who of a call may be in which room of the media relay. Those who hear each other share one: who shows a token of their own making,
 * or commits apart from the others, has another one. Of several branches in one room, the one with most names there keeps it.
 */
export class RelayRooms {
  readonly #options: Options;
  readonly #rooms = new Set<RelayRoom>();
  readonly #asks = new WeakMap<Session, TokenBucket>();
  #stopLooking: Cancel | null = null;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Lets a member of a group into the room of the relay where that meets. Nobody else gets an answer. */
  give(session: Session): void {
    const { clock, sessions, dropped } = this.#options;
    const asks = this.#asks.get(session) ?? new TokenBucket(ASKS, clock);
    this.#asks.set(session, asks);
    if (!asks.tryTake()) return dropped();
    if (!sessions.isMember(session)) return;
    this.#settle();
    void this.#answer(session, this.#roomOf(session));
  }

  /** Stops every timer. Who is at the relay stays there: they come again, to this server or another one, and move. */
  close(): void {
    this.#isClosed = true;
    this.#stopLooking?.();
    for (const room of this.#rooms) room.stopSearch?.();
    this.#rooms.clear();
  }

  async #answer(session: Session, { name: room, names }: RelayRoom): Promise<void> {
    const { relay, randomId } = this.#options;
    const identity = names.get(session) ?? randomId();
    names.set(session, identity);
    this.#stopLooking ??= this.#lookLater();
    const token = await relay.token(room, identity);
    if (names.get(session) !== identity) return;
    send(session, { type: "relay-token", url: relay.url, room, identity, token, validFor: TOKEN_SECONDS });
  }

  #roomOf(session: Session): RelayRoom {
    const near = this.#near(session);
    const known = [...this.#rooms].find(({ names }) => [...names.keys()].some((one) => near.has(one)));
    if (known) return known;
    const made = { name: this.#options.randomId(), names: new Map(), watchedUntil: milli(0), stopSearch: null };
    this.#rooms.add(made);
    return made;
  }

  #near({ node }: Session): ReadonlySet<Session> {
    return new Set(node ? this.#options.sessions.people(node) : []);
  }

  #lookLater(): Cancel {
    return this.#options.clock.after(LOOK_EVERY, () => {
      this.#settle();
      this.#stopLooking = this.#rooms.size > 0 ? this.#lookLater() : null;
    });
  }

  /** Sends away who is no longer inside. A branch keeps one room. */
  #settle(): void {
    const kept = new Set<Session>();
    for (const room of [...this.#rooms].sort((a, b) => b.names.size - a.names.size)) {
      const staying = this.#branchOf(room);
      const [first] = staying;
      const isDouble = first !== undefined && [...this.#near(first)].some((one) => kept.has(one));
      for (const [session, identity] of room.names)
        if (isDouble || !staying.has(session)) this.#sendAway(room, session, identity);
        else kept.add(session);
      if (room.names.size === 0) this.#end(room);
    }
  }

  /** Of those who have a name there and are inside, the most that hear each other. */
  #branchOf({ names }: RelayRoom): ReadonlySet<Session> {
    const left = new Set([...names.keys()].filter((session) => this.#options.sessions.isMember(session)));
    let largest: ReadonlySet<Session> = new Set();
    for (const session of left) {
      const branch = new Set([...this.#near(session)].filter((one) => left.has(one)));
      for (const one of branch) left.delete(one);
      if (branch.size > largest.size) largest = branch;
    }
    return largest;
  }

  #sendAway(room: RelayRoom, session: Session, identity: string): void {
    const { relay, clock } = this.#options;
    room.names.delete(session);
    room.watchedUntil = milli(clock.now() + WATCHED);
    void relay.remove(room.name, identity);
    room.stopSearch ??= this.#searchAfter(SEARCH_SOON, room);
  }

  #end(room: RelayRoom): void {
    this.#rooms.delete(room);
    room.stopSearch?.();
    void this.#options.relay.end(room.name);
  }

  #searchAfter(time: Milli, room: RelayRoom): Cancel {
    return this.#options.clock.after(time, () => void this.#search(room));
  }

  /** Sends away who has no name there: someone who came back, or whom the relay was not told of. */
  async #search(room: RelayRoom): Promise<void> {
    const { relay, clock } = this.#options;
    const found = await relay.identities(room.name);
    const named = new Set(room.names.values());
    const strangers = found?.filter((identity) => !named.has(identity)) ?? [];
    await Promise.all(strangers.map((identity) => relay.remove(room.name, identity)));
    if (this.#isClosed || !this.#rooms.has(room)) return;
    const now = clock.now();
    if (strangers.length > 0) room.watchedUntil = milli(now + WATCHED);
    const isCalm = found !== null && strangers.length === 0;
    room.stopSearch =
      isCalm && now > room.watchedUntil ? null : this.#searchAfter(isCalm ? SEARCH_EVERY : SEARCH_SOON, room);
  }
}
