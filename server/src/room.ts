import { timingSafeEqual } from "node:crypto";
import type { Down, Head, Up } from "@sealcast/protocol";
import { type Cancel, type Clock, milli } from "@sealcast/time";
import type { Allowance } from "./allowance.ts";
import { Commits } from "./commits.ts";
import { Journal, type Numbered, type Reader } from "./journal.ts";

const MAX_SESSIONS = 50;
/** From the drop of its socket until the others are told that a session is gone. */
const AWAY = milli(15_000);
/** From then until it can no longer resume: 60 s after the drop. */
const GONE = milli(45_000);
/** How long an empty room is remembered. */
const EMPTY = milli(60_000);

/** A socket as a room sees it. No call may lead back into the room before it returns. */
export interface Outlet {
  send(text: string): void;
  /** Sends unless much is waiting already: for what comes again anyway. */
  offer(text: string): void;
  close(): void;
}

/** A room as a joined socket sees it. Inert once another socket took the session over. */
export interface Seat {
  /** False: no message for this kind of room. */
  handle(message: AfterJoin): boolean;
  /** The socket is lost. */
  drop(): void;
}

/** A client's message of this type. */
export type Sent<T extends Up["type"]> = Extract<Up, { type: T }>;
type AfterJoin = Exclude<Up, { type: "join" | "host" | "watch" }>;
/** What is said in a live room and nowhere else. */
type OfLive = { type: "tell" | "deliver" | "broadcast" | "dismiss" | "end" };
type OfCall = Exclude<AfterJoin, OfLive>;

export interface RoomOptions {
  readonly clock: Clock;
  /** A fresh random 128-bit id, base64url. */
  readonly randomId: () => string;
  /** Passed on to every client. */
  readonly stunPort: number | null;
}

export interface CallOptions extends RoomOptions {
  /** Shared by all rooms. */
  readonly allowance: Allowance;
}

type Presence =
  | { readonly is: "here"; readonly outlet: Outlet }
  | { readonly is: "away" | "gone"; readonly stop: Cancel };

interface Session extends Reader {
  readonly member: string;
  readonly token: string;
  presence: Presence;
  /** Whether it takes part in the group, as far as the server can know. */
  admitted: boolean;
  /** Whether it was told to found a group. */
  founder: boolean;
  /** Epochs whose commit it called invalid. */
  readonly skipped: Set<number>;
}

/** Who is in a room, who of them is in its group, and the one order of what they send. No sockets: those are outlets. */
export class Room {
  readonly #options: CallOptions;
  readonly #expired: () => void;
  /** In the order in which they came. */
  readonly #sessions = new Map<string, Session>();
  readonly #journal: Journal<Session>;
  #commits: Commits;
  #stopExpiry: Cancel = () => {};

  /** `expired` is called once the room has been empty for a minute. */
  constructor(options: CallOptions, expired: () => void) {
    this.#options = options;
    this.#expired = expired;
    this.#journal = new Journal(options.allowance);
    this.#commits = new Commits(options.allowance);
  }

