import type { Down } from "@sealcast/protocol";
import { type Cancel, type Rate, TokenBucket } from "@sealcast/time";
import type { Allowance } from "../sockets/allowance.ts";
import { Admission, ageOf } from "./admission.ts";
import { CommitOrder } from "./commit-order.ts";
import { nodeOf } from "./door.ts";
import { FounderQueue } from "./founder-queue.ts";
import { Groups } from "./groups.ts";
import { Knocks } from "./knocks.ts";
import { type Node, Nodes } from "./nodes.ts";
import { Presences } from "./presences.ts";
import { RelayRooms } from "./relay-rooms.ts";
import { type DoorDirectory, RoomDoors } from "./room-doors.ts";
import { isOfCall, type OfCall, REMEMBERED, type RoomOptions, type RoomSocket, type Seat, type Sent } from "./seat.ts";
import { type Session, Sessions, send } from "./sessions.ts";
import { TurnAsks } from "./turn-asks.ts";

/** In characters of what is said inside: hundreds of descriptions at once. */
const SPEECH: Rate = { burst: 16 * 1024 * 1024, perSecond: 1024 * 1024 };
/** In characters, for each who is sent a message, however short it is. */
const SENDING = 64;
/** Of one session, `enter`s by tokens that the room does not know: each group is announced to all. */
const FOUNDS: Rate = { burst: 10, perSecond: 0.5 };

interface CallOptions extends RoomOptions {
  /** That of the address that opened the room. */
  readonly allowance: Allowance;
}

/** A call: who is in it, at which node of a group, and who hears whom. */
export class Room {
  readonly #options: CallOptions;
  readonly #directory: DoorDirectory<Room>;
  readonly #nodes: Nodes<Session>;
  readonly #sessions: Sessions;
  readonly #doors: RoomDoors<Room>;
  readonly #admission: Admission;
  readonly #presences: Presences;
  readonly #commits: CommitOrder;
  readonly #knocks: Knocks;
  readonly #groups: Groups;
  readonly #alone: FounderQueue<Session>;
  readonly #relay: RelayRooms | null;
  readonly #speech: TokenBucket;
  #stopExpiry: Cancel;

