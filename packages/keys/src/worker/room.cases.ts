import { toBase64url, toHex } from "@sealcast/bytes";
import { random, Secret } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import type { FromKeys, FromRoom, Member as GroupMember, Head, KeyNews, ToRoom } from "../shared/messages.ts";
import type { Identity } from "./identity.ts";
import type { Membership } from "./key-package.ts";
import { Member } from "./member.ts";
import { mlsSuite } from "./suite.ts";

export const ROOM = "AAAAAAAAAAAAAAAAAAAAAA";
const suite = await mlsSuite();
/** Means nothing to a member, which works in one queue: once it has heard this, all before it is done. */
export const NOTHING = { type: "heartbeat", body: new Uint8Array() } as const;

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
    seat: random(16),
    name: "Ada",
    linkSecret: new Secret(secret.slice()),
    layers: 1,
    seconds: () => BigInt(Math.floor(Date.now() / 1000)),
    ...differs,
  };
}

/** A member in a test, with everything it said. */
export class Person {
  readonly membership: Membership;
  readonly name: string;
  readonly member: Member;
  readonly said: FromKeys[] = [];
  readonly news: KeyNews[] = [];
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
      if (message.type === "to-room" && this.session !== null) room.take(this.session, message.message);
    });
    const port = { postMessage: (news: KeyNews) => void this.news.push(news) };
    void this.member.receive({ type: "media", port: port as unknown as MessagePort });
  }

  get head(): Head | null {
    return this.said.filter((message) => message.type === "head").at(-1)?.head ?? null;
  }

  /** Epoch and authenticator: equal for all who are in one epoch of one group. */
  get place(): string {
    return this.head === null ? "outside" : `${this.head.epoch} ${toHex(this.head.authenticator ?? new Uint8Array())}`;
  }

  get members(): readonly GroupMember[] {
    return this.said.filter((message) => message.type === "members").at(-1)?.members ?? [];
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

  sent(type: ToRoom["type"]): ToRoom[] {
    return this.said.flatMap((m) => (m.type === "to-room" && m.message.type === type ? [m.message] : []));
  }

  get delivered(): number[] {
    return this.said.flatMap((message) => (message.type === "delivered" ? [message.receipt] : []));
  }

  /** `to` is a leaf, an occupancy or "all". */
  send(to: number | string, text: string, receipt?: number): Promise<void> {
    const body = new TextEncoder().encode(text);
    const addressee = typeof to === "number" ? (this.members.find(({ leaf }) => leaf === to)?.occupancy ?? "") : to;
    return this.member.receive({ type: "send", to: addressee, body, ...(receipt !== undefined && { receipt }) });
  }
}

interface Session {
  readonly id: string;
  readonly person: Person;
  isAdmitted: boolean;
  isConnected: boolean;
  isGone: boolean;
  /** What happened while it was not connected. */
  missed: FromRoom[];
}

/** Messages to and from the server without any time passing. */
const MAX_TRAFFIC = 10_000;

const PING_EVERY = milli(5000);

/** The server's room in memory, one order for all; and its people. */
export class TestRoom {
  readonly clock = new ManualClock();
  readonly secret = random(32);
  people: Person[] = [];
  /** True for what the server pretends never to have got. */
  ignores: (from: Person, message: ToRoom) => boolean = () => false;
  #sessions: Session[] = [];
  #head: Head | null = null;
  #history = new Map<number, Uint8Array>();
  #lastCommit: { seq: number; epoch: number } | null = null;
  #seq = 0;
  #traffic = 0;

  constructor() {
    this.#answerPings();
  }

  get head(): Head | null {
    return this.#head;
  }

