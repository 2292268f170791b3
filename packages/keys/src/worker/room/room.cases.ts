import { sha256 } from "@noble/hashes/sha2.js";
import { concat, fromBase64url, toBase64url, toHex, utf8 } from "@sealcast/bytes";
import { random, Secret } from "@sealcast/crypto";
import type { KnockKey } from "@sealcast/protocol";
import { MAX_KNOCK_KEYS, MAX_NODES } from "@sealcast/protocol/limits";
import { ManualClock, milli } from "@sealcast/time";
import type { GroupMember, KeyUpdate } from "../../shared/messages.ts";
import type { Identity } from "../identity/identity.ts";
import type { Membership } from "../mls/key-package.ts";
import { mlsSuite } from "../mls/suite.ts";
import { Member } from "./member.ts";
import type { CommitEdge, FromMember, FromRoom, ToRoom } from "./wire.ts";

export const ROOM = "AAAAAAAAAAAAAAAAAAAAAA";
const suite = await mlsSuite();
/** Means nothing to a member, which works in one queue: once it has heard this, all before it is done. */
export const NOTHING = { type: "heartbeat", from: "", body: new Uint8Array() } as const;

export async function newIdentity(): Promise<Identity> {
  const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  return {
    publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
    sign: async (message) =>
      new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, new Uint8Array(message))),
  };
}

/** A person with the link `secret`, on a seat of their own. */
export async function newMembership(secret: Uint8Array, differs: Partial<Membership> = {}): Promise<Membership> {
  return {
    suite,
    identity: await newIdentity(),
    room: ROOM,
    host: "localhost",
    seat: random(16),
    name: "Ada",
    linkSecret: new Secret(secret.slice()),
    layers: 1,
    seconds: () => BigInt(Math.floor(Date.now() / 1000)),
    ...differs,
  };
}

/** Keys like this one, of X-Wing (ML-KEM-768 and X25519), to which nothing can be sealed. */
export function unusable(key: Uint8Array): Uint8Array[] {
  const kem = 1184;
  return [key.subarray(1), key.slice().fill(0xff, 0, kem), key.slice().fill(0, kem)];
}

/** A member in a test, with everything it said. */
export class Person {
  readonly membership: Membership;
  readonly name: string;
  readonly member: Member;
  readonly said: FromMember[] = [];
  readonly news: KeyUpdate[] = [];
  /** What it hears of the room may get lost: true for what does. */
  loses: (event: FromRoom) => boolean = () => false;
  /** The server's answers to its pings come through. */
  isAnswered = true;
  session: Session | null = null;

  constructor(room: TestRoom, name: string, membership: Membership) {
    this.name = name;
    this.membership = membership;
    this.member = new Member(membership, room.clock, (message) => {
      this.said.push(message);
      if (message.type === "to-room") room.take(this, message.message);
      if (message.type === "heartbeat") room.overChannels(this, message.body);
      if (message.type === "peer-commit") room.overChannel(this, message.to, message.body);
    });
    const port = { postMessage: (news: KeyUpdate) => void this.news.push(news) };
    void this.member.receive({ type: "media", port: port as unknown as MessagePort });
  }

  get epoch(): number {
    return this.#told?.epoch ?? -1;
  }

