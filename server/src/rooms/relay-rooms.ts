import { type Cancel, dropOldest, type Milli, milli, type Rate, TokenBucket } from "@sealcast/time";
import { type Removal, TOKEN_SECONDS } from "../relay/livekit.ts";
import type { RoomOptions } from "./seat.ts";
import { type Session, type Sessions, send } from "./sessions.ts";

/** Of one session: its page asks once, and again where it is sent away. */
const ASKS: Rate = { burst: 6, perSecond: 0.1 };
/** How often it is looked whether all who have a name there are still inside. */
const LOOK_EVERY = milli(2_000);
/** The relay renews tokens itself, for 10 minutes each: so long, and a minute for clocks that differ, who was sent away can come back. */
const MAY_COME_BACK = milli(11 * 60_000);
/** How many of those are remembered in a room. */
const MAX_SENT_AWAY = 256;
/** How often they are sent away again, and how soon after one of them was there, or the relay was not reached. */
const AGAIN_EVERY = milli(15_000);
const AGAIN_SOON = milli(2_000);

interface Options extends Pick<RoomOptions, "clock" | "randomId" | "dropped"> {
  readonly relay: NonNullable<RoomOptions["relay"]>;
  readonly sessions: Sessions;
}

/** A room of the media relay, where one branch of a group meets. */
interface RelayRoom {
  readonly name: string;
  /** What each session is called there. */
  readonly names: Map<Session, string>;
  /**
   * Names that may come back though they were sent away, and until when. They are sent away by name, without a look at who is there:
   * a relay's answer to that is as large as those who are there make it.
   */
  readonly sentAway: Map<string, Milli>;
  /** Before they are sent away again. Null: nobody is to be, or they just are. */
  stopWaiting: Cancel | null;
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
    for (const room of this.#rooms) room.stopWaiting?.();
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
    const made = { name: this.#options.randomId(), names: new Map(), sentAway: new Map(), stopWaiting: null };
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
    room.names.delete(session);
    this.#remember(room, identity);
    void this.#options.relay.remove(room.name, identity);
    room.stopWaiting?.();
    room.stopWaiting = this.#againAfter(AGAIN_SOON, room);
  }

  #remember({ sentAway }: RelayRoom, identity: string): void {
    sentAway.delete(identity);
    sentAway.set(identity, milli(this.#options.clock.now() + MAY_COME_BACK));
    dropOldest(sentAway, MAX_SENT_AWAY);
  }

  #end(room: RelayRoom): void {
    this.#rooms.delete(room);
    room.stopWaiting?.();
    void this.#options.relay.end(room.name);
  }

  #againAfter(time: Milli, room: RelayRoom): Cancel {
    return this.#options.clock.after(time, () => void this.#sendAgain(room));
  }

  /** Someone may have come back, or the relay did not hear that they are to go. */
  async #sendAgain(room: RelayRoom): Promise<void> {
    room.stopWaiting = null;
    const now = this.#options.clock.now();
    for (const [identity, until] of room.sentAway) if (until < now) room.sentAway.delete(identity);
    const removals = await Promise.all([...room.sentAway.keys()].map((identity) => this.#removeAgain(room, identity)));
    if (this.#isClosed || !this.#rooms.has(room) || room.sentAway.size === 0) return;
    const isCalm = removals.every((removal) => removal === "absent");
    room.stopWaiting ??= this.#againAfter(isCalm ? AGAIN_EVERY : AGAIN_SOON, room);
  }

  /** Who was there, or may be, has another token of the relay since. */
  async #removeAgain(room: RelayRoom, identity: string): Promise<Removal> {
    const removal = await this.#options.relay.remove(room.name, identity);
    if (removal !== "absent") this.#remember(room, identity);
    return removal;
  }
}
