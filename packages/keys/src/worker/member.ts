import { equal, fromHex, toHex, utf8 } from "@sealcast/bytes";
import { importBaseKey, openWithSecret, sealWithSecret } from "@sealcast/crypto";
import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import type {
  Departed,
  Drop,
  FromKeys,
  FromRoom,
  Member as GroupMember,
  Head,
  KeyNote,
  ToKeys,
  ToRoom,
} from "../shared/messages.ts";
import { Application } from "./application.ts";
import { Committer } from "./committer.ts";
import { parseCredential, verifyCredential } from "./credential.ts";
import { type Caller, Door } from "./door.ts";
import { type Change, Group, type Processed } from "./group.ts";
import {
  encodeHeartbeat,
  type Heartbeat,
  hashRoster,
  type Place,
  parseHeartbeat,
  verifyHeartbeat,
} from "./heartbeat.ts";
import { Heartbeats, SILENCE_TICKS } from "./heartbeats.ts";
import type { Membership } from "./key-package.ts";
import { isLeafName } from "./leaf-name.ts";
import { MediaKeys, type Step } from "./media-keys.ts";
import { ALL, type Content, encodePlaintext, MAX_BODY, parsePlaintext } from "./plaintext.ts";
import { areHosts } from "./room-state.ts";
import { Roster } from "./roster.ts";
import { Streams } from "./streams.ts";

const BASE_KEY_LABEL = "SFrame 1.0 Base Key";
const OUTER_KEY_LABEL = "Sealcast second layer";
const LINK_LABEL = "Sealcast link";
const HEARTBEAT_LABEL = "heartbeat";
const KEY_SIZE = 32;
const TICK = milli(1000);
const KNOCK_EVERY = milli(3000);
const RESYNC_EVERY = milli(5000);
/** How long messages of an epoch that was left can still be opened. */
const KEEP_EPOCH = milli(10_000);
/** The commit that won over this member's own arrives about as soon as the refusal does. */
const PATIENCE_WITH_WINNER = milli(1000);
const PATIENCE_WITH_FETCH = milli(3000);
const PATIENCE_WITH_ORDER = milli(3000);
/** Commits kept for a restarted server. */
const MAX_HISTORY = 16;
/** Messages kept for an epoch that this member has not reached; each is at most 48 KiB. */
const MAX_EARLY = 256;
const MAX_UNECHOED = 256;

/** Why a message does not open, as the page counts it. */
const DROPS = {
  malformed: "bad-message",
  invalid: "bad-message",
  "past-epoch": "stale",
  replayed: "replayed",
} as const;

type Incoming<T extends FromRoom["type"]> = Extract<FromRoom, { type: T }>;

/**
 * One member of one room: keeps its group in step with the others, through the server, and the media workers in step
 * with the group. Everything happens in one queue, in the order in which it came.
 */
export class Member {
  readonly #membership: Membership;
  readonly #clock: Clock;
  readonly #tell: (message: FromKeys) => void;
  readonly #application: Application;
  readonly #door: Door;
  readonly #roster: Roster;
  readonly #committer: Committer;
  readonly #streams: Streams;
  readonly #mediaKeys: MediaKeys;
  readonly #heartbeats = new Heartbeats();

  #queueEnd: Promise<void> = Promise.resolve();
  #isOver = false;
  #group: Group | null = null;
  /** What the server calls this member in its present session. */
  #roomMember = "";
  /** Set while commits that were missed are being fetched: the highest epoch that the room has reached. */
  #behind: { head: number; readonly cancel: Cancel } | null = null;
  #cancelResend: Cancel = () => undefined;
  /** There is a socket to the server, and it is in the room. */
  #connected = false;
  /** Ticks since the server said anything. */
  #silence = 0;
  /** Where the group stands now. */
  #place: Place | null = null;
  /** What the page was last told of heartbeats. */
  #alarms = "[]";
  /** What the page was last told of those who wait. */
  #knockers = "[]";
  /** Leaves that are known to hold the present epoch. */
  readonly #holders = new Set<number>();
  /** The last commits this member took, oldest first. */
  #history: { epoch: number; body: Uint8Array }[] = [];
  /** Messages of epochs that this member has not reached. */
  #early: { epoch: number; body: Uint8Array }[] = [];
  /** To be sealed and relayed once the task at hand is done. */
  #outbox: { to: number; content: Content }[] = [];
  /** Relayed, and not come back in the room's order yet. */
  #unechoed: Uint8Array[] = [];

