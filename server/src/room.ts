import { timingSafeEqual } from "node:crypto";
import { type Down, MAX_NODES, type Up } from "@sealcast/protocol";
import { type Cancel, type Clock, type Milli, milli, type Rate, TokenBucket } from "@sealcast/time";
import type { Allowance } from "./allowance.ts";
import { nodeOf } from "./door.ts";
import { FounderQueue } from "./founder-queue.ts";
import { Journal, type Numbered, type Reader } from "./journal.ts";
import { FRESH, type Node, Nodes } from "./nodes.ts";

/** Sessions here or away that are inside a group of this room, others by its own door, and others by former ones. */
const MAX_MEMBERS = 50;
const MAX_OTHERS = 50;
const MAX_BY_FORMER_DOORS = 8;
/** Former doors that one session may listen at, and that a room keeps whether or not a session listens. */
const MAX_LISTENED = 16;
const MAX_FORMER_DOORS = 16;
/** From the drop of its socket until the others are told that a session is gone. */
const AWAY = milli(15_000);
/** From then until it can no longer resume: 60 s after the drop. */
const GONE = milli(45_000);
/** How long an empty room is remembered. */
const EMPTY = milli(60_000);
/** For a newcomer whom a commit welcomes to show the token. */
const TO_ENTER = milli(10_000);
/** In characters of what is said inside: hundreds of descriptions at once. */
const SPEECH: Rate = { burst: 16 * 1024 * 1024, perSecond: 1024 * 1024 };
/** Between two requests for knock keys of one session by a former door. */
const BETWEEN_REQUESTS = milli(2_000);

/** Why a socket ends. */
export type FaultCode = Extract<Down, { type: "fault" }>["code"];

/** A socket as a room sees it. No call may lead back into the room before it returns. */
export interface RoomSocket {
  send(text: string): void;
  /** Sends unless much is waiting already: for what comes again anyway. */
  offer(text: string): void;
  close(): void;
  /** Closes, so that the client comes again. */
  restart(): void;
  /** Says why, and closes. */
  fault(code: FaultCode, message: string): void;
}

/** A room as a joined socket sees it. Inert once another socket took the session over. */
export interface Seat {
  /** False: no message for this kind of room. Doors in it were proved. */
  handle(message: AfterJoin): boolean;
  /** Milliseconds for which its room has had more from those inside than it may. */
  overdrawnFor(now: Milli): number;
  /** The socket is lost. */
  drop(): void;
}

/** A client's message of this type. */
export type Sent<T extends Up["type"]> = Extract<Up, { type: T }>;
type AfterJoin = Exclude<Up, { type: "join" | "host" | "watch" }>;
/** What is said in a live room and nowhere else. */
type OfLive = { type: "tell" | "deliver" | "broadcast" | "dismiss" | "end" };
type OfCall = Exclude<AfterJoin, OfLive>;

/** Which doors lead where, as a room changes it. */
export interface DoorDirectory {
  /** The room's door is this one from now on, and its last one a former one. False where it is another room's. */
  replace(door: string, room: Room): boolean;
  /** A former door leads to this room, too, while no room has it as its own. */
  listen(door: string, room: Room): void;
  unlisten(door: string, room: Room): void;
  /** This room may have learnt of nodes at which sessions of another room stand. */
  learnt(room: Room, doors: Iterable<string>): void;
  /** The room has been empty for a minute. */
  expired(room: Room): void;
}

export interface RoomOptions {
  readonly clock: Clock;
  /** A fresh random 128-bit id, base64url. */
  readonly randomId: () => string;
  /** Passed on to every client. */
  readonly stunPort: number | null;
  /** Called for each message that is dropped since its sender says more than it may yet. */
  readonly dropped: () => void;
}

export interface CallOptions extends RoomOptions {
  /** That of the address that opened the room. */
  readonly allowance: Allowance;
}

type Presence =
  | { readonly is: "here"; readonly outlet: RoomSocket }
  | { readonly is: "away" | "gone"; readonly stop: Cancel };