  /** Null when the room is full. */
  join({ resume, state }: Sent<"join">, outlet: Outlet): Seat | null {
    const known = resume ? this.#byToken(resume.token) : undefined;
    const others = [...this.#sessions.values()].filter((other) => other !== known && other.presence.is !== "gone");
    if (others.length >= MAX_SESSIONS) return null;
    const missed = known && resume ? this.#journal.since(resume.seq, known) : null;
    if (known && resume && missed) return this.#resume(known, outlet, resume.seq, missed);
    if (known) this.#retire(known);
    return this.#enter(outlet, state);
  }

  /** Stops every timer and keeps nothing. The room is of no use afterwards. */
  close(): void {
    this.#journal.clear();
    this.#commits.clear();
    this.#stopExpiry();
    for (const { presence } of this.#sessions.values()) if (presence.is !== "here") presence.stop();
  }

  #enter(outlet: Outlet, state: Head | null): Seat {
    const session: Session = {
      member: this.#options.randomId(),
      token: this.#options.randomId(),
      presence: { is: "here", outlet },
      admitted: false,
      founder: false,
      skipped: new Set(),
      lost: this.#journal.seq,
    };
    this.#sessions.set(session.member, session);
    this.#stopExpiry();
    if (state) this.#takeUpGroup(session, state);
    else if (!this.#isLed()) this.#found(session);
    this.#greet(session, { seq: this.#journal.seq, resumed: false, founder: session.founder });
    return this.#seat(session, outlet);
  }

  #resume(session: Session, outlet: Outlet, seq: number, missed: readonly string[]): Seat {
    const was = session.presence.is;
    release(session.presence);
    session.presence = { is: "here", outlet };
    this.#greet(session, { seq, resumed: true, founder: false });
    for (const text of missed) outlet.send(text);
    if (was !== "here") this.#announce(session, "back");
    this.#settle();
    return this.#seat(session, outlet);
  }

  #greet(session: Session, told: { seq: number; resumed: boolean; founder: boolean }): void {
    const { member, token } = session;
    this.#send(session, {
      type: "joined",
      member,
      token,
      ...told,
      head: this.#commits.head,
      stunPort: this.#options.stunPort,
    });
  }

  #seat(session: Session, outlet: Outlet): Seat {
    const holds = () => session.presence.is === "here" && session.presence.outlet === outlet;
    return {
      handle: (message) => {
        if (!isOfCall(message)) return false;
        if (holds()) this.#handle(session, message);
        return true;
      },
      drop: () => {
        if (holds()) this.#away(session);
      },
    };
  }

  #handle(session: Session, message: OfCall): void {
    if (message.type === "ping") return this.#send(session, { type: "pong" });
    if (message.type === "leave") return this.#leave(session);
    if (message.type === "knock") {
      const others = this.#admitted().filter((other) => other !== session);
      return this.#tell(others, (seq) => ({ type: "knocked", seq, from: session.member, body: message.body }));
    }
    if (session.admitted) return this.#handleAdmitted(session, message);
    // Only what waits for an answer gets one: the others may have been sent just before the session lost its admission.
    if (message.type === "commit") return this.#refuse(session, message.epoch);
    if (message.type === "fetch") return this.#send(session, { type: "history", commits: [] });
  }

  #handleAdmitted(session: Session, message: Exclude<OfCall, { type: "ping" | "leave" | "knock" }>): void {
    switch (message.type) {
      case "relay":
        return this.#tell(this.#admitted(), (seq) => ({
          type: "relayed",
          seq,
          from: session.member,
          body: message.body,
        }));
      case "answer":
        return this.#answer(session, message);
      case "beat":
        return this.#beat(session, message);
      case "commit":
        return this.#commit(session, message);
      case "skip":
        return this.#skip(session, message);
      case "fetch":
        return this.#send(session, { type: "history", commits: this.#commits.from(message.epoch) });
      case "restock":
        return this.#commits.restock(message.epoch, message.body);
    }
  }

  /** Only to who waits: members speak to each other inside the group. */
  #answer({ member: from }: Session, { to, body }: Sent<"answer">): void {
    const knocker = this.#sessions.get(to);
    if (knocker !== undefined && !knocker.admitted)
      this.#tell([knocker], (seq) => ({ type: "answered", seq, from, body }));
  }

  /** What comes late is worth nothing: a session that is away misses it. */
  #beat({ member: from }: Session, { body }: Sent<"beat">): void {
    const text = JSON.stringify({ type: "beaten", from, body } satisfies Down);
    for (const { member, presence } of this.#admitted())
      if (member !== from && presence.is === "here") presence.outlet.offer(text);
  }

  #commit(session: Session, { epoch, body, welcome }: Sent<"commit">): void {
    if (!this.#commits.takes(epoch)) return this.#refuse(session, epoch);
    const from = session.member;
    this.#tell(this.#admitted(), (seq) => ({ type: "ordered", seq, from, epoch, body }));
    this.#commits.order(epoch, this.#journal.seq, body);
    if (!welcome) return;
    const newcomers = [...new Set(welcome.to)].flatMap((member) => this.#sessions.get(member) ?? []);
    for (const newcomer of newcomers) newcomer.admitted = true;
    this.#tell(newcomers, (seq) => ({ type: "welcomed", seq, from, body: welcome.body }));
  }

  #refuse(session: Session, epoch: number): void {
    this.#send(session, { type: "refused", epoch, head: this.#commits.head });
  }

  /** Once per session and epoch, or one member could hold the group where it is. */
  #skip(session: Session, { seq }: Sent<"skip">): void {
    const epoch = this.#commits.endedBy(seq);
    if (epoch === null || session.skipped.has(epoch)) return;
    session.skipped.add(epoch);
    this.#commits.undo(epoch);
  }

  /** A member of a live group is back in a room that may have forgotten it: a lone founder's group gives way. */
  #takeUpGroup(session: Session, state: Head): void {
    const [first, ...more] = this.#admitted();
    if (first?.founder && more.length === 0 && !this.#commits.started) {
      first.admitted = false;
      first.founder = false;
      this.#tell([first], (seq) => ({ type: "yield", seq }));
    }
    session.admitted = true;
    this.#commits.claim(state);
  }

  /** Starts a group afresh. What is left of the last one can no longer resume: it states its epoch and is taken up again. */
  #found(session: Session): void {
    for (const old of this.#admitted()) this.#forget(old);
    this.#commits.clear();
    this.#commits = new Commits(this.#options.allowance);
    session.admitted = true;
    session.founder = true;
  }

  /** When nobody of the group is left, whoever has waited longest founds a new one. */
  #settle(): void {
    if (this.#isLed()) return;
    const next = [...this.#sessions.values()].find((session) => !session.admitted && session.presence.is === "here");
    if (!next) return;
    this.#found(next);
    this.#tell([next], (seq) => ({ type: "found", seq }));
  }

  #isLed(): boolean {
    return this.#admitted().some((session) => session.presence.is !== "gone");
  }

  #away(session: Session): void {
    session.presence = { is: "away", stop: this.#options.clock.after(AWAY, () => this.#gone(session)) };
    this.#announce(session, "away");
  }

  #gone(session: Session): void {
    session.presence = { is: "gone", stop: this.#options.clock.after(GONE, () => this.#forget(session)) };
    this.#announce(session, "gone");
    this.#settle();
  }

  #leave(session: Session): void {
    this.#retire(session);
    this.#settle();
  }

  #retire(session: Session): void {
    const was = session.presence.is;
    this.#forget(session);
    if (was !== "gone") this.#announce(session, "gone");
  }

  #forget(session: Session): void {
    release(session.presence);
    session.presence = { is: "gone", stop: () => {} };
    this.#sessions.delete(session.member);
    if (this.#sessions.size === 0) this.#stopExpiry = this.#options.clock.after(EMPTY, this.#expired);
  }

  #announce({ member }: Session, is: "away" | "back" | "gone"): void {
    this.#tell(this.#admitted(), (seq) => ({ type: "presence", seq, member, is }));
  }

  /** Numbers a message, keeps it for those who are not here, and sends it to those who are. */
  #tell(to: readonly Session[], message: (seq: number) => Numbered): void {
    if (to.length === 0) return;
    const text = this.#journal.append(to, message);
    for (const { presence } of to) if (presence.is === "here") presence.outlet.send(text);
  }

  #send({ presence }: Session, message: Down): void {
    if (presence.is === "here") presence.outlet.send(JSON.stringify(message));
  }

  #admitted(): Session[] {
    return [...this.#sessions.values()].filter((session) => session.admitted);
  }

  #byToken(token: string): Session | undefined {
    const given = Buffer.from(token);
    return [...this.#sessions.values()].find((session) => timingSafeEqual(Buffer.from(session.token), given));
  }
}

const OF_LIVE: ReadonlySet<string> = new Set<OfLive["type"]>(["tell", "deliver", "broadcast", "dismiss", "end"]);

function isOfCall(message: AfterJoin): message is OfCall {
  return !OF_LIVE.has(message.type);
}

function release(presence: Presence): void {
  if (presence.is === "here") presence.outlet.close();
  else presence.stop();
}