  /** `tell` gets everything for the page, in order. */
  constructor(membership: Membership, clock: Clock, tell: (message: FromKeys) => void) {
    this.#membership = membership;
    this.#clock = clock;
    this.#tell = tell;
    this.#application = new Application({
      membership,
      clock,
      later: (delay, task) => this.#later(delay, task),
      knock: (body) => this.#toRoom({ type: "knock", body }),
      waiting: () => this.#tell({ type: "waiting" }),
      turnedAway: () => this.#end({ type: "refused", why: "turned-away" }),
      expired: () => this.#end({ type: "refused", why: "not-admitted" }),
    });
    this.#door = new Door(membership);
    this.#roster = new Roster(clock, () => void this.#queue(() => this.#plan()));
    this.#committer = new Committer(clock, this.#roster, () => void this.#queue(() => this.#commit()));
    this.#streams = new Streams({
      clock,
      transmit: (to, content) => this.#say(to, content),
      deliver: (from, body) => this.#tell({ type: "message", from, body }),
      arrived: (receipt) => this.#tell({ type: "delivered", receipt }),
    });
    this.#mediaKeys = new MediaKeys(clock);
    this.#later(TICK, () => this.#tick());
  }

  /** Resolves when the message was dealt with. */
  receive(message: Exclude<ToKeys, { type: "start" | "compare" }>): Promise<void> {
    return this.#queue(() => this.#handle(message));
  }

  #queue(task: () => Promise<void> | void): Promise<void> {
    const done = this.#queueEnd.then(async () => {
      if (this.#isOver) return;
      await task();
      await this.#emptyOutbox();
    });
    // A bug in one task is reported through `done`, and does not stop the next.
    this.#queueEnd = done.catch(() => undefined);
    return done;
  }

  #later(delay: Milli, task: () => Promise<void> | void): Cancel {
    return this.#clock.after(delay, () => void this.#queue(task));
  }

  #handle(message: Exclude<ToKeys, { type: "start" | "compare" }>): Promise<void> | void {
    switch (message.type) {
      case "room":
        return this.#hear(message.event);
      case "send":
        return this.#send(message);
      case "reachable":
        this.#roster.reachable(message.leaf, message.up);
        return this.#plan();
      case "heartbeat":
        return this.#heartbeat(message.body);
      case "disconnected":
        this.#connected = false;
        return this.#heartbeats.disconnected();
      case "alive":
        this.#silence = 0;
        return;
      case "media":
        return this.#mediaKeys.attach(message.port);
      case "introduce":
        return this.#introduce(message.name);
      case "remove":
        return this.#expel(message.identity);
      case "mode":
        this.#committer.change(message.mode);
        return this.#plan();
      case "hosts":
        return this.#appoint(message.identities);
      case "admit":
        return this.#decided(message.seat, message.yes);
      case "rejoin":
        return this.#rejoin();
      case "leave":
        return this.#leave();
    }
  }

  #hear(event: FromRoom): Promise<void> | void {
    this.#silence = 0;
    switch (event.type) {
      case "joined":
        return this.#joined(event);
      case "found":
        return this.#found();
      case "yield":
        return this.#yield();
      case "knocked":
        return this.#knocked(event);
      case "welcomed":
        return this.#welcomed(event);
      case "answered":
        return this.#application.answered(event.body);
      case "ordered":
        return this.#ordered(event);
      case "refused":
        return this.#refused(event);
      case "history":
        return this.#fetched(event);
      case "relayed":
        return this.#relayed(event);
      case "beaten":
        return this.#beaten(event);
      case "presence":
        this.#roster.presence(event.member, event.is);
        return this.#plan();
    }
  }

  /** A member's new name goes into its leaf by a commit of its own. */
  #introduce(name: string): void {
    if (!isLeafName(name)) throw new Error("a leaf cannot hold this name");
    this.#membership.name = name;
    this.#plan();
  }

  // Coming and going

  #joined({ member, founder, resumed, head }: Incoming<"joined">): Promise<void> | void {
    this.#roomMember = member;
    this.#connected = true;
    if (!resumed) this.#unechoed = [];
    for (const body of this.#unechoed) this.#toRoom({ type: "relay", body });
    this.#sendCommit();
    if (this.#group === null && founder) return this.#found();
    if (this.#application.isOpen) return this.#application.restart();
    if (this.#group === null) return this.#application.start(KNOCK_EVERY);
    if (!resumed) return this.#rejoined(this.#group, head);
  }

  /** In a new session: says where it stands, and finds out whether the others stand there too. */
  #rejoined(group: Group, head: Head | null): void {
    for (const { epoch, body } of this.#history) this.#toRoom({ type: "restock", epoch, body });
    this.#roster.doubt();
    if (head !== null && head.epoch > group.epoch) return this.#catchUp(head.epoch);
    const isOtherBranch = head?.authenticator && !equal(head.authenticator, group.authenticator);
    if (head?.epoch === group.epoch && isOtherBranch) return this.#resync("the group went another way");
    this.#hello();
    this.#streams.restart();
    this.#plan();
  }

  async #found(): Promise<void> {
    if (this.#group !== null) return;
    this.#application.close();
    this.#group = await Group.create(this.#membership);
    await this.#entered(this.#group, "start", null);
  }

  /** A live group came back to the room that this member founded alone. */
  #yield(): void {
    if (this.#group === null || this.#group.members.length > 1) return;
    this.#group = null;
    this.#place = null;
    this.#history = [];
    for (const part of [this.#committer, this.#roster, this.#streams, this.#heartbeats]) part.reset();
    this.#door.close();
    this.#mediaKeys.clear();
    this.#tell({ type: "head", head: null });
    this.#application.start(KNOCK_EVERY);
  }

  async #welcomed({ body }: Incoming<"welcomed">): Promise<void> {
    if (!this.#application.isOpen) return this.#drop("bad-welcome", "not asked for");
    const group = await Group.join(this.#membership, this.#application.packages, body);
    if (group === null) return this.#drop("bad-welcome", "does not verify");
    if (this.#application.isHandedLink) this.#tellLink();
    this.#application.close();
    this.#committer.reset();
    this.#streams.reset();
    this.#history = [];
    this.#group = group;
    await this.#entered(group, "start", null);
  }

  async #leave(): Promise<void> {
    this.#say(ALL, { type: "bye" });
    await this.#emptyOutbox();
    this.#end({ type: "left" });
  }

  #end(last: FromKeys): void {
    this.#isOver = true;
    this.#behind?.cancel();
    this.#application.close();
    this.#door.close();
    for (const part of [this.#committer, this.#roster, this.#streams, this.#mediaKeys]) part.close();
    this.#tell(last);
  }

  // Epochs

  /** Somebody with the link, or with an old one, asks to be let in. */
  async #knocked({ from, body }: Incoming<"knocked">): Promise<void> {
    if (this.#group === null) return;
    const caller = await this.#door.read(from, body);
    if (typeof caller === "string") return this.#drop(caller, from);
    this.#roster.knocked(toHex(caller.applicant.keyPackage.leafNode.signaturePublicKey), from);
    this.#committer.knocked(caller);
    this.#plan();
    await this.#receive(this.#group, caller);
  }

  /** Somebody who cannot be let in at once is told so, by one of the members: who can read the knock. */
  async #receive(group: Group, caller: Caller): Promise<void> {
    if (this.#committer.isLetIn(group, caller)) return;
    if (caller.oldLink !== null && !group.isHost) return;
    if (this.#roster.rank(group.leaf, this.#speechless(group, caller)) > 0) return;
    const answer = this.#committer.isAsked(group, caller) ? "waiting" : "turned-away";
    this.#toRoom(await this.#door.answer(caller, answer));
  }

  /** The leaves that cannot answer: only hosts have the old links. */
  #speechless({ members, hosts }: Group, { oldLink }: Caller): ReadonlySet<number> {
    const guests = oldLink === null ? [] : members.filter(({ identity }) => !hosts.includes(identity));
    return new Set(guests.map(({ leaf }) => leaf));
  }

  // What hosts alone may do

  #appoint(identities: readonly string[]): void {
    if (!areHosts(identities)) throw new Error("a room cannot have these hosts");
    this.#committer.appoint(identities);
    this.#plan();
  }

  #expel(identity: string): void {
    const isHere = this.#group?.members.some((member) => member.identity === identity && !member.me) ?? false;
    if (!isHere || !this.#group?.isHost) return;
    this.#committer.expel(identity);
    this.#tell({ type: "removal", identity, is: "ordered" });
    this.#plan();
  }

  async #decided(seat: string, yes: boolean): Promise<void> {
    const refused = this.#committer.decided(seat, yes);
    if (refused !== null) this.#toRoom(await this.#door.answer(refused, "turned-away"));
    this.#plan();
  }

  /** The page of a host hears who waits whenever that changes. */
  #tellKnockers(group: Group): void {
    const waiting = group.isHost ? this.#committer.waiting(group) : [];
    const knockers = waiting.map(({ applicant: { seat, identity, name }, oldLink }) => {
      return { seat, identity, name, oldLink: oldLink !== null, removed: this.#committer.hasRemoved(identity) };
    });
    if (JSON.stringify(knockers) === this.#knockers) return;
    this.#knockers = JSON.stringify(knockers);
    this.#tell({ type: "knockers", knockers });
  }

  #plan(): void {
    if (this.#group === null || this.#application.isOpen || this.#behind !== null) return this.#committer.close();
    this.#committer.plan(this.#group);
    this.#tellKnockers(this.#group);
  }

  async #commit(): Promise<void> {
    if (this.#group === null || this.#application.isOpen || this.#behind !== null) return;
    const proposed = await this.#committer.propose(this.#group, (caller) => this.#door.handOver(caller));
    if (proposed === null) return this.#plan();
    for (const leaf of this.#roster.stale()) this.#note("stale-leaf-removed", `leaf ${leaf}`);
    this.#sendCommit();
  }

  /** Sends the commit that is on its way, if one is, and again until it is settled: a refusal tells more than silence. */
  #sendCommit(): void {
    const proposed = this.#committer.proposed;
    if (proposed === null) return;
    const { epoch, bytes, welcome } = proposed.pending;
    for (const answer of proposed.handovers) this.#toRoom(answer);
    const forNewcomers = welcome === null ? null : { to: proposed.welcomes, body: welcome };
    this.#toRoom({ type: "commit", epoch, body: bytes, welcome: forNewcomers });
    this.#cancelResend();
    this.#cancelResend = this.#later(PATIENCE_WITH_ORDER, () => this.#sendCommit());
  }

  async #ordered({ seq, epoch, body }: Incoming<"ordered">): Promise<void> {
    const group = this.#group;
    if (group === null || this.#application.isOpen) return;
    if (epoch < group.epoch) return this.#drop("stale", "commit");
    if (epoch > group.epoch) return this.#catchUp(epoch + 1);
    const problem = await this.#take(group, body);
    if (problem === null) return;
    this.#drop("invalid-commit", problem);
    this.#toRoom({ type: "skip", seq });
    this.#sendCommit();
    this.#plan();
  }

  /** Moves the group on by the commit that ends its epoch. Null, or why it stays. */
  async #take(group: Group, body: Uint8Array): Promise<string | null> {
    const pending = this.#committer.proposed?.pending;
    const isOwn = pending !== undefined && equal(pending.bytes, body);
    const epoch = group.epoch;
    const processed: Processed = isOwn ? { ok: true, change: group.adopt(pending) } : await group.process(body);
    if (!processed.ok) return processed.drop;
    if (processed.change === null) {
      this.#removed(processed);
      return null;
    }
    this.#history = [...this.#history, { epoch, body }].slice(-MAX_HISTORY);
    await this.#entered(group, processed.change.removed.length > 0 ? "removal" : "additions", processed.change);
    return null;
  }

  /** A commit took this member out though it did not leave. */
  #removed({ byHost, successor }: { byHost: boolean; successor: string | null }): void {
    if (byHost) return this.#end({ type: "refused", why: "removed" });
    // Another tab with a copy of this one's seat would take it back in turn, for ever.
    if (successor !== null && !this.#application.isOurs(successor)) this.#end({ type: "refused", why: "replaced" });
    else this.#resync("this member was removed");
  }

  #refused({ epoch, head }: Incoming<"refused">): void {
    if (this.#committer.proposed?.pending.epoch !== epoch) return;
    this.#note("commit-lost", `epoch ${epoch}`);
    if (head !== null) this.#catchUpLater(head.epoch);
  }

  /** The commit that leads to `epoch` comes first where nothing is lost. */
  #catchUpLater(epoch: number): void {
    this.#later(PATIENCE_WITH_WINNER, () => {
      if (this.#group !== null && this.#group.epoch < epoch) this.#catchUp(epoch);
    });
  }

  /** Fetches the commits up to the epoch `head`. */
  #catchUp(head: number): void {
    if (this.#group === null || this.#application.isOpen) return;
    if (this.#behind !== null) {
      this.#behind.head = Math.max(this.#behind.head, head);
      return;
    }
    this.#behind = { head, cancel: this.#later(PATIENCE_WITH_FETCH, () => this.#resync("no history came")) };
    this.#toRoom({ type: "fetch", epoch: this.#group.epoch });
    this.#plan();
  }

  async #fetched({ commits }: Incoming<"history">): Promise<void> {
    const group = this.#group;
    const behind = this.#behind;
    if (group === null || behind === null) return;
    behind.cancel();
    const start = group.epoch;
    for (const { epoch, body } of commits.slice(0, MAX_HISTORY)) {
      if (epoch !== group.epoch) continue;
      const problem = await this.#take(group, body);
      if (problem !== null) {
        this.#drop("invalid-commit", problem);
        return this.#resync("a fetched commit was refused");
      }
      if (this.#isOver || this.#application.isOpen) return;
    }
    this.#behind = null;
    if (group.epoch >= behind.head) this.#plan();
    else if (group.epoch > start) this.#catchUp(behind.head);
    else this.#resync("the history does not reach back far enough");
  }

  /** Alone there is nobody to be taken in by, and nothing to open. */
  #rejoin(): void {
    if (this.#group !== null && this.#group.members.length > 1) this.#resync("media does not open");
  }

  /** Asks to be taken in anew, on the same seat. The keys at hand keep working meanwhile. */
  #resync(why: string): void {
    if (this.#application.isOpen) return;
    this.#behind?.cancel();
    this.#behind = null;
    this.#committer.reset();
    this.#heartbeats.resync();
    this.#note("resync", why);
    this.#application.start(RESYNC_EVERY);
  }

  /** The group is in another epoch now: `change` is what the commit did, null for a newcomer's first epoch. */
  async #entered(group: Group, step: Step, change: Change | null): Promise<void> {
    const { epoch, leaf, members } = group;
    this.#holders.clear();
    this.#roster.enter(members, change === null, group.room.mode !== "open");
    const out = this.#committer.entered(change);
    this.#place = { epoch, authenticator: group.authenticator.slice(), roster: await hashRoster(members) };
    this.#heartbeats.enter(this.#place, members, change === null);
    if (change?.newLink) await this.#replaceLink(group);
    const bytes = await group.exportSecret(BASE_KEY_LABEL, KEY_SIZE);
    const two = this.#membership.layers === 2;
    const outerKey = two ? await group.exportSecret(OUTER_KEY_LABEL, KEY_SIZE) : null;
    this.#mediaKeys.enter({ epoch, leaf, baseKey: await importBaseKey(bytes), outerKey }, step);
    bytes.fill(0);
    this.#later(KEEP_EPOCH, () => group.forget(epoch - 1));
    this.#tell({ type: "head", head: { epoch, authenticator: group.authenticator.slice() } });
    const { isHost: host, hosts, room } = group;
    const rules = { host, hosts, mode: room.mode };
    this.#tell({ type: "members", epoch, members, rules, departed: change === null ? [] : departedBy(change) });
    for (const identity of out) this.#tell({ type: "removal", identity, is: "done" });
    // On the way through fetched commits the others are further on already.
    if (this.#behind === null || this.#behind.head <= epoch) this.#hello();
    this.#streams.enter(epoch, members);
    await this.#openEarly(epoch);
    this.#checkHolders(group);
    this.#plan();
  }

  /** Whoever was removed has the old one. Hosts go on reading knocks under it. */
  async #replaceLink(group: Group): Promise<void> {
    const secret = await group.exportSecret(LINK_LABEL, KEY_SIZE, utf8(this.#membership.room));
    this.#door.replaceLink(secret, group.isHost);
    this.#tellLink();
  }

  #tellLink(): void {
    this.#tell({ type: "link", secret: this.#membership.linkSecret.reveal().slice() });
  }

  /** Senders may switch once everybody in the group can follow. */
  #checkHolders(group: Group): void {
    const everybody = group.members.every(({ leaf, me }) => me || this.#holders.has(leaf));
    if (everybody) this.#mediaKeys.acknowledged(group.epoch);
  }

  // Heartbeats: whether everybody is in one epoch of one group

  async #tick(): Promise<void> {
    this.#later(TICK, () => this.#tick());
    this.#silence += 1;
    this.#heartbeats.tick(this.#connected, this.#silence);
    if (this.#heartbeats.isDue) await this.#beat();
    this.#tellAlarms();
    // Who has gone away knocks no more, and which host is still heard changes with time.
    this.#plan();
  }

  /** Over the server and over every link: where one of them is cut, the other still tells. */
  async #beat(): Promise<void> {
    const own = this.#group?.members.find(({ me }) => me);
    const leafKey = fromHex(own?.occupancy ?? "");
    if (this.#group === null || this.#place === null || leafKey === null) return;
    const group = this.#group;
    const { room, linkSecret } = this.#membership;
    const time = Math.floor(this.#clock.now());
    const connected = this.#connected && this.#silence <= SILENCE_TICKS;
    const beat = { ...this.#place, connected, time, leafKey, credential: group.credential };
    const body = await encodeHeartbeat(room, beat, (message) => group.sign(message));
    this.#tell({ type: "heartbeat", body });
    const sealed = await sealWithSecret(linkSecret.reveal(), HEARTBEAT_LABEL, utf8(room), body);
    this.#toRoom({ type: "beat", body: sealed });
  }

  async #beaten({ body }: Incoming<"beaten">): Promise<void> {
    const { room, linkSecret } = this.#membership;
    const opened = await openWithSecret(linkSecret.reveal(), HEARTBEAT_LABEL, utf8(room), body);
    if (opened === null) return this.#drop("bad-heartbeat", "does not open");
    await this.#heartbeat(opened);
  }

  async #heartbeat(body: Uint8Array): Promise<void> {
    const beat = parseHeartbeat(body);
    if (beat === null || !this.#heartbeats.isNews(toHex(beat.leafKey), beat.time)) return;
    if (!(await verifyHeartbeat(this.#membership.room, body, beat))) return this.#drop("bad-heartbeat", "signature");
    const who = await this.#whose(beat);
    if (who === null) return;
    this.#roster.alive(toHex(beat.leafKey));
    this.#heartbeats.heard({ ...beat, occupancy: toHex(beat.leafKey), who });
    this.#tellAlarms();
    this.#follow(beat);
  }

  /** Identity and seat, hex: as the tree has it for that key, or else as the key's own credential proves. */
  async #whose({ leafKey, credential }: Heartbeat): Promise<string | null> {
    const known = this.#heartbeats.member(toHex(leafKey));
    if (known !== null) return known.identity + known.seat;
    const claims = parseCredential(credential);
    if (claims === null || !(await verifyCredential({ room: this.#membership.room, leafKey }, credential))) return null;
    return toHex(claims.identity) + toHex(claims.seat);
  }

  /** A member of the group is further on, where its commit should have come by now. */
  #follow({ leafKey, epoch }: Heartbeat): void {
    if (this.#group === null || epoch <= this.#group.epoch) return;
    if (this.#heartbeats.member(toHex(leafKey)) !== null) this.#catchUpLater(epoch);
  }

  #tellAlarms(): void {
    const { alarms } = this.#heartbeats;
    if (JSON.stringify(alarms) === this.#alarms) return;
    this.#alarms = JSON.stringify(alarms);
    this.#tell({ type: "alarms", alarms });
  }

  // Messages inside the group

  #send({ to, body, receipt }: Extract<ToKeys, { type: "send" }>): void {
    if (body.length > MAX_BODY) return this.#note("unsent", "too long");
    const leaf = to === "all" ? to : this.#group?.members.find(({ occupancy }) => occupancy === to)?.leaf;
    // Whoever sits on that leaf now is another member, and what was for the one before would confuse it.
    if (leaf === undefined) return;
    if (!this.#streams.send(leaf, body, receipt)) this.#note("unsent", `to leaf ${leaf}`);
  }

  #hello(): void {
    this.#say(ALL, { type: "hello", member: this.#roomMember });
  }

  #say(to: number, content: Content): void {
    this.#outbox.push({ to, content });
    // Timers say things too, outside any task.
    void this.#queue(() => undefined);
  }

  async #emptyOutbox(): Promise<void> {
    const group = this.#group;
    const outbox = this.#outbox;
    this.#outbox = [];
    if (group === null || group.members.length === 1) return;
    for (const { to, content } of outbox) {
      const body = await group.seal(encodePlaintext(to, content));
      this.#unechoed = [...this.#unechoed, body].slice(-MAX_UNECHOED);
      this.#toRoom({ type: "relay", body });
    }
  }

  async #relayed({ body }: Incoming<"relayed">): Promise<void> {
    const echo = this.#unechoed.findIndex((sent) => equal(sent, body));
    if (echo >= 0) this.#unechoed.splice(echo, 1);
    else await this.#open(body);
  }

  async #open(body: Uint8Array): Promise<void> {
    const group = this.#group;
    if (group === null) return;
    const opened = await group.open(body);
    if (opened.ok) {
      const message = parsePlaintext(opened.plaintext);
      if (message === null) return this.#drop("bad-message", "malformed content");
      this.#roster.heard(opened.from);
      if (message.to === ALL || message.to === group.leaf) this.#listen(group, opened.epoch, opened.from, message);
    } else if (opened.drop === "future-epoch") this.#keepEarly(opened.epoch, body);
    else if (opened.drop !== "own") this.#drop(DROPS[opened.drop], opened.drop);
  }

  #listen(group: Group, epoch: number, from: GroupMember, { to, content }: { to: number; content: Content }): void {
    switch (content.type) {
      case "hello":
        return this.#greeted(group, epoch, from, content.member);
      case "bye":
        this.#roster.bye(from);
        return this.#plan();
      case "data":
      case "ack":
        return this.#streams.received(from, to, content);
    }
  }

  #greeted(group: Group, epoch: number, from: GroupMember, roomMember: string): void {
    const hasReconnected = this.#roster.hello(from, roomMember);
    if (epoch === group.epoch) {
      this.#holders.add(from.leaf);
      this.#checkHolders(group);
      // It does not know who else is still there.
      if (hasReconnected) this.#hello();
    }
    this.#plan();
  }

  #keepEarly(epoch: number, body: Uint8Array): void {
    this.#catchUpLater(epoch);
    if (this.#early.length === MAX_EARLY) return this.#drop("bad-message", "too many of a future epoch");
    this.#early.push({ epoch, body });
  }

  async #openEarly(epoch: number): Promise<void> {
    const due = this.#early.filter((message) => message.epoch === epoch);
    this.#early = this.#early.filter((message) => message.epoch > epoch);
    for (const { body } of due) await this.#open(body);
  }

  #drop(what: Drop, detail: string): void {
    this.#tell({ type: "dropped", what, detail });
  }

  #note(what: KeyNote, detail: string): void {
    this.#tell({ type: "noted", what, detail });
  }

  #toRoom(message: ToRoom): void {
    this.#tell({ type: "to-room", message });
  }
}

/** Who is out by this change, and not only on another leaf. */
function departedBy({ added, removed, newLink }: Change): Departed[] {
  const comesBack = (who: GroupMember) =>
    added.some(({ identity, seat }) => identity + seat === who.identity + who.seat);
  return removed.filter((who) => !comesBack(who)).map((member) => ({ member, by: newLink ? "removal" : "leave" }));
}
