import { concat, equal, toBase64url, toHex, u32, utf8 } from "@sealcast/bytes";
import { random, Secret, sealWithSecret } from "@sealcast/crypto";
import { milli } from "@sealcast/time";
import type { CiphersuiteImpl, ClientState, Proposal } from "ts-mls";
import { createCommit } from "ts-mls/createCommit.js";
import { mlsExporter } from "ts-mls/keySchedule.js";
import { encodeMlsMessage } from "ts-mls/message.js";
import type { Alarm, GroupMember } from "../../shared/messages.ts";
import { type Membership, makeKeyPackage } from "../mls/key-package.ts";
import { leafAt } from "../mls/ratchet-tree.ts";
import { LINK_PSK, linkPskProposal, membersOf } from "../mls/rules.ts";
import { encodeHeartbeat, hashRoster } from "./heartbeat.ts";
import { dice, modelledSuite } from "./modelled.cases.ts";
import { newMembership, nodeOf, Person, ROOM, TestRoom } from "./room.cases.ts";
import type { FromMember, FromRoom, ToRoom } from "./wire.ts";

/** What people do, and nobody means harm by. The first of them founded the room and stays. */
const HONEST = ["join", "leave", "close", "reload", "blink", "drop", "rename", "mode", "remove", "restart"] as const;
/** What a server does that wants to part people, or to have them heard. */
const SERVER = ["lose", "delay", "repeat", "split", "replay", "lie", "deaf", "alter"] as const;
/** What someone with an old link does, and with the tokens of the time before it was replaced. */
const OUTSIDER = ["old link", "old knock", "old token", "old restock", "made-up token"] as const;
/** What someone does who is in the group. */
const MEMBER = [
  "insider",
  "silence",
  "namesake",
  "twin",
  "ghost",
  "garbage",
  "wrong next",
  "expel",
  "poison",
  "flood",
  "ahead",
  "strangers",
  "despite",
  "fill",
] as const;

export type Opponent = "server" | "outsider" | "member";
export const DEEDS = { honest: HONEST, server: SERVER, outsider: OUTSIDER, member: MEMBER } as const;
type Deed = (typeof DEEDS)[keyof typeof DEEDS][number];

export interface Step {
  readonly what: Deed;
  /** Who does it, and to whom: an index, past the end from the beginning again. */
  readonly who: number;
  readonly whom: number;
  /** Until the next, in milliseconds. */
  readonly pause: number;
}

/** What the product does here is looked at so often, in milliseconds of simulated time. */
const LOOK_EVERY = 1000;
const MAX_PEOPLE = 6;
const ATTACK = 6000;
/**
 * A room's patience with the honest, once nobody means harm any more. It covers two delays, one after the other: two halves
 * become one group, and the group removes a member of whose leaving the server says nothing.
 */
const TOGETHER_WITHIN = 60_000;
/** For so long a person waits at a door whose host has forgotten their link, before asking for the present one. */
const WAITS_WITH_OLD_LINK = 20_000;
/** From the arrival of a removal's commit until nothing is sealed for who was removed. */
const SENDS_AFTER_REMOVAL = 5000;
const WITHHELD = 15_000;

/** The states of MLS that members were in, by the epoch's token and their leaf: what only tests may look at. */
export class States {
  readonly #byToken = new Map<string, Map<number, ClientState>>();

  add(token: string, state: ClientState): void {
    const leaves = this.#byToken.get(token) ?? new Map<number, ClientState>();
    this.#byToken.set(token, leaves.set(state.privatePath.leafIndex, state));
  }

  of({ token, leaf }: { token: string; leaf: number }): ClientState | undefined {
    return this.#byToken.get(token)?.get(leaf);
  }

  clear(): void {
    this.#byToken.clear();
  }
}

/** One epoch of one person's, as the page and the media workers were told of it. */
interface Told {
  readonly epoch: number;
  readonly members: readonly GroupMember[];
  readonly mode: string;
  /** What all who are told of that epoch have to see alike. */
  readonly view: string;
}

function toldBy({ epoch, members, rules: { mode } }: Extract<FromMember, { type: "members" }>): Told {
  return { epoch, members, mode, view: JSON.stringify([epoch, mode, members.map(({ me: _, ...member }) => member)]) };
}

/** A person in the simulation, and what is known of them. */
class Actor extends Person {
  readonly isHonest: boolean;
  /** In the order in which they were entered. */
  readonly told: Told[] = [];
  readonly ids = new Set<number>();
  /** That this page has had, hex: as a host's it reads knocks under all of them. */
  readonly links = new Set<string>();
  token = "outside";
  /** The nodes of all epochs that it entered, in that order. */
  readonly path: string[] = [];
  ended: string | null = null;
  alarms: readonly Alarm[] = [];
  resyncs = 0;
  waits: string[] = [];
  /** Whom its page shows, and who holds its keys: found equal when they were last looked at. */
  seen: { readonly state: ClientState; readonly roster: readonly GroupMember[] } | null = null;
  #said = 0;
  #news = 0;
  #epochs = 0;
  /** Which of `told` its media is sealed in. */
  sendsIn: Told | null = null;
  readonly #byEpoch = new Map<number, number>();