interface Session extends Reader {
  readonly member: string;
  readonly token: string;
  /** By which it came last, or that of the link in the epoch that it showed since: who is in that has the link. */
  door: string;
  /** The lowest age of the groups in which it had a seat. */
  age: number;
  presence: Presence;
  /** Where it stands. */
  node: Node<Session> | null;
  /** Whether it showed that node's token. Otherwise a commit invited it there. */
  isProved: boolean;
  /** It was a member when its socket dropped, and has not entered since: its seat is not given away. */
  keepsSeat: boolean;
  stopInvitation: Cancel;
  /** Whose knock keys it waits for. */
  requests: "none" | "oldest" | "all";
  requestedAt: Milli;
  /** Nodes at which it may knock, each once: those whose keys it was given last. */
  named: Set<string>;
  readonly listens: Set<string>;
}

/** A node at which one can knock, and how many stand there. */
interface Open {
  readonly node: Node<Session>;
  readonly sessions: number;
}

/** Who is in a room, at which node of a group, and the one order of what they send. No sockets: those are outlets. */
export class Room {
  readonly #options: CallOptions;
  readonly #doors: DoorDirectory;
  #door: string;
  /** The room's own of earlier, the latest last. */
  readonly #formerDoors = new Set<string>();
  /** In the order in which they came. */
  readonly #sessions = new Map<string, Session>();
  readonly #journal: Journal<Session>;
  readonly #nodes: Nodes<Session>;
  readonly #alone: FounderQueue<Session>;
  readonly #speech: TokenBucket;
  #stopExpiry: Cancel;
  #stopCheck: Cancel = () => {};