  /** Lets the work at hand finish, with the clock standing still. */
  async settle(): Promise<void> {
    const enough = this.#traffic + MAX_TRAFFIC;
    for (let quiet = 0; quiet < 2; quiet += 1) {
      if (this.#traffic > enough) throw new Error("messages without an end");
      const before = this.#traffic;
      this.clock.advance(milli(0));
      for (const { member } of this.people) await member.receive(NOTHING);
      if (this.#traffic !== before) quiet = -1;
    }
  }

  async advance(ms: number): Promise<void> {
    await this.settle();
    for (let left = ms; left > 0; left -= 50) {
      this.clock.advance(milli(Math.min(50, left)));
      await this.settle();
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

  /** A new session, with what the person's group state is. */
  connect(person: Person): void {
    const state = person.head;
    const session: Session = {
      id: toBase64url(random(16)),
      person,
      isAdmitted: false,
      isConnected: true,
      isGone: false,
      missed: [],
    };
    const admitted = this.#sessions.filter(({ isAdmitted }) => isAdmitted);
    const founder = state === null && admitted.length === 0;
    if (state !== null && admitted.length === 1 && this.#head === null) {
      for (const lone of admitted) {
        lone.isAdmitted = false;
        this.#deliver(lone, { type: "yield" });
      }
    }
    session.isAdmitted = founder || state !== null;
    if (state !== null && state.epoch > (this.#head?.epoch ?? -1)) this.#head = state;
    this.#sessions.push(session);
    person.session = session;
    this.#deliver(session, { type: "joined", member: session.id, founder, resumed: false, head: this.#head });
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
    const missed = session.missed;
    Object.assign(session, { isConnected: true, isGone: false, missed: [] });
    person.session = session;
    this.#deliver(session, { type: "joined", member: session.id, founder: false, resumed: true, head: this.#head });
    for (const event of missed) this.#deliver(session, event);
    this.#presence(session, "back");
  }

  /** Leaves for good: the tab is closed. */
  close(person: Person): void {
    this.people = this.people.filter((other) => other !== person);
    const session = person.session;
    person.session = null;
    if (session !== null) this.#giveUp(session);
  }

  /** The server comes up again and knows nothing. */
  restart(): void {
    this.#sessions = [];
    this.#history.clear();
    this.#head = null;
    this.#lastCommit = null;
    for (const person of this.people) {
      if (person.session !== null) void person.member.receive({ type: "disconnected" });
      person.session = null;
    }
  }

  forgetHistory(): void {
    this.#history.clear();
  }

  take(session: Session, message: ToRoom): void {
    this.#traffic += 1;
    if (this.ignores(session.person, message)) return;
    if (message.type === "knock") {
      const { body } = message;
      for (const other of this.#admitted()) {
        if (other !== session) this.#deliver(other, { type: "knocked", from: session.id, body });
      }
      return;
    }
    if (!session.isAdmitted) return;
    switch (message.type) {
      case "relay":
        return this.#deliverAll({ type: "relayed", from: session.id, body: message.body });
      case "commit":
        return this.#commit(session, message);
      case "answer":
        return this.#answer(session, message);
      case "beat":
        return this.#beat(session, message);
      case "skip":
        return this.#skip(message.seq);
      case "fetch":
        return this.#fetch(session, message.epoch);
      case "restock":
        if (!this.#history.has(message.epoch)) this.#history.set(message.epoch, message.body);
    }
  }

  #answerPings(): void {
    this.clock.after(PING_EVERY, () => this.#answerPings());
    for (const { isConnected, person } of this.#sessions)
      if (isConnected && person.isAnswered) void person.member.receive({ type: "alive" });
  }

  #commit(session: Session, { epoch, body, welcome }: Extract<ToRoom, { type: "commit" }>): void {
    if (this.#head !== null && epoch < this.#head.epoch) {
      return this.#deliver(session, { type: "refused", epoch, head: this.#head });
    }
    this.#head = { epoch: epoch + 1, authenticator: null };
    this.#history.set(epoch, body);
    this.#seq += 1;
    this.#lastCommit = { seq: this.#seq, epoch };
    this.#deliverAll({ type: "ordered", seq: this.#seq, from: session.id, epoch, body });
    for (const newcomer of this.#sessions) {
      if (!welcome?.to.includes(newcomer.id)) continue;
      newcomer.isAdmitted = true;
      this.#deliver(newcomer, { type: "welcomed", from: session.id, body: welcome.body });
    }
  }

  #beat(session: Session, { body }: Extract<ToRoom, { type: "beat" }>): void {
    for (const other of this.#admitted()) {
      if (other !== session && other.isConnected) this.#deliver(other, { type: "beaten", from: session.id, body });
    }
  }

  #answer({ id }: Session, { to, body }: Extract<ToRoom, { type: "answer" }>): void {
    const knocker = this.#sessions.find((session) => session.id === to && !session.isAdmitted);
    if (knocker !== undefined) this.#deliver(knocker, { type: "answered", from: id, body });
  }

  #skip(seq: number): void {
    if (this.#lastCommit?.seq !== seq) return;
    this.#history.delete(this.#lastCommit.epoch);
    this.#head = { epoch: this.#lastCommit.epoch, authenticator: null };
  }

  #fetch(session: Session, from: number): void {
    const commits: { epoch: number; body: Uint8Array }[] = [];
    for (let epoch = from; commits.length < 16; epoch += 1) {
      const body = this.#history.get(epoch);
      if (body === undefined) break;
      commits.push({ epoch, body });
    }
    this.#deliver(session, { type: "history", commits });
  }

  #presence(session: Session, is: "away" | "back" | "gone"): void {
    this.#deliverAll({ type: "presence", member: session.id, is });
  }

  #giveUp(session: Session): void {
    session.isGone = true;
    this.#presence(session, "gone");
    this.#sessions = this.#sessions.filter((other) => other.isConnected || other.isAdmitted);
    if (this.#admitted().some(({ isGone }) => !isGone)) return;
    const waiting = this.#sessions.find(({ isAdmitted }) => !isAdmitted);
    if (waiting === undefined) return;
    this.#sessions = this.#sessions.filter(({ isAdmitted }) => !isAdmitted);
    this.#head = null;
    this.#history.clear();
    waiting.isAdmitted = true;
    this.#deliver(waiting, { type: "found" });
  }

  #admitted(): Session[] {
    return this.#sessions.filter(({ isAdmitted }) => isAdmitted);
  }

  #deliverAll(event: FromRoom): void {
    for (const session of this.#admitted()) this.#deliver(session, event);
  }

  #deliver(session: Session, event: FromRoom): void {
    this.#traffic += 1;
    if (!session.isConnected) session.missed.push(event);
    else if (!session.person.loses(event)) void session.person.member.receive({ type: "room", event });
  }
}