  constructor(room: TestRoom, name: string, membership: Membership, isHonest: boolean) {
    super(room, name, membership);
    this.isHonest = isHonest;
    this.links.add(toHex(membership.linkSecret.reveal()));
  }

  /** Takes note of what was said since the last time. */
  catchUp(): void {
    for (; this.#said < this.said.length; this.#said += 1) {
      const message = this.said[this.#said]!;
      if (message.type === "to-room" && message.message.type === "enter") this.#stand(message.message.token);
      if (message.type === "members") this.told.push(toldBy(message));
      if (message.type === "alarms") this.alarms = message.alarms;
      if (message.type === "link") this.links.add(toHex(message.secret));
      if (message.type === "noted" && message.what === "resync") this.resyncs += 1;
      if (message.type === "knockers") this.waits = message.knockers.map(({ seat }) => seat);
      if (message.type === "refused") this.ended = message.why;
      if (message.type === "left") this.ended = "left";
    }
    for (; this.#news < this.news.length; this.#news += 1) {
      const news = this.news[this.#news]!;
      if (news.type === "epoch") {
        if (this.ids.has(news.id)) throw new Error(`${this.name}: two epochs went to a media worker as ${news.id}`);
        this.ids.add(news.id);
        this.#byEpoch.set(news.epoch, this.#epochs++);
      }
      if (news.type === "send") this.sendsIn = this.told[this.#byEpoch.get(news.epoch) ?? -1] ?? null;
    }
  }

  #stand(token: string): void {
    if (token === this.token) return;
    this.token = token;
    this.path.push(nodeOf(token));
  }

  /** Whether it went on from that epoch by another commit than the one to `next`. */
  hasPassed({ at, next }: { readonly at: string; readonly next: string }): boolean {
    const then = this.path[this.path.lastIndexOf(at) + 1];
    return then !== undefined && then !== next;
  }

  get roster(): readonly GroupMember[] {
    return this.told.at(-1)?.members ?? [];
  }

  /** As the member that it is now. */
  shows(other: Actor): boolean {
    this.catchUp();
    other.catchUp();
    const shown = other.roster.find(({ me }) => me)?.leafKeyId;
    return this.roster.some(({ leafKeyId }) => leafKeyId === shown);
  }

  get isInside(): boolean {
    return this.ended === null && this.told.length > 0;
  }

  get seatName(): string {
    return toHex(this.membership.identity.publicKey) + toHex(this.membership.seat);
  }
}

/** Who is not in the room any more has no connections to those who are. */
class Room extends TestRoom {
  /** Modelled cryptography never leaves the microtask queue: all work of the members is done before the next task. */
  protected override readonly finishesAll: boolean;

  constructor(isModelled: boolean) {
    super();
    this.finishesAll = isModelled;
  }

  protected override finish(): Promise<void> {
    return this.finishesAll ? new Promise((done) => void setImmediate(done)) : super.finish();
  }

  override overChannels(from: Person, body: Uint8Array): void {
    if (this.people.includes(from)) super.overChannels(from, body);
  }

  /** Pages hold connections to those whom they show. */
  protected override areLinked(from: Person, to: Person): boolean {
    return from instanceof Actor && to instanceof Actor && from.shows(to) && to.shows(from);
  }
}

/** A removal that an honest founder ordered. */
interface Removal {
  readonly leafKeyId: string;
  readonly identity: string;
  readonly name: string;
  /** When its commit came to whom, in the epoch that it ends, and which epochs those are. */
  readonly reached: Map<Actor, { readonly since: number; readonly at: string; readonly next: string }>;
  orderedAt: number | null;
}

/** A kind of attack by the server that lasts for a while. */
interface Attack {
  readonly what: (typeof SERVER)[number];
  readonly on: Actor;
  readonly until: number;
  readonly by: number;
}

interface Options {
  readonly suite: CiphersuiteImpl;
  readonly states: States;
  readonly seed: number;
  readonly opponents: readonly Opponent[];
}

/** People, opponents and a room, moved on step by step; every look at it throws where something does not hold. */
export class Simulation {
  readonly room: Room;
  /** Who went on to seal for someone long after a removal that the server kept from them. */
  readonly withheld: string[] = [];
  /** Where all were, where they did not find together until some loaded their pages again. */
  parted: string | null = null;
  readonly #options: Options;
  readonly #chance: () => number;
  #actors: Actor[] = [];
  #removals: Removal[] = [];
  readonly #carried: { readonly body: Uint8Array; readonly removal: Removal }[] = [];
  #attacks: Attack[] = [];
  /** What the server has seen go by. */
  readonly #tape: FromRoom[] = [];
  /** Whom the opponents command. */
  #insiders: Actor[] = [];
  /** Links and tokens that insiders once held. */
  readonly #oldLinks: Uint8Array[] = [];
  readonly #oldTokens: string[] = [];
  #silenced = new Set<Actor>();
  #names = 0;
  /** Of two changes at once, one before and one after the server was started again, both can win: a true fork. */
  #hasRestarted = false;
  #isOver = false;

  constructor(options: Options) {
    this.#options = options;
    this.room = new Room(options.suite === modelledSuite);
    this.#chance = dice(options.seed);
    this.room.hasChannels = true;
    this.room.ignores = (from, message) => this.#swallows(from as Actor, message);
  }

  static async begin(options: Options): Promise<Simulation> {
    const simulation = new Simulation(options);
    for (let i = 0; i < 3; i += 1) {
      await simulation.#join(true);
      await simulation.pass(1300);
    }
    if (options.opponents.some((kind) => kind !== "server")) await simulation.#takeIn();
    if (options.opponents.includes("outsider")) await simulation.#putOut();
    return simulation;
  }

  /** An opponent comes in as everybody does. */
  async #takeIn(): Promise<void> {
    this.#insiders.push(await this.#join(false));
    await this.pass(1300);
  }

  /** An opponent that was a member is outside from now on, and keeps what it knows. */
  async #putOut(): Promise<void> {
    const [insider] = this.#insiders;
    if (insider === undefined) return;
    await this.#remove(insider);
    await this.pass(6000);
    this.#forget(insider);
    if (this.#options.opponents.includes("member")) await this.#takeIn();
    await this.#trespass("old link", 0, 0);
  }

  /** Those who mean no harm and were not removed. */
  get honest(): Actor[] {
    return this.#actors.filter(({ isHonest }) => isHonest);
  }

  get everybody(): readonly Actor[] {
    return this.#actors;
  }

  get founder(): Actor {
    return this.#actors[0]!;
  }

  async take(step: Step): Promise<void> {
    await this.#act(step);
    await this.pass(step.pause);
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= LOOK_EVERY) {
      await this.room.advance(Math.min(LOOK_EVERY, left));
      await this.#look();
    }
  }