  get #told(): Extract<FromMember, { type: "members" }> | undefined {
    return this.said.findLast((message) => message.type === "members");
  }

  /** The token of its epoch: equal for all who are in one epoch of one group. */
  get place(): string {
    const last = this.said.findLast((message) => message.type === "to-room" && message.message.type === "enter");
    return last?.type === "to-room" && last.message.type === "enter" ? last.message.token : "outside";
  }

  /** What the server calls that epoch. */
  get node(): string {
    return nodeOf(this.place);
  }

  get members(): readonly GroupMember[] {
    return this.#told?.members ?? [];
  }

  /** Hex. */
  get identity(): string {
    return toHex(this.membership.identity.publicKey);
  }

  get leaf(): number {
    return this.members.find(({ me }) => me)?.leaf ?? -1;
  }

  get received(): string[] {
    return this.said.flatMap((message) => (message.type === "message" ? [new TextDecoder().decode(message.body)] : []));
  }

  notes(what: string): number {
    return this.said.filter((message) => "detail" in message && message.what === what).length;
  }

  sent<T extends ToRoom["type"]>(type: T): Extract<ToRoom, { type: T }>[] {
    const toRoom = this.said.flatMap((message) => (message.type === "to-room" ? [message.message] : []));
    return toRoom.filter((message): message is Extract<ToRoom, { type: T }> => message.type === type);
  }

  get delivered(): number[] {
    return this.said.flatMap((message) => (message.type === "delivered" ? [message.receipt] : []));
  }

  /** `to` is a leaf, a leafKeyId or "all". */
  send(to: number | string, text: string, receipt?: number): Promise<void> {
    const body = new TextEncoder().encode(text);
    const addressee = typeof to === "number" ? (this.members.find(({ leaf }) => leaf === to)?.leafKeyId ?? "") : to;
    return this.member.receive({ type: "send", to: addressee, body, ...(receipt !== undefined && { receipt }) });
  }
}

interface Session {
  readonly id: string;
  readonly person: Person;
  /** The node whose token it has shown. */
  at: string | null;
  /** The node to which a commit invited it. */
  invited: string | null;
  isConnected: boolean;
  isGone: boolean;
  /** The one that it came by. */
  door: string | null;
  /** What happened while it was not connected. */
  missed: FromRoom[];
  /** Whose knock keys it waits for. */
  requests: "none" | "oldest" | "all";
}

/** One of the rooms that the server has for the people: several doors may lead there. */
interface ServerRoom {
  /** Its own door: the others are former ones. */
  own: string;
}

/** A commit that the server ordered, or was given again. */
interface Ordered extends CommitEdge {
  readonly from: string;
  readonly since: number;
}

/** Messages to and from the server without any time passing. */
const MAX_TRAFFIC = 10_000;
const PING_EVERY = milli(5000);
/** For so long after a commit those in the epoch before and after it are one neighbourhood. */
const FOLLOWED_WITHIN = 5000;

/** The server's room in memory, as PROTOCOL.md section 3 has it; and its people. */
export class TestRoom {
  readonly clock = new ManualClock();
  readonly secret = random(32);
  people: Person[] = [];
  /** True for what the server pretends never to have got. */
  ignores: (from: Person, message: ToRoom) => boolean = () => false;
  /** Heartbeats go over connections between members, too. */
  hasChannels = false;
  #sessions: Session[] = [];
  readonly #edges = new Map<string, Ordered[]>();
  /** By node, in the order in which they came; and the first node of its group. */
  readonly #knockKeys = new Map<string, { readonly root: string; readonly keys: readonly KnockKey[] }>();
  /** By door. */
  readonly #rooms = new Map<string, ServerRoom>();
  #traffic = 0;

  constructor() {
    this.#answerPings();
  }