  /** `door` leads here. */
  constructor(door: string, options: CallOptions, directory: DoorDirectory<Room>) {
    const { clock, allowance } = options;
    const nodes = new Nodes<Session>(clock, allowance);
    const sessions = new Sessions(nodes, allowance);
    const doors = new RoomDoors<Room>(door, { clock, room: this, directory, sessions, nodes });
    const parts = { clock, sessions, nodes, settle: () => this.#alone.settle() };
    this.#options = options;
    this.#directory = directory;
    this.#nodes = nodes;
    this.#sessions = sessions;
    this.#doors = doors;
    this.#admission = new Admission(sessions, () => doors.own);
    this.#speech = new TokenBucket(SPEECH, clock);
    this.#presences = new Presences({ ...parts, forgotten: (session) => this.#forgotten(session) });
    this.#knocks = new Knocks({ ...parts, door: () => doors.own });
    this.#groups = new Groups(parts);
    this.#commits = new CommitOrder({
      ...parts,
      speech: this.#speech,
      openDoor: (opened, node) => doors.open(opened, node),
      learnt: doors.learnt,
    });
    this.#alone = new FounderQueue({
      clock,
      isNeeded: () => sessions.members().length === 0,
      waiting: () => sessions.all().filter((session) => this.#admission.mayFound(session)),
      tell: (session) => send(session, { type: "alone" }),
    });
    this.#relay = options.relay && new RelayRooms({ ...options, relay: options.relay, sessions });
    this.#stopExpiry = this.#expire();
  }

  /** The one door that leads here in any case. */
  get door(): string {
    return this.#doors.own;
  }

  /** Its own of earlier. */
  get formerDoors(): readonly string[] {
    return this.#doors.former;
  }

  /** Null when the room is full. The door was proved, and leads here. */
  join({ resume, door }: Pick<Sent<"join">, "resume" | "door">, socket: RoomSocket): Seat | null {
    const known = resume ? this.#sessions.byToken(resume.token) : undefined;
    if (!known && this.#admission.isFull(door)) return null;
    const missed = known && resume ? this.#sessions.missed(resume.seq, known) : null;
    if (known) known.door = door;
    if (known && resume && missed) return this.#resume(known, socket, resume.seq, missed);
    if (known) this.#presences.retire(known);
    return this.#begin(door, socket, known?.keepsSeat ?? false);
  }

  /** The nodes at which sessions stand that are inside. */
  get standing(): readonly string[] {
    return [...new Set(this.#sessions.members().map(({ node }) => node?.id ?? ""))];
  }

  /** Whether there are some of these nodes, and this room knows all of them to have ended. */
  hasEnded(nodes: readonly string[]): boolean {
    return nodes.length > 0 && nodes.every((id) => this.#nodes.get(id)?.edges.length);
  }

  /** A door that led to another room leads here from now on, as a former one. */
  takeDoor(door: string): void {
    this.#doors.take(door);
  }

  /** Stops every timer, keeps nothing, and has all clients come again. The room is of no use afterwards. */
  close(): void {
    this.#nodes.clear();
    this.#alone.clear();
    this.#stopExpiry();
    this.#commits.close();
    this.#relay?.close();
    for (const session of this.#sessions.all()) {
      session.stopInvitation();
      this.#presences.close(session);
    }
    this.#doors.close();
    this.#sessions.clear();
  }

  #begin(door: string, socket: RoomSocket, keepsSeat: boolean): Seat {
    const session = this.#sessions.add({
      member: this.#options.randomId(),
      token: this.#options.randomId(),
      door,
      network: socket.network,
      age: Number.POSITIVE_INFINITY,
      presence: { is: "here", socket },
      seat: null,
      node: null,
      isProved: false,
      keepsSeat,
      stopInvitation: () => {},
      requests: "oldest",
      requestedAt: this.#options.clock.now(),
      named: new Set(),
      listens: new Set(),
      founds: new TokenBucket(FOUNDS, this.#options.clock),
      turn: new TurnAsks(this.#options),
    });
    this.#stopExpiry();
    this.#greet(session, { seq: this.#sessions.seq, resumed: false });
    this.#alone.settle();
    this.#knocks.giveKeys([session]);
    return this.#seat(session, socket);
  }

  #resume(session: Session, socket: RoomSocket, seq: number, missed: readonly string[]): Seat {
    const was = session.presence.is;
    this.#presences.take(session, socket);
    this.#greet(session, { seq, resumed: true });
    for (const text of missed) socket.send(text);
    if (was !== "here") this.#presences.announce(session, "back");
    if (this.#alone.isTold(session)) send(session, { type: "alone" });
    this.#groups.tell([session]);
    this.#alone.settle();
    return this.#seat(session, socket);
  }

  #greet(session: Session, told: { seq: number; resumed: boolean }): void {
    const { member, token } = session;
    const { stunPort, turn } = this.#options;
    const helpers = { relay: this.#relay !== null, turn: turn !== null };
    send(session, { type: "joined", member, token, ...told, stunPort, ...helpers });
  }

  #seat(session: Session, socket: RoomSocket): Seat {
    const holds = () => session.presence.is === "here" && session.presence.socket === socket;
    return {
      overdrawnFor: (now) => (this.#sessions.isInside(session) ? this.#speech.overdrawnFor(now) : 0),
      handle: (message) => {
        if (!isOfCall(message)) return false;
        if (holds()) this.#handle(session, message);
        return true;
      },
      drop: () => {
        if (holds()) this.#presences.away(session);
      },
    };
  }

  #handle(session: Session, message: OfCall): void {
    switch (message.type) {
      case "ping":
        return send(session, { type: "pong" });
      case "leave":
        return this.#presences.leave(session);
      case "listen":
        return this.#doors.listen(session, message.door);
      case "enter":
        return this.#enter(session, message);
      case "request-keys":
        return this.#knocks.request(session, message);
      case "knock":
        return this.#knocks.knock(session, message);
      case "fetch":
        return this.#commits.fetch(session, message);
      case "restock":
        return this.#commits.restock(session, message);
      case "commit":
        return this.#commits.commit(session, message);
      case "relay-token":
        return this.#relay?.give(session);
      case "turn":
        return this.#giveTurn(session);
      case "relay":
      case "beat":
      case "answer":
        if (session.node && this.#sessions.isInside(session)) this.#speak(session, session.node, message);
    }
  }

  #speak(session: Session, node: Node<Session>, message: Sent<"relay" | "beat" | "answer">): void {
    this.#speech.take(message.body.length);
    if (message.type === "answer") return this.#answer(session, message);
    const around = this.#nodes.neighbourhood(node);
    if (session.presence.is === "here") session.presence.socket.charge(SENDING * around.size);
    const { member: from } = session;
    const { body } = message;
    if (message.type === "beat") this.#beat(session, around, body);
    else this.#sessions.tell(around, (seq) => ({ type: "relayed", seq, from, body }));
  }

  #answer(session: Session, { to, body }: Sent<"answer">): void {
    const { member: from } = session;
    // Also to who is inside: members of another branch, and those who join again, ask while they go on with the group they have.
    const knocker = this.#sessions.get(to);
    if (knocker !== undefined && knocker !== session)
      this.#sessions.tell([knocker], (seq) => ({ type: "answered", seq, from, body }));
  }

  /** What comes late is worth nothing: a session that is away misses it. */
  #beat({ member: from }: Session, around: Iterable<Session>, body: string): void {
    const text = JSON.stringify({ type: "heartbeat-relayed", from, body } satisfies Down);
    for (const { member, presence } of around)
      if (member !== from && presence.is === "here") presence.socket.offer(text);
  }

  #enter(session: Session, { token, knockKey }: Sent<"enter">): void {
    const id = nodeOf(token);
    const known = this.#nodes.get(id);
    if (!known && !session.founds.tryTake()) return this.#options.dropped();
    const { door } = session;
    const node = known ?? this.#nodes.found(id, { isFormer: door !== this.#doors.own, door });
    const is = known ? (known.edges.length > 0 ? "ended" : "tip") : "new";
    this.#sessions.stand(session, node, true);
    session.door = node.door ?? door;
    const now = this.#options.clock.now();
    const surplus = this.#admission.surplus(session, now);
    session.keepsSeat = false;
    if (surplus) this.#turnAway(surplus);
    if (surplus === session) return;
    if (this.#sessions.isMember(session)) session.age = ageOf(session);
    if (session.seat?.group !== node.group) session.seat = { group: node.group, since: now };
    session.requests = "none";
    if (knockKey) this.#nodes.offer(node, knockKey, session.member);
    const knockKeys = node.knockKeys.map(({ fingerprint }) => fingerprint);
    send(session, { type: "entered", at: id, is, knockKeys });
    if (known) this.#groups.tell([session]);
    else this.#groups.founded();
    this.#alone.settle();
    this.#knocks.giveKeys(this.#sessions.all());
  }

  #giveTurn(session: Session): void {
    const { presence, turn } = session;
    if (presence.is === "here" && this.#sessions.isInside(session)) turn.answer(presence.socket);
  }

  #turnAway(session: Session): void {
    if (session.presence.is === "here") session.presence.socket.fault("room-full", "the room is full");
    this.#presences.leave(session);
  }

  #forgotten(session: Session): void {
    this.#alone.forget(session);
    if (session.listens.size > 0) this.#doors.unlisten(session.listens);
    if (this.#sessions.size === 0) this.#stopExpiry = this.#expire();
  }

  #expire(): Cancel {
    return this.#options.clock.after(REMEMBERED, () => this.#directory.expired(this));
  }
}