  /** `door` leads here. */
  constructor(door: string, options: CallOptions, doors: DoorDirectory) {
    this.#door = door;
    this.#options = options;
    this.#doors = doors;
    this.#journal = new Journal(options.allowance);
    this.#nodes = new Nodes(options.clock, options.allowance);
    this.#speech = new TokenBucket(SPEECH, options.clock);
    this.#alone = new FounderQueue({
      clock: options.clock,
      isNeeded: () => this.#members().length === 0,
      waiting: () => this.#all().filter((session) => this.#mayFound(session)),
      tell: (session) => this.#send(session, { type: "alone" }),
    });
    this.#stopExpiry = this.#expire();
  }

  /** The one door that leads here in any case. */
  get door(): string {
    return this.#door;
  }

  /** Its own of earlier. */
  get formerDoors(): readonly string[] {
    return [...this.#formerDoors];
  }

  /** Null when the room is full. The door was proved, and leads here. */
  join({ resume, door }: Pick<Sent<"join">, "resume" | "door">, outlet: RoomSocket): Seat | null {
    const known = resume ? this.#byToken(resume.token) : undefined;
    if (!known && this.#isFull(door)) return null;
    const missed = known && resume ? this.#journal.since(resume.seq, known) : null;
    if (known) known.door = door;
    if (known && resume && missed) return this.#resume(known, outlet, resume.seq, missed);
    if (known) this.#retire(known);
    return this.#begin(door, outlet, known?.keepsSeat ?? false);
  }

  /** Whether every session that is inside `other` stands at a node that this room knows to have ended. */
  isAheadOf(other: Room): boolean {
    const nodes = other.#members().map(({ node }) => node?.id ?? "");
    return nodes.length > 0 && nodes.every((id) => this.#nodes.get(id)?.edges.length);
  }

  /** A door that led to another room leads here from now on, as a former one. */
  takeDoor(door: string): void {
    if (door === this.#door) return;
    this.#formerDoors.delete(door);
    this.#formerDoors.add(door);
    this.#doors.listen(door, this);
    const [oldest] = this.#formerDoors;
    if (oldest === undefined || this.#formerDoors.size <= MAX_FORMER_DOORS) return;
    this.#formerDoors.delete(oldest);
    this.#unlisten([oldest]);
  }

  /** Stops every timer, keeps nothing, and has all clients come again. The room is of no use afterwards. */
  close(): void {
    this.#journal.clear();
    this.#nodes.clear();
    this.#alone.clear();
    this.#stopExpiry();
    this.#stopCheck();
    for (const session of this.#sessions.values()) {
      session.stopInvitation();
      if (session.presence.is === "here") session.presence.outlet.restart();
      else session.presence.stop();
      session.presence = { is: "gone", stop: () => {} };
    }
    for (const door of this.#listened()) this.#doors.unlisten(door, this);
    this.#sessions.clear();
  }

  #begin(door: string, outlet: RoomSocket, keepsSeat: boolean): Seat {
    const session: Session = {
      member: this.#options.randomId(),
      token: this.#options.randomId(),
      door,
      age: Number.POSITIVE_INFINITY,
      presence: { is: "here", outlet },
      node: null,
      isProved: false,
      keepsSeat,
      stopInvitation: () => {},
      requests: "oldest",
      requestedAt: this.#options.clock.now(),
      named: new Set(),
      listens: new Set(),
      lost: this.#journal.seq,
    };
    this.#sessions.set(session.member, session);
    this.#stopExpiry();
    this.#greet(session, { seq: this.#journal.seq, resumed: false });
    this.#alone.settle();
    this.#giveKeys([session]);
    return this.#seat(session, outlet);
  }

  #resume(session: Session, outlet: RoomSocket, seq: number, missed: readonly string[]): Seat {
    const was = session.presence.is;
    release(session.presence);
    session.presence = { is: "here", outlet };
    this.#greet(session, { seq, resumed: true });
    for (const text of missed) outlet.send(text);
    if (was !== "here") this.#announce(session, "back");
    if (this.#alone.isTold(session)) this.#send(session, { type: "alone" });
    this.#tellGroups([session]);
    this.#alone.settle();
    return this.#seat(session, outlet);
  }

  #greet(session: Session, told: { seq: number; resumed: boolean }): void {
    const { member, token } = session;
    this.#send(session, { type: "joined", member, token, ...told, stunPort: this.#options.stunPort });
  }

  #seat(session: Session, outlet: RoomSocket): Seat {
    const holds = () => session.presence.is === "here" && session.presence.outlet === outlet;
    return {
      overdrawnFor: (now) => (this.#isInside(session) ? this.#speech.overdrawnFor(now) : 0),
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
    switch (message.type) {
      case "ping":
        return this.#send(session, { type: "pong" });
      case "leave":
        return this.#leave(session);
      case "listen":
        return this.#listen(session, message);
      case "enter":
        return this.#enter(session, message);
      case "request-keys":
        return this.#requestKeys(session, message);
      case "knock":
        return this.#knock(session, message);
      case "fetch":
        return this.#fetch(session, message);
      case "restock":
        return this.#restock(session, message);
      case "commit":
        return this.#commit(session, message);
      case "relay":
      case "beat":
      case "answer":
        if (session.node && this.#isInside(session)) this.#speak(session, session.node, message);
    }
  }

  #speak(session: Session, node: Node<Session>, message: Sent<"relay" | "beat" | "answer">): void {
    const { member: from } = session;
    const { body } = message;
    this.#speech.take(body.length);
    if (message.type === "beat") return this.#beat(session, node, body);
    if (message.type === "relay")
      return this.#tell(this.#nodes.neighbourhood(node), (seq) => ({ type: "relayed", seq, from, body }));
    // Also to who is inside: members of another branch, and those who join afresh, ask while they go on with the group they have.
    const knocker = this.#sessions.get(message.to);
    if (knocker !== undefined && knocker !== session)
      this.#tell([knocker], (seq) => ({ type: "answered", seq, from, body }));
  }

  /** What comes late is worth nothing: a session that is away misses it. */
  #beat({ member: from }: Session, node: Node<Session>, body: string): void {
    const text = JSON.stringify({ type: "heartbeat-relayed", from, body } satisfies Down);
    for (const { member, presence } of this.#nodes.neighbourhood(node))
      if (member !== from && presence.is === "here") presence.outlet.offer(text);
  }

  #listen(session: Session, { door }: Sent<"listen">): void {
    if (door === this.#door || session.listens.has(door) || session.listens.size >= MAX_LISTENED) return;
    session.listens.add(door);
    this.#doors.listen(door, this);
    this.#doors.learnt(this, [door]);
  }

  #unlisten(doors: readonly string[]): void {
    if (doors.length === 0) return;
    const listened = this.#listened();
    for (const door of doors) if (!listened.has(door)) this.#doors.unlisten(door, this);
  }

  /** Every former door that leads here. */
  #listened(): Set<string> {
    return new Set([...this.#formerDoors, ...this.#all().flatMap(({ listens }) => [...listens])]);
  }

  #enter(session: Session, { token, knockKey }: Sent<"enter">): void {
    const id = nodeOf(token);
    const known = this.#nodes.get(id);
    const { door } = session;
    const node = known ?? this.#nodes.found(id, { isFormer: door !== this.#door, door });
    const is = known ? (known.edges.length > 0 ? "ended" : "tip") : "new";
    this.#stand(session, node, true);
    session.door = node.door ?? door;
    const surplus = this.#surplus(session);
    session.keepsSeat = false;
    if (surplus) this.#turnAway(surplus);
    if (surplus === session) return;
    if (this.#isMember(session)) session.age = ageOf(session);
    session.requests = "none";
    if (knockKey) this.#nodes.offer(node, knockKey, session.member);
    const knockKeys = node.knockKeys.map(({ fingerprint }) => fingerprint);
    this.#send(session, { type: "entered", at: id, is, knockKeys });
    this.#tellGroups(known ? [session] : this.#all());
    this.#alone.settle();
    this.#giveKeys(this.#all());
  }

  /**
   * Who has no place where more are inside than there are: somebody of the youngest group, since whoever has the link can found
   * one. Of these, who enters, or else came last. Who had a seat in an older group comes before: past garbage, members have
   * to begin anew, and who filled their epoch with it can found a group before them. Whose link was replaced comes after all others.
   */
  #surplus(session: Session): Session | undefined {
    if (this.#seats() <= MAX_MEMBERS) return undefined;
    const isBehind = ({ door, node }: Session) => Number(door !== this.#door && node?.group !== session.node?.group);
    const ranks = [isBehind, ageOf, ({ node }: Session) => node?.group.age ?? 0];
    const rivals = ranks.reduce(highest, this.#members()).filter(({ keepsSeat }) => !keepsSeat);
    return rivals.includes(session) ? session : rivals.at(-1);
  }

  #turnAway(session: Session): void {
    if (session.presence.is === "here") session.presence.outlet.fault("room-full", "the room is full");
    this.#leave(session);
  }

  #stand(session: Session, node: Node<Session> | null, isProved: boolean): void {
    session.stopInvitation();
    this.#nodes.move(session, session.node, node);
    session.node = node;
    session.isProved = isProved;
  }

  #invite(session: Session, node: Node<Session>): void {
    this.#stand(session, node, false);
    session.stopInvitation = this.#options.clock.after(TO_ENTER, () => {
      this.#stand(session, null, false);
      this.#alone.settle();
    });
  }

  #fetch(session: Session, { token }: Sent<"fetch">): void {
    const at = nodeOf(token);
    const node = this.#nodes.get(at);
    this.#send(session, { type: "history", at, edges: node ? this.#nodes.history(node) : [] });
  }

  #restock({ member: from }: Session, { token, next, body }: Sent<"restock">): void {
    const at = nodeOf(token);
    const node = this.#nodes.restock(at, next, body);
    if (!node) return;
    this.#tell(node.sessions, (seq) => ({ type: "ordered", seq, from, at, next, body }));
    this.#doors.learnt(this, this.#listened());
    this.#checkLater();
  }

  #commit(session: Session, commit: Sent<"commit">): void {
    const { at, next, body } = commit;
    const { member: from } = session;
    const ordered = (seq: number): Numbered => ({ type: "ordered", seq, from, at, next, body });
    const again = this.#nodes.get(at)?.edges.find((edge) => edge.from === from && edge.next === next);
    if (again && (again.body ?? body) === body) return this.#tell([session], ordered);
    const node = this.#mayCommit(session, commit);
    if (!node) return this.#refuse(session, at);
    const door = commit.door && this.#openDoor(commit.door.door, node) ? commit.door.door : undefined;
    this.#speech.take(body.length + (commit.welcome?.body.length ?? 0));
    const made = this.#nodes.order(node, { next, body, from, door });
    this.#nodes.offer(made, commit.knockKey, from);
    this.#tell(node.sessions, ordered);
    if (commit.welcome) this.#welcome(session, made, commit.welcome);
    this.#checkLater();
  }

  /** The node that this commit leads on from; null where it does not count. */
  #mayCommit(session: Session, { at, next, despite }: Sent<"commit">): Node<Session> | null {
    const { node } = session;
    if (node === null || node.id !== at || !this.#isInside(session) || !this.#nodes.takes(node, next)) return null;
    const isFirst = node.edges.every(({ from }) => from !== session.member);
    return isFirst && node.edges.every((edge) => despite.includes(edge.next)) ? node : null;
  }

  #refuse(session: Session, at: string): void {
    const { node, isProved } = session;
    const edges = isProved && node?.id === at ? node.edges : [];
    const successors = [...new Set(edges.map(({ next }) => next))];
    this.#send(session, { type: "refused", at, successors });
  }

  #welcome({ member: from }: Session, node: Node<Session>, { to, body }: { to: string[]; body: string }): void {
    const newcomers = [...new Set(to)].flatMap((member) => this.#sessions.get(member) ?? []);
    for (const newcomer of newcomers) if (!this.#isInside(newcomer)) this.#invite(newcomer, node);
    this.#tell(newcomers, (seq) => ({ type: "welcomed", seq, from, body }));
  }

  /**
   * A node that most sessions left behind changes the room's door no more: what it opens is one door among the former. False where it
   * is another room's own: whoever got there first keeps nobody's commits up.
   */
  #openDoor(door: string, node: Node<Session>): boolean {
    const tips = this.#nodes.tips().filter(({ group }) => !group.isFormer);
    const most = Math.max(...tips.map((tip) => this.#people(tip).length));
    if (node.group.isFormer || this.#people(node).length < most || !this.#mayReplaceDoor(node)) {
      this.takeDoor(door);
      return true;
    }
    const last = this.#door;
    if (door === last) return true;
    if (!this.#doors.replace(door, this)) return false;
    this.#door = door;
    if (this.#formerDoors.delete(door)) this.#unlisten([door]);
    this.takeDoor(last);
    return true;
  }

  /**
   * Where the door was replaced, who is removed by that is heard for 5 s and can order commits beside it. So the next one comes from
   * the epochs behind the present door; or, since garbage may have taken it, from where most stand, unless that replaced it.
   */
  #mayReplaceDoor({ id, door, edges }: Node<Session>): boolean {
    if (door === this.#door) return true;
    const standing = new Map<string, number>();
    for (const { node } of this.#members()) if (node) standing.set(node.id, (standing.get(node.id) ?? 0) + 1);
    const isReplaced = edges.some(({ next }) => this.#nodes.get(next)?.door === this.#door);
    return !isReplaced && (standing.get(id) ?? 0) >= Math.max(...standing.values());
  }

  #requestKeys(session: Session, { all }: Sent<"request-keys">): void {
    const now = this.#options.clock.now();
    if (session.door !== this.#door && now - session.requestedAt < BETWEEN_REQUESTS) return;
    session.requestedAt = now;
    session.requests = all ? "all" : "oldest";
    this.#giveKeys([session]);
  }

  /** Those who wait for knock keys get them as soon as there are some. */
  #giveKeys(to: readonly Session[]): void {
    for (const session of to.filter(({ requests }) => requests !== "none")) {
      const open = this.#openTo(session);
      const nodes = session.requests === "all" ? open.map(({ node }) => node).slice(0, MAX_NODES) : oldestOf(open);
      const tips = nodes.flatMap(({ id: at, knockKeys }) => knockKeys.map(({ key, tags }) => ({ at, key, tags })));
      if (tips.length === 0) continue;
      session.requests = "none";
      session.named = new Set(tips.map(({ at }) => at));
      this.#send(session, { type: "knock-keys", tips });
    }
  }

  /**
   * Where others than `session` stand, the oldest group's first: its tips, or while nobody has taken the commits that lead
   * there, where they lead on from.
   */
  #openTo(session: Session): Open[] {
    const open = new Map<Node<Session>, number>();
    for (const other of this.#all())
      if (other !== session && other.node?.knockKeys.length && this.#isInside(other))
        open.set(other.node, (open.get(other.node) ?? 0) + 1);
    const reached = new Set([...open.keys()].filter(isTip).map(({ group }) => group));
    return [...open]
      .filter(([node]) => isTip(node) || !reached.has(node.group))
      .map(([node, sessions]) => ({ node, sessions }))
      .sort((a, b) => a.node.group.age - b.node.group.age);
  }

  #knock(session: Session, { at, body }: Sent<"knock">): void {
    const node = session.named.delete(at) && this.#nodes.get(at);
    if (!node) return;
    const { member: from } = session;
    const others = this.#people(node).filter((other) => other !== session);
    this.#tell(others, (seq) => ({ type: "knocked", seq, from, at, body }));
  }

  /** Where there are several. What a former door founded concerns those alone who are in it. */
  #tellGroups(to: readonly Session[]): void {
    const tips = this.#nodes.tips().map((tip) => {
      return { group: tip.group, told: { at: tip.id, sessions: this.#people(tip).length } };
    });
    for (const session of to) {
      const concerning = tips.filter(
        ({ group, told }) => told.sessions > 0 && (!group.isFormer || group === session.node?.group),
      );
      const isSeveral = new Set(concerning.map(({ group }) => group)).size > 1;
      if (!session.isProved || !isSeveral) continue;
      this.#send(session, { type: "groups", tips: concerning.slice(0, MAX_NODES).map(({ told }) => told) });
    }
  }

  /** Of a node's neighbourhood, the sessions that showed their token and are here or away. */
  #people(node: Node<Session>): Session[] {
    return [...this.#nodes.neighbourhood(node)].filter((session) => this.#isInside(session));
  }

  /** Whether it showed the token of a node that is present, or was until 5 s ago, and is here or away. */
  #isInside({ node, isProved, presence }: Session): boolean {
    return isProved && node !== null && presence.is !== "gone" && this.#nodes.isFresh(node);
  }

  /** The same, and the group is not one that was founded by a former door. */
  #isMember(session: Session): boolean {
    return this.#isInside(session) && session.node?.group.isFormer === false;
  }

  #members(): Session[] {
    return this.#all().filter((session) => this.#isMember(session));
  }

  /** Of members, and of those who are kept one until they come back or are forgotten. */
  #seats(): number {
    const isKept = ({ keepsSeat, presence }: Session) => keepsSeat && presence.is !== "here";
    return this.#all().filter((session) => isKept(session) || this.#isMember(session)).length;
  }

  #isFull(door: string): boolean {
    const others = this.#all().filter((session) => session.presence.is !== "gone" && !this.#isMember(session));
    const byFormer = others.filter((session) => session.door !== this.#door).length;
    // Who was removed may have filled their places before, by the link that was the present one then.
    return door === this.#door ? others.length - byFormer >= MAX_OTHERS : byFormer >= MAX_BY_FORMER_DOORS;
  }

  #mayFound(session: Session): boolean {
    const isInvited = session.node !== null && !session.isProved;
    return session.presence.is === "here" && session.door === this.#door && !isInvited;
  }

  /** When the sessions at a node that has just ended are no longer inside. */
  #checkLater(): void {
    this.#stopCheck();
    this.#stopCheck = this.#options.clock.after(FRESH, () => this.#alone.settle());
  }

  #away(session: Session): void {
    session.keepsSeat ||= this.#isMember(session);
    session.presence = { is: "away", stop: this.#options.clock.after(AWAY, () => this.#gone(session)) };
    this.#announce(session, "away");
  }

  #gone(session: Session): void {
    session.presence = { is: "gone", stop: this.#options.clock.after(GONE, () => this.#forget(session)) };
    this.#announce(session, "gone");
    this.#alone.settle();
  }

  #leave(session: Session): void {
    this.#retire(session);
    this.#alone.settle();
  }

  #retire(session: Session): void {
    const { node, presence } = session;
    this.#forget(session);
    if (presence.is !== "gone") this.#announce(session, "gone", node);
  }

  #forget(session: Session): void {
    release(session.presence);
    session.presence = { is: "gone", stop: () => {} };
    this.#stand(session, null, false);
    this.#sessions.delete(session.member);
    this.#alone.forget(session);
    this.#unlisten([...session.listens]);
    if (this.#sessions.size === 0) this.#stopExpiry = this.#expire();
  }

  #expire(): Cancel {
    return this.#options.clock.after(EMPTY, () => this.#doors.expired(this));
  }

  /** Those learn of it who hear the session, and who went on from where it stands. */
  #announce(session: Session, is: "away" | "back" | "gone", node = session.node): void {
    const { member } = session;
    if (node) this.#tell(this.#nodes.onward(node), (seq) => ({ type: "presence", seq, member, is }));
  }

  /** Numbers a message, keeps it for those who are not here, and sends it to those who are. */
  #tell(to: Iterable<Session>, message: (seq: number) => Numbered): void {
    const readers = [...to];
    if (readers.length === 0) return;
    const text = this.#journal.append(readers, message);
    for (const { presence } of readers) if (presence.is === "here") presence.outlet.send(text);
  }

  #send({ presence }: Session, message: Down): void {
    if (presence.is === "here") presence.outlet.send(JSON.stringify(message));
  }

  #all(): Session[] {
    return [...this.#sessions.values()];
  }

  #byToken(token: string): Session | undefined {
    const given = Buffer.from(token);
    return this.#all().find((session) => timingSafeEqual(Buffer.from(session.token), given));
  }
}

const OF_LIVE: ReadonlySet<string> = new Set<OfLive["type"]>(["tell", "deliver", "broadcast", "dismiss", "end"]);

function isOfCall(message: AfterJoin): message is OfCall {
  return !OF_LIVE.has(message.type);
}

const ageOf = ({ age, node }: Session): number => Math.min(age, node?.group.age ?? 0);

/** Those that rank highest. */
function highest<T>(all: T[], rank: (one: T) => number): T[] {
  const most = Math.max(...all.map(rank));
  return all.filter((one) => rank(one) === most);
}

const isTip = ({ endedAt }: Node<Session>): boolean => endedAt === null;

/** Of the oldest group, the node where most stand. */
function oldestOf(open: readonly Open[]): Node<Session>[] {
  const rivals = open.filter(({ node }) => !node.group.isFormer);
  const oldest = rivals.filter(({ node }) => node.group === rivals[0]?.node.group);
  return oldest
    .sort((a, b) => b.sessions - a.sessions)
    .slice(0, 1)
    .map(({ node }) => node);
}

function release(presence: Presence): void {
  if (presence.is === "here") presence.outlet.close();
  else presence.stop();
}