  /** Lets the work at hand finish, with the clock standing still. */
  async settle(): Promise<void> {
    const enough = this.#traffic + MAX_TRAFFIC;
    for (let quiet = 0; quiet < 2; quiet += 1) {
      if (this.#traffic > enough) throw new Error("messages without an end");
      const before = this.#traffic;
      const ran = this.clock.advance(milli(0));
      if (quiet > 0 && !ran && this.finishesAll) return;
      await this.finish();
      if (this.#traffic !== before) quiet = -1;
    }
  }

  /** `finish` leaves nothing to be done. Where it waits for one member after the other, a later one may give an earlier one work. */
  protected readonly finishesAll: boolean = false;

  /** Resolves once the members have dealt with all that they have heard. */
  protected async finish(): Promise<void> {
    // A task may leave another behind, and that one a third: each waits behind what came before it.
    for (const { member } of this.people) for (let behind = 0; behind < 3; behind++) await member.receive(NOTHING);
  }

  async advance(ms: number): Promise<void> {
    await this.settle();
    for (let left = ms; left > 0; left -= 50) {
      if (this.clock.advance(milli(Math.min(50, left)))) await this.settle();
    }
  }

  async newPerson(name: string, differs: Partial<Membership> = {}): Promise<Person> {
    const person = new Person(this, name, await newMembership(this.secret, { name, ...differs }));
    this.people.push(person);
    return person;
  }

  /** Another person joins, and has a second to get in. */
  async enter(name: string, differs: Partial<Membership> = {}): Promise<Person> {
    const person = await this.newPerson(name, differs);
    this.connect(person);
    await this.advance(1300);
    return person;
  }

  async enterAll(...names: string[]): Promise<Person[]> {
    const people: Person[] = [];
    for (const name of names) people.push(await this.enter(name));
    return people;
  }

  /** A new session. Its person shows the link, and where the group stands if they have one. */
  connect(person: Person): void {
    const session: Session = {
      id: toBase64url(random(16)),
      person,
      at: null,
      invited: null,
      isConnected: true,
      isGone: false,
      door: null,
      missed: [],
      requests: "none",
    };
    this.#sessions.push(session);
    person.session = session;
    this.#challenge(session);
  }

  disconnect(person: Person): void {
    const session = person.session;
    person.session = null;
    if (session === null) return;
    session.isConnected = false;
    void person.member.receive({ type: "disconnected" });
    this.#presence(session, "away");
    this.clock.after(milli(15_000), () => {
      if (!session.isConnected) this.#giveUp(session);
    });
  }

  /** Takes up the session that `disconnect` interrupted. */
  resume(person: Person): void {
    const session = this.#sessions.findLast((old) => old.person === person);
    if (session === undefined) throw new Error("no session to resume");
    Object.assign(session, { isConnected: true, isGone: false });
    person.session = session;
    this.#challenge(session);
  }

  /** Leaves for good: the tab is closed. */
  close(person: Person): void {
    this.people = this.people.filter((other) => other !== person);
    const session = person.session;
    person.session = null;
    if (session === null) return;
    this.#giveUp(session);
    this.#sessions = this.#sessions.filter((other) => other !== session);
  }

  /** Whether they wait by the door of a link that was replaced. */
  waitsByFormerDoor({ session }: Person): boolean {
    return session !== null && session.at === null && this.#behind(session)?.own !== session.door;
  }

  /** The server comes up again and knows nothing. */
  restart(): void {
    this.#sessions = [];
    this.#edges.clear();
    this.#knockKeys.clear();
    this.#rooms.clear();
    for (const person of this.people) {
      if (person.session !== null) void person.member.receive({ type: "disconnected" });
      person.session = null;
    }
  }

  forgetHistory(): void {
    for (const edges of this.#edges.values())
      for (const [i, edge] of edges.entries()) edges[i] = { ...edge, body: new Uint8Array() };
  }

  take(person: Person, message: ToRoom): void {
    this.#traffic += 1;
    const { session } = person;
    if (session === null || this.ignores(person, message)) return;
    switch (message.type) {
      case "join":
        return this.#join(session, message.door);
      case "listen":
        return this.#listen(session, message.door);
      case "enter":
        return this.#enter(session, message);
      case "request-keys":
        session.requests = message.all ? "all" : "oldest";
        return this.#giveKeys();
      case "knock":
        return this.#knock(session, message);
      case "fetch":
        return this.#fetch(session, message.token);
      case "restock":
        return this.#restock(session, message);
      case "commit":
        return this.#commit(session, message);
      default:
        if (this.#speaks(session)) this.#pass(session, message);
    }
  }

  /** What the page of each other member hears of this one's heartbeat over their connection. */
  overChannels(from: Person, body: Uint8Array): void {
    if (!this.hasChannels) return;
    for (const person of this.people)
      if (person !== from && this.areLinked(from, person))
        void person.member.receive({ type: "heartbeat", from: from.identity, body });
  }

  /** Whether two people have a connection of their own. */
  protected areLinked(_from: Person, _to: Person): boolean {
    return true;
  }

  /** What the member with that leafKeyId hears of this one over their connection. */
  overChannel(from: Person, to: string, body: Uint8Array): void {
    const [own] = from.members.filter(({ me }) => me);
    if (!this.hasChannels || own === undefined) return;
    const isTo = ({ members }: Person) => members.some(({ me, leafKeyId }) => me && leafKeyId === to);
    const message = { type: "peer-commit", from: own.leafKeyId, body } as const;
    for (const person of this.people.filter(isTo))
      if (this.areLinked(from, person)) void person.member.receive(message);
  }

  #answerPings(): void {
    this.clock.after(PING_EVERY, () => this.#answerPings());
    for (const { isConnected, person } of this.#sessions)
      if (isConnected && person.isAnswered) void person.member.receive({ type: "alive" });
  }

  #challenge(session: Session): void {
    this.#deliver(session, { type: "challenge", nonce: toBase64url(random(32)) });
  }

  #join(session: Session, door: string): void {
    if (!this.#rooms.has(door)) this.#rooms.set(door, { own: door });
    session.door = door;
    const resumed = session.missed.length > 0 || session.at !== null;
    this.#deliver(session, { type: "joined", member: session.id, resumed });
    for (const event of session.missed.splice(0)) this.#deliver(session, event);
    if (resumed) this.#presence(session, "back");
    else session.requests = "oldest";
    this.#tellAlone();
    this.#giveKeys();
  }

  /** What leads to the room of a door that was replaced leads to this session's room. */
  #listen(session: Session, door: string): void {
    const room = this.#behind(session);
    if (room === undefined) return;
    const other = this.#rooms.get(door);
    for (const [each, behind] of this.#rooms) if (behind === other) this.#rooms.set(each, room);
    this.#rooms.set(door, room);
  }

  #behind({ door }: Session): ServerRoom | undefined {
    return this.#rooms.get(door ?? "");
  }

  /** Nobody in a room is in a group: the session that has waited longest is to found one. */
  #tellAlone(): void {
    for (const room of new Set(this.#rooms.values())) {
      const sessions = this.#sessions.filter((session) => this.#behind(session) === room);
      if (sessions.some((session) => this.#speaks(session) && !session.isGone)) continue;
      // A door that was replaced since a session came by it is a former one.
      const first = sessions.find(({ isConnected, door, at }) => isConnected && door === room.own && at === null);
      if (first !== undefined) this.#deliver(first, { type: "alone" });
    }
  }

  #enter(session: Session, { token, knockKey }: Extract<ToRoom, { type: "enter" }>): void {
    const node = nodeOf(token);
    const isKnown = this.#isKnown(node);
    Object.assign(session, { at: node, invited: null, requests: "none" });
    if (knockKey !== null) this.#offer(node, node, knockKey);
    const is = (this.#edges.get(node)?.length ?? 0) > 0 ? "ended" : isKnown ? "tip" : "new";
    const knockKeys = (this.#knockKeys.get(node)?.keys ?? []).map(fingerprintOf);
    this.#deliver(session, { type: "entered", at: node, is, knockKeys });
    const room = this.#behind(session);
    const proved = this.#sessions.filter((other) => this.#behind(other) === room && this.#speaks(other));
    const tips = [...new Set(proved.map(({ at }) => at ?? ""))].map((at) => ({
      at,
      sessions: proved.filter((other) => other.at === at).length,
    }));
    const near = this.#neighbours(node);
    if (proved.every((other) => near.includes(other))) return;
    for (const other of is === "new" ? proved : [session]) this.#deliver(other, { type: "groups", tips });
  }

  #offer(node: string, root: string, offered: KnockKey): void {
    const known = this.#knockKeys.get(node) ?? { root, keys: [] };
    const isKnown = known.keys.some((key) => fingerprintOf(key) === fingerprintOf(offered));
    if (!isKnown && known.keys.length < MAX_KNOCK_KEYS)
      this.#knockKeys.set(node, { ...known, keys: [...known.keys, offered] });
    this.#giveKeys();
  }

  /** Those who wait for knock keys get them as soon as there are some. */
  #giveKeys(): void {
    const roots = [...this.#knockKeys.values()].map(({ root }) => root);
    for (const session of this.#sessions) {
      if (session.requests === "none" || !session.isConnected) continue;
      const room = this.#behind(session);
      const others = this.#sessions.filter((other) => other !== session && this.#behind(other) === room);
      const size = (at: string) => others.filter((other) => other.at === at && this.#speaks(other)).length;
      const peopled = [...this.#knockKeys].filter(([at]) => size(at) > 0);
      const reached = peopled.filter(([at]) => !this.#edges.has(at)).map(([, { root }]) => root);
      const open = peopled.filter(([at, { root }]) => !this.#edges.has(at) || !reached.includes(root));
      const first = roots.find((each) => open.some(([, { root }]) => root === each));
      const oldest = open.filter(([, { root }]) => root === first);
      const tips = session.requests === "all" ? open : mostOf(oldest, ([at]) => size(at));
      if (tips.length === 0) continue;
      session.requests = "none";
      const named = tips.flatMap(([at, { keys }]) => keys.map((key) => ({ at, ...key })));
      this.#deliver(session, { type: "knock-keys", tips: named });
    }
  }

  #isKnown(node: string): boolean {
    const isNext = [...this.#edges.values()].some((edges) => edges.some(({ next }) => next === node));
    return isNext || this.#edges.has(node) || this.#sessions.some(({ at }) => at === node);
  }

  #knock(session: Session, { at, body }: Extract<ToRoom, { type: "knock" }>): void {
    for (const other of this.#neighbours(at))
      if (other !== session && this.#speaks(other))
        this.#deliver(other, { type: "knocked", from: session.id, at, body });
  }

  #commit(session: Session, commit: Extract<ToRoom, { type: "commit" }>): void {
    const { at, next, body, welcome, despite, door, knockKey } = commit;
    const successors = this.#edges.get(at) ?? [];
    const again = successors.find((edge) => edge.next === next && edge.from === session.id);
    if (again !== undefined) return this.#deliver(session, { type: "ordered", at, ...again });
    const hadTurn = successors.some(({ from }) => from === session.id);
    const isTaken = session.at === at && this.#speaks(session) && !hadTurn && successors.length < MAX_NODES;
    if (!isTaken || !successors.every((edge) => despite.includes(edge.next)))
      return this.#deliver(session, { type: "refused", at, successors: successors.map((edge) => edge.next) });
    this.#order(at, { from: session.id, next, body, since: this.clock.now() });
    const room = this.#behind(session);
    if (door !== null && room !== undefined) {
      room.own = door.door;
      this.#rooms.set(door.door, room);
    }
    this.#offer(next, this.#knockKeys.get(at)?.root ?? at, knockKey);
    for (const newcomer of this.#sessions) {
      if (!welcome?.to.includes(newcomer.id)) continue;
      newcomer.invited = next;
      this.#deliver(newcomer, { type: "welcomed", from: session.id, body: welcome.body });
    }
  }

  /** A client that can show an epoch's token orders a commit there that is garbage. */
  garble(at: string): void {
    const [from, next] = [toBase64url(random(16)), toBase64url(random(32))];
    this.#order(at, { from, next, body: random(60), since: this.clock.now() });
  }

  /** The same by as many sockets as the server takes commits from. */
  fill(at: string): void {
    while ((this.#edges.get(at) ?? []).length < MAX_NODES) this.garble(at);
  }

  #order(at: string, edge: Ordered): void {
    this.#edges.set(at, [...(this.#edges.get(at) ?? []), edge]);
    for (const other of this.#sessions.filter((each) => each.at === at))
      this.#deliver(other, { type: "ordered", at, ...edge });
  }

  #restock({ id: from }: Session, { token, next, body }: Extract<ToRoom, { type: "restock" }>): void {
    const at = nodeOf(token);
    const edges = this.#edges.get(at) ?? [];
    if (edges.length >= MAX_NODES || edges.some((edge) => edge.next === next)) return;
    this.#order(at, { from, next, body, since: Number.NEGATIVE_INFINITY });
  }

  #fetch(session: Session, token: string): void {
    const at = nodeOf(token);
    const edges = (this.#edges.get(at) ?? []).filter(({ body }) => body.length > 0);
    this.#deliver(session, { type: "history", at, edges });
  }

  /** It stands in an epoch that nothing followed, or not for long. */
  #speaks({ at }: Session): boolean {
    if (at === null) return false;
    const edges = this.#edges.get(at) ?? [];
    return edges.every(({ since }) => this.clock.now() - since <= FOLLOWED_WITHIN);
  }

  #pass(session: Session, message: Extract<ToRoom, { type: "relay" | "answer" | "beat" }>): void {
    const { id: from } = session;
    const { body } = message;
    if (message.type === "relay")
      for (const other of this.#neighbours(session.at)) this.#deliver(other, { type: "relayed", from, body });
    if (message.type === "beat")
      for (const other of this.#neighbours(session.at))
        if (other !== session && other.isConnected) this.#deliver(other, { type: "heartbeat-relayed", from, body });
    if (message.type !== "answer") return;
    const knocker = this.#sessions.find(({ id }) => id === message.to);
    if (knocker !== undefined && knocker !== session) this.#deliver(knocker, { type: "answered", from, body });
  }

  /** Everybody whose epoch hangs together with this one's by commits of the last 5 s. */
  #neighbours(at: string | null): Session[] {
    const near = new Set(at === null ? [] : [at]);
    for (let size = 0; size !== near.size; ) {
      size = near.size;
      for (const [node, edges] of this.#edges)
        for (const { next, since } of edges)
          if (this.clock.now() - since <= FOLLOWED_WITHIN && (near.has(node) || near.has(next)))
            near.add(node).add(next);
    }
    return this.#sessions.filter((other) => near.has(other.at ?? "") || near.has(other.invited ?? ""));
  }

  #presence(session: Session, is: "away" | "back" | "gone"): void {
    for (const other of this.#neighbours(session.at))
      this.#deliver(other, { type: "presence", member: session.id, is });
  }

  #giveUp(session: Session): void {
    session.isGone = true;
    this.#presence(session, "gone");
    this.#tellAlone();
  }

  #deliver(session: Session, event: FromRoom): void {
    this.#traffic += 1;
    if (!session.isConnected) session.missed.push(event);
    else if (!session.person.loses(event)) void session.person.member.receive({ type: "room", event });
  }
}

/** The first of those with most. */
function mostOf<T>(all: readonly T[], size: (one: T) => number): T[] {
  const most = Math.max(...all.map(size));
  return all.filter((one) => size(one) === most).slice(0, 1);
}

function fingerprintOf({ key, tags }: KnockKey): string {
  return toBase64url(sha256(utf8([key, ...tags].join("."))));
}

/** What the server calls an epoch, by its token. */
export function nodeOf(token: string): string {
  const bytes = fromBase64url(token);
  if (bytes === null) throw new Error("a token that is not base64url");
  return toBase64url(sha256(concat(utf8("Sealcast node\0"), bytes)));
}