  // People

  async #join(isHonest: boolean, differs: Partial<Membership> = {}): Promise<Actor> {
    const name = isHonest ? `person ${this.#names++}` : `opponent ${this.#names++}`;
    const link = this.#actors[0]?.membership.linkSecret.reveal() ?? this.room.secret;
    const { suite } = this.#options;
    const seconds = () => BigInt(1_800_000_000 + Math.floor(this.room.clock.now() / 1000));
    return this.#open(name, await newMembership(link, { name, suite, seconds, ...differs }), isHonest);
  }

  #open(name: string, membership: Membership, isHonest: boolean): Actor {
    const actor = new Actor(this.room, name, membership, isHonest);
    actor.loses = (event) => this.#takes(actor, event);
    this.#actors.push(actor);
    this.room.people.push(actor);
    this.room.connect(actor);
    return actor;
  }

  /** The same tab from the beginning, with the link as its address has it now. */
  #reload(old: Actor, link: Uint8Array = old.membership.linkSecret.reveal()): Actor {
    const membership = { ...old.membership, linkSecret: new Secret(link.slice()) };
    if (old === this.founder) this.#forgetUnsaid();
    this.room.disconnect(old);
    this.#stop(old);
    const place = this.#actors.indexOf(old);
    const actor = this.#open(old.name, membership, old.isHonest);
    this.#actors.pop();
    this.#actors[place] = actor;
    return actor;
  }

  /** A host whose page goes before it committed a removal does not remove anybody, and sees so when it is back. */
  #forgetUnsaid(): void {
    const isSaid = (removal: Removal) => this.#carried.some((carried) => carried.removal === removal);
    this.#removals = this.#removals.filter(isSaid);
  }

  /** Its page is closed, and nothing of it goes on. */
  #stop(actor: Actor): void {
    this.room.people = this.room.people.filter((other) => other !== actor);
    actor.ended ??= "closed";
    void actor.member.receive({ type: "leave" });
  }

  #forget(actor: Actor): void {
    this.room.close(actor);
    this.#stop(actor);
    this.#actors = this.#actors.filter((other) => other !== actor);
    this.#insiders = this.#insiders.filter((other) => other !== actor);
  }

  async #act({ what, who, whom }: Step): Promise<void> {
    const person = this.honest[who % this.honest.length]!;
    const other = this.#actors[whom % this.#actors.length]!;
    const isKept = person === this.founder;
    if (what === "join" && this.#actors.length < MAX_PEOPLE) await this.#join(true);
    if (what === "leave" && !isKept && this.honest.length > 2) {
      await person.member.receive({ type: "leave" });
      this.#forget(person);
    }
    if (what === "close" && !isKept && this.honest.length > 2) this.#forget(person);
    if (what === "reload") this.#reload(person);
    if (what === "blink" || what === "drop") this.#interrupt(person, what === "blink" ? 700 : 4000 + 300 * (whom % 60));
    if (what === "rename" && person.ended === null)
      await person.member.receive({ type: "introduce", name: `${person.name.split(",")[0]}, ${whom}` });
    if (what === "mode") {
      const mode = (["open", "waiting", "locked"] as const)[whom % 3]!;
      await this.founder.member.receive({ type: "mode", mode });
    }
    if (what === "remove") await this.#remove(other);
    if (what === "restart") this.#restart();
    if ((SERVER as readonly string[]).includes(what)) this.#attack(what as Attack["what"], other, who);
    if ((OUTSIDER as readonly string[]).includes(what)) await this.#trespass(what, who, whom);
    if ((MEMBER as readonly string[]).includes(what)) await this.#betray(what, who, other);
  }

  #interrupt(person: Actor, ms: number): void {
    if (person.session === null) return;
    this.room.disconnect(person);
    this.room.clock.after(milli(ms), () => {
      if (person.session !== null || !this.room.people.includes(person)) return;
      if (ms < 15_000) this.#resume(person);
      else this.room.connect(person);
    });
  }

  /** A server that was started since knows no session to resume. */
  #resume(person: Actor): void {
    try {
      this.room.resume(person);
    } catch {
      this.room.connect(person);
    }
  }

  #restart(): void {
    this.#hasRestarted = true;
    this.room.restart();
    for (const actor of this.#actors) this.room.connect(actor);
  }

  async #remove(whom: Actor): Promise<void> {
    const seated = this.founder.roster.find(
      ({ identity, seat, me }) => identity + seat === whom.seatName && !me && whom !== this.founder,
    );
    if (seated === undefined || (whom.isHonest && this.honest.length < 3)) return;
    const { leafKeyId, identity } = seated;
    const before = this.founder.said.length;
    await this.founder.member.receive({ type: "remove", identity });
    // Where the group of someone else has taken it in, it is no host.
    if (!this.founder.said.slice(before).some((message) => message.type === "removal")) return;
    this.#removals.push({ leafKeyId, identity, name: whom.name, reached: new Map(), orderedAt: null });
    if (!whom.isHonest) this.#oldLinks.push(whom.membership.linkSecret.reveal().slice());
    if (!whom.isHonest && whom.token !== "outside") this.#oldTokens.push(whom.token);
    if (whom.isHonest) this.#forget(whom);
  }

  // The server

  /** What a person says goes by the server, which may keep it to itself. */
  #swallows(from: Actor, message: ToRoom): boolean {
    if (from === this.founder && message.type === "commit" && message.door !== null) this.#carriesOut(message.body);
    if (this.#silenced.has(from) && (message.type === "relay" || message.type === "beat")) return true;
    return !this.#isOver && this.#under("deaf", from) !== undefined;
  }

  #under(what: Attack["what"], on: Actor): Attack | undefined {
    const now = this.room.clock.now();
    return this.#attacks.find((attack) => attack.what === what && attack.on === on && attack.until > now);
  }

  /** True: the person does not hear of it now. */
  #takes(to: Actor, event: FromRoom): boolean {
    if (this.#isLost(to, event)) return true;
    this.#reaches(to, event);
    return false;
  }

  #isLost(to: Actor, event: FromRoom): boolean {
    if (this.#isOver || !this.#options.opponents.includes("server")) return false;
    this.#tape.push(event);
    if (this.#tape.length > 300) this.#tape.shift();
    const loses = this.#under("lose", to);
    if (loses !== undefined && (loses.by % 2 === 0 || event.type === "ordered" || event.type === "history"))
      return true;
    if (this.#isParted(to, event)) return true;
    const delay = this.#under("delay", to);
    const repeat = this.#under("repeat", to);
    const alter = this.#under("alter", to);
    if (delay !== undefined) this.#tellLater(to, event, this.#chance() * 500 * (1 + (delay.by % 8)));
    if (repeat !== undefined) this.#tellLater(to, event, this.#chance() * 3000);
    if (alter !== undefined && "body" in event) this.#tellLater(to, { ...event, body: this.#flipped(event.body) }, 1);
    return delay !== undefined || (alter !== undefined && "body" in event);
  }

  #tellLater(to: Actor, event: FromRoom, ms: number): void {
    this.room.clock.after(milli(ms), () => {
      if (this.#isOver) return;
      this.#reaches(to, event);
      void to.member.receive({ type: "room", event });
    });
  }

  #flipped(body: Uint8Array): Uint8Array {
    const at = Math.floor(this.#chance() * body.length);
    return body.map((byte, i) => (i === at ? byte ^ 1 : byte));
  }

  /** Two halves of the room do not hear of each other. */
  #isParted(to: Actor, event: FromRoom): boolean {
    const id = "from" in event ? event.from : event.type === "presence" ? event.member : null;
    const from = this.#actors.find(({ session }) => session?.id === id);
    if (from === undefined) return false;
    const [one, another] = [to, from].map((actor) => this.#under("split", actor) !== undefined);
    return one !== another;
  }

  /** A removal counts from when its commit comes to who can take it. */
  #reaches(to: Actor, event: FromRoom): void {
    if (event.type !== "ordered" && event.type !== "history") return;
    const edges = event.type === "ordered" ? [event] : event.edges;
    const now = this.room.clock.now();
    to.catchUp();
    for (const { body, removal } of this.#carried) {
      const edge = edges.find((each) => equal(each.body, body));
      if (edge === undefined) continue;
      removal.orderedAt ??= now;
      if (to.token !== "outside" && event.at === to.node && !removal.reached.has(to))
        removal.reached.set(to, { since: now, at: event.at, next: edge.next });
    }
  }

  /** The founder's commit of a new link carries out every removal that was ordered and has not come to anybody yet. */
  #carriesOut(body: Uint8Array): void {
    const due = this.#removals.filter(({ orderedAt }) => orderedAt === null);
    this.#carried.push(...due.map((removal) => ({ body, removal })));
  }

  #attack(what: Attack["what"], on: Actor, by: number): void {
    const until = this.room.clock.now() + ATTACK + 500 * (by % 10);
    if (what === "replay") return this.#replay(on, 12);
    if (what === "lie") return void on.member.receive({ type: "room", event: this.#lie(on, by) });
    if (what !== "split") return void this.#attacks.push({ what, on, until, by });
    for (const [i, actor] of this.#actors.entries())
      if (i % 2 === by % 2) this.#attacks.push({ what, on: actor, until: until + ATTACK, by });
  }

  #replay(on: Actor, count: number): void {
    const told = this.#tape.filter(({ type }) => type !== "joined" && type !== "challenge");
    for (let i = 0; i < count && told.length > 0; i += 1)
      void on.member.receive({ type: "room", event: told[Math.floor(this.#chance() * told.length)]! });
  }

  #lie(on: Actor, by: number): FromRoom {
    const stranger = toBase64url(random(16));
    const node = toBase64url(random(32));
    const at = on.token === "outside" ? node : on.node;
    const lies: FromRoom[] = [
      { type: "entered", at, is: "ended", knockKeys: [] },
      { type: "entered", at, is: "new", knockKeys: [] },
      { type: "entered", at: node, is: "tip", knockKeys: [] },
      { type: "groups", tips: [{ at: node, sessions: 40 }] },
      { type: "alone" },
      { type: "refused", at, successors: [node] },
      { type: "refused", at, successors: [] },
      { type: "history", at, edges: [{ next: node, body: random(100) }] },
      { type: "history", at, edges: [] },
      { type: "ordered", from: stranger, at, next: node, body: random(100) },
      { type: "welcomed", from: stranger, body: random(200) },
      { type: "answered", from: stranger, body: random(60) },
      { type: "relayed", from: stranger, body: random(60) },
      { type: "joined", member: stranger, resumed: by % 4 === 0 },
      ...this.#actors.flatMap(({ session }): FromRoom[] =>
        session === null ? [] : [{ type: "presence", member: session.id, is: by % 4 === 0 ? "away" : "gone" }],
      ),
    ];
    return lies[Math.floor(this.#chance() * lies.length)]!;
  }

  // Outsiders

  async #trespass(what: string, who: number, whom: number): Promise<void> {
    const link = this.#oldLinks[whom % Math.max(1, this.#oldLinks.length)] ?? random(32);
    const token = this.#oldTokens[who % Math.max(1, this.#oldTokens.length)] ?? toBase64url(random(32));
    const outsider = this.#insiders.find(({ name }) => name.startsWith("outsider"));
    if (what === "old link" && outsider === undefined) {
      const { suite } = this.#options;
      const name = `outsider ${this.#names++}`;
      const differs = { name, suite, seconds: this.founder.membership.seconds };
      this.#insiders.push(this.#open(name, await newMembership(link, differs), false));
    }
    if (outsider === undefined) return;
    // The founder may be on the way back in.
    const at = this.founder.isInside ? this.founder.node : toBase64url(random(32));
    if (what === "old knock") this.room.take(outsider, { type: "knock", at, body: random(300) });
    if (what === "old token") {
      this.room.take(outsider, { type: "enter", token, knockKey: null });
      this.room.take(outsider, { type: "fetch", token });
      for (let i = 0; i < 5; i += 1) this.room.take(outsider, { type: "relay", body: random(200) });
      for (let i = 0; i < 5; i += 1) this.room.take(outsider, { type: "beat", body: random(600) });
    }
    if (what === "old restock")
      this.room.take(outsider, { type: "restock", token, next: toBase64url(random(32)), body: random(200) });
    // The server counts no group that was founded from a former door; this one in memory knows no such difference.
    if (what === "made-up token") this.room.take(outsider, { type: "fetch", token: toBase64url(random(32)) });
  }

  // Members

  async #betray(what: string, by: number, on: Actor): Promise<void> {
    const inside = this.#insiders.filter((actor) => actor.isInside);
    if (what === "insider") {
      if (this.#insiders.length < 2 && this.#actors.length < MAX_PEOPLE) this.#insiders.push(await this.#join(false));
      return;
    }
    const insider = inside[by % Math.max(1, inside.length)];
    const state = insider && this.#options.states.of(insider);
    if (insider === undefined || state === undefined || insider.session === null) return;
    if (what === "silence") this.#silenced.add(insider);
    if (what === "namesake") await insider.member.receive({ type: "introduce", name: on.membership.name });
    if (what === "flood") this.#flood(insider);
    if (what === "fill") this.room.fill(insider.node);
    if (what === "ahead") await this.#claimAhead(insider, state, by);
    try {
      const commit = await this.#badCommit(what, insider, state, on);
      if (commit !== null) this.room.take(insider, commit);
    } catch {
      // It cannot even be made.
    }
  }

  #flood(insider: Actor): void {
    for (let i = 0; i < 60; i += 1) {
      this.room.take(insider, { type: "relay", body: random(100) });
      this.room.take(insider, { type: "knock", at: insider.node, body: random(100) });
      this.room.take(insider, { type: "beat", body: random(100) });
    }
  }

  /** Says that it is in a later epoch, which nobody else has ever seen. */
  async #claimAhead(insider: Actor, state: ClientState, by: number): Promise<void> {
    const { suite } = this.#options;
    const leaf = leafAt(state.ratchetTree, state.privatePath.leafIndex);
    if (leaf?.credential.credentialType !== "basic") return;
    const beat = {
      connected: by % 2 === 0,
      epoch: Number(state.groupContext.epoch) + 1 + (by % 3),
      time: Math.floor(this.room.clock.now()),
      authenticator: random(64),
      roster: await hashRoster([]),
      leafKey: leaf.signaturePublicKey,
      credential: leaf.credential.identity,
    };
    const body = await encodeHeartbeat(ROOM, beat, (message) =>
      suite.signature.sign(state.signaturePrivateKey, message),
    );
    this.room.overChannels(insider, body);
    const { exporterSecret } = state.keySchedule;
    const secret = await mlsExporter(exporterSecret, "Sealcast heartbeat", new Uint8Array(), 32, suite);
    const sealed = await sealWithSecret(secret, "Sealcast heartbeat", utf8(ROOM), body);
    this.room.take(insider, { type: "beat", body: concat(u32(Number(state.groupContext.epoch)), sealed) });
  }

  async #badCommit(
    what: string,
    { node: at, membership }: Actor,
    state: ClientState,
    on: Actor,
  ): Promise<Extract<ToRoom, { type: "commit" }> | null> {
    const next = toBase64url(random(32));
    const knockKey = { key: toBase64url(random(1216)), tags: [toBase64url(random(16))] };
    const plain = { type: "commit", at, next, welcome: null, despite: [] as string[], door: null, knockKey } as const;
    if (what === "garbage") return { ...plain, body: random(400) };
    const removed = membersOf(state.ratchetTree, null).find(({ identity, seat }) => identity + seat === on.seatName);
    const proposals: Record<string, () => Promise<Proposal[]> | Proposal[]> = {
      twin: () => this.#addTwin(state, membership),
      ghost: () => this.#addGhost(membership),
      "wrong next": () => [],
      expel: () => (removed === undefined ? [] : [{ proposalType: "remove", remove: { removed: removed.leaf } }]),
      poison: () => [],
      strangers: () => [],
      despite: () => [],
    };
    const extraProposals = await proposals[what]?.();
    if (extraProposals === undefined) return null;
    const cipherSuite = what === "poison" ? this.#poisoned() : this.#options.suite;
    const context = { state, cipherSuite, pskIndex: pskOf(membership) };
    const made = await createCommit(context, { extraProposals, ratchetTreeExtension: true });
    const body = encodeMlsMessage(made.commit);
    const edges = [...this.room.people].flatMap((person) => person.sent("commit")).filter((commit) => commit.at === at);
    const despite = what === "despite" ? edges.slice(-16).map((commit) => commit.next) : [];
    const to = this.#actors.flatMap(({ session }) => session?.id ?? []);
    const welcome = what === "strangers" ? { to, body: random(500) } : null;
    const isTrue = ["expel", "ghost", "poison", "despite"].includes(what);
    return { ...plain, body, next: isTrue ? await this.#nodeAfter(made.newState) : next, welcome, despite };
  }

  /** Some can open the path of a commit that is made with it, and others cannot. */
  #poisoned(): CiphersuiteImpl {
    const { suite } = this.#options;
    const { hpke } = suite;
    const seal: typeof hpke.seal = async (...parameters) => {
      const sealed = await hpke.seal(...parameters);
      return this.#chance() < 0.5 ? sealed : { ...sealed, ct: this.#flipped(sealed.ct) };
    };
    return { ...suite, hpke: { ...hpke, seal } };
  }

  async #nodeAfter({ keySchedule }: ClientState): Promise<string> {
    const { suite } = this.#options;
    const token = await mlsExporter(keySchedule.exporterSecret, "Sealcast door", new Uint8Array(), 32, suite);
    const hash = await crypto.subtle.digest("SHA-256", concat(utf8("Sealcast node\0"), token));
    return toBase64url(new Uint8Array(hash));
  }

  /** A newcomer with the HPKE key of someone who is there. */
  async #addTwin(state: ClientState, membership: Membership): Promise<Proposal[]> {
    const { suite } = this.#options;
    const theirs = await suite.hpke.importPublicKey(leafAt(state.ratchetTree, 0)?.hpkePublicKey ?? random(32));
    const { privateKey } = await suite.hpke.generateKeyPair();
    const keys = [await suite.hpke.generateKeyPair(), { privateKey, publicKey: theirs }];
    const hpke = { ...suite.hpke, generateKeyPair: async () => keys.shift()! };
    return this.#addGhost(membership, { ...suite, hpke });
  }

  /** A newcomer that nobody speaks for. */
  async #addGhost({ seconds }: Membership, suite: CiphersuiteImpl = this.#options.suite): Promise<Proposal[]> {
    const ghost = await newMembership(random(32), { name: "ghost", suite, seconds });
    const { publicPackage } = await makeKeyPackage(ghost);
    return [{ proposalType: "add", add: { keyPackage: publicPackage } }, linkPskProposal(suite)];
  }

  // What has to hold

  async #look(): Promise<void> {
    for (const actor of this.#actors) actor.catchUp();
    for (const person of this.honest.filter(({ isInside }) => isInside)) {
      this.#everyHolderIsShown(person);
      this.#nothingIsSealedForTheRemoved(person);
    }
    this.#viewsOfAnEpochAreEqual();
    if (!this.#hasRestarted && this.#options.opponents.every((kind) => kind === "outsider")) this.#nobodyIsAlarmed();
  }

  /** Anyone who holds the keys of a person's epoch is on that person's page. */
  #everyHolderIsShown(person: Actor): void {
    const state = this.#options.states.of(person);
    if (state === undefined || (person.seen?.state === state && person.seen.roster === person.roster)) return;
    const holders = state.ratchetTree.flatMap((node) =>
      node?.nodeType === "leaf" ? [toHex(node.leaf.signaturePublicKey)] : [],
    );
    const shown = person.roster.map(({ leafKeyId }) => leafKeyId);
    if (holders.length !== shown.length || holders.some((holder) => !shown.includes(holder)))
      throw new Error(`${person.name} is shown ${shown.length} of ${holders.length} who hold its keys`);
    person.seen = { state, roster: person.roster };
  }

  #viewsOfAnEpochAreEqual(): void {
    const views = new Map<string, string>();
    for (const { name, token, told, isInside } of this.honest) {
      const last = told.at(-1);
      if (!isInside || last === undefined) continue;
      if ((views.get(token) ?? last.view) !== last.view)
        throw new Error(`${name} sees another group in epoch ${last.epoch}`);
      views.set(token, last.view);
    }
  }

  #nothingIsSealedForTheRemoved(person: Actor): void {
    const now = this.room.clock.now();
    for (const { leafKeyId, name, reached, orderedAt } of this.#removals) {
      if (!person.sendsIn?.members.some((member) => member.leafKeyId === leafKeyId)) continue;
      const came = reached.get(person);
      // What was ordered before it has the person in another branch since.
      const since = came === undefined || person.hasPassed(came) ? undefined : came.since;
      if (since !== undefined && now - since > SENDS_AFTER_REMOVAL)
        throw new Error(`${person.name} seals for ${name} ${now - since} ms after the removal came`);
      if (since === undefined && orderedAt !== null && now - orderedAt > WITHHELD)
        this.withheld.push(`${person.name} for ${name}: ${now - orderedAt} ms`);
    }
  }

  /** Nobody but the people themselves makes them see red. */
  #nobodyIsAlarmed(): void {
    for (const { name, alarms, isInside } of this.honest) {
      const red = alarms.filter(({ what }) => what !== "silent");
      if (isInside && red.length > 0) throw new Error(`${name} is alarmed: ${JSON.stringify(red)}`);
    }
  }

  /** What outsiders must not change while the people themselves do nothing. */
  get standing(): string {
    const lines = this.honest.map(({ name, token, resyncs, alarms, told }) =>
      JSON.stringify([name, token, resyncs, alarms, told.length]),
    );
    return lines.join("\n");
  }

  // The end

  /** The opponents are gone, the server is another: all who are honest and were not removed find together. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#silenced.clear();
    for (const actor of this.#actors.filter(({ isHonest }) => !isHonest)) this.#forget(actor);
    if (this.#options.opponents.includes("server")) this.#restart();
    else for (const actor of this.#actors) if (actor.session === null) this.#resume(actor);
    if (await this.#findTogether()) return;
    if (this.honest.every((person) => this.room.waitsByFormerDoor(person))) return this.#beginAgain();
    // Two groups with more than one member each stay two: members give way to another group only where they are alone.
    const apart = this.honest.filter(({ isInside, token }) => isInside && token !== this.founder.token);
    const isFault = !this.#areCutOff(apart) && this.#options.opponents.every((kind) => kind === "outsider");
    if (apart.length === 0 || isFault) throw new Error(`not together in time:\n${this.#whereAll}`);
    this.parted = this.#whereAll;
    for (const person of apart) this.#reload(person, this.founder.membership.linkSecret.reveal());
    if (!(await this.#findTogether())) throw new Error(`not together, though all came again:\n${this.#whereAll}`);
  }

  /** Nobody has the link of a removal that its host forgot: who waits with the one before gives up, and a room that was empty is a new one. */
  async #beginAgain(): Promise<void> {
    this.parted = this.#whereAll;
    this.#restart();
    for (const person of this.honest) this.#reload(person, this.founder.membership.linkSecret.reveal());
    if (!(await this.#findTogether())) throw new Error(`not together in an empty room:\n${this.#whereAll}`);
  }

  /**
   * The host removed someone in an epoch that the others have left, at a server that was started again: who came later has no
   * link of the host's and no connection to it, and the removed person has the link by which the others are together.
   */
  #areCutOff(apart: readonly Actor[]): boolean {
    const { membership, path } = this.founder;
    const link = toHex(membership.linkSecret.reveal());
    const hasMet = (person: Actor) => person.links.has(link) || person.path.some((node) => path.includes(node));
    return this.#hasRestarted && !apart.some(hasMet);
  }

  /** Whether they do, in the time that they have for it: from when the last of them asked again to be let in. */
  async #findTogether(): Promise<boolean> {
    const began = this.room.clock.now();
    let since = began;
    while (!this.#areTogether) {
      await this.pass(LOOK_EVERY);
      const now = this.room.clock.now();
      if (await this.#letEverybodyTryAgain(now - began > WAITS_WITH_OLD_LINK)) since = now;
      if (now - since > TOGETHER_WITHIN || now - began > 3 * TOGETHER_WITHIN) return false;
    }
    return true;
  }

  /** Who was refused, or cannot be heard any more, asks again with the link that the founder has now. True: someone did. */
  async #letEverybodyTryAgain(haveWaited: boolean): Promise<boolean> {
    // Of a room that the founder came back to, the mode may be another again.
    if (this.founder.told.at(-1)?.mode !== "open") await this.founder.member.receive({ type: "mode", mode: "open" });
    const refused = this.honest.filter((person) => person.ended !== null || (haveWaited && this.#isForgotten(person)));
    for (const person of refused) this.#reload(person, this.founder.membership.linkSecret.reveal());
    for (const seat of this.founder.waits)
      if (this.honest.some(({ seatName }) => seatName === seat))
        await this.founder.member.receive({ type: "admit", seat, yes: true });
    return refused.length > 0;
  }

  /**
   * It waits with an old link, or founded another group with it, and no host that could read its knocks is left: the founder's
   * page was loaded again.
   */
  #isForgotten({ isInside, seatName, membership }: Actor): boolean {
    const link = membership.linkSecret.reveal();
    if (equal(link, this.founder.membership.linkSecret.reveal())) return false;
    return isInside ? !this.founder.links.has(toHex(link)) : !this.founder.waits.includes(seatName);
  }

  get #areTogether(): boolean {
    for (const person of this.honest) person.catchUp();
    const [first] = this.honest;
    return this.honest.every(
      ({ token, roster, isInside }) =>
        isInside && token === first?.token && roster.length === this.honest.length && token !== "outside",
    );
  }

  get #whereAll(): string {
    const lines = this.honest.map(({ name, token, ended, told, roster }) => {
      const names = roster.map((member) => `${member.leaf} ${member.name}`).join(" | ");
      return `${name}: ${ended ?? token.slice(0, 6)} epoch ${told.at(-1)?.epoch} of ${names}`;
    });
    return lines.join("\n");
  }

  /** Epochs, names and modes that each of the people has seen, for comparison. Who of two comes first in one epoch is chance. */
  get story(): string[] {
    return this.honest.map(({ name, told }) => {
      const namesOf = ({ members }: Told) => members.map((member) => member.name).toSorted();
      const epochs = told.map((seen) => [seen.epoch, seen.mode, ...namesOf(seen)]);
      return `${name}: ${JSON.stringify(epochs)}`;
    });
  }
}

function pskOf({ linkSecret }: Membership) {
  return {
    findPsk: (id: { psktype: string; pskId?: Uint8Array }) =>
      id.psktype === "external" && toHex(id.pskId ?? new Uint8Array()) === toHex(LINK_PSK)
        ? linkSecret.reveal()
        : undefined,
  };
}
