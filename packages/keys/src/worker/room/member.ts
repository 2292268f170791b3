import { Cursor, concat, equal, fromHex, toHex, u32, utf8 } from "@sealcast/bytes";
import { importBaseKey, openWithSecret, Secret, sealWithSecret } from "@sealcast/crypto";
import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import type {
  CommitEdge,
  Departed,
  Drop,
  FromKeys,
  FromRoom,
  GroupMember,
  KeyNote,
  ToKeys,
  ToRoom,
} from "../../shared/messages.ts";
import { parseCredential, verifyCredential } from "../identity/credential.ts";
import { type Challenge, DoorKey } from "../identity/door-key.ts";
import { isLeafName } from "../identity/leaf-name.ts";
import { type EpochCause, MediaKeys } from "../media-keys.ts";
import { type Change, Group, type PendingCommit, type Processed } from "../mls/group.ts";
import type { Membership } from "../mls/key-package.ts";
import { fingerprintOf } from "../mls/knock-key.ts";
import { areHosts } from "../mls/room-state.ts";
import { ALL, encodePlaintext, MAX_BODY, type MessageContent, parsePlaintext } from "../plaintext.ts";
import { Application } from "./application.ts";
import { Committer } from "./committer.ts";
import { type Caller, Door } from "./door.ts";
import {
  encodeHeartbeat,
  type GroupPosition,
  type Heartbeat,
  hashRoster,
  parseHeartbeat,
  verifyHeartbeat,
} from "./heartbeat.ts";
import { Heartbeats, SILENCE_TICKS, type VerifiedHeartbeat } from "./heartbeats.ts";
import { type CommitStep, PeerCommits } from "./peer-commits.ts";
import { NOBODY, Roster } from "./roster.ts";
import { Streams } from "./streams.ts";

const BASE_KEY_LABEL = "SFrame 1.0 Base Key";
const OUTER_KEY_LABEL = "Sealcast second layer";
const HEARTBEAT_LABEL = "Sealcast heartbeat";
/** No member's leafKeyId. */
const SERVER = "server";
const KEY_SIZE = 32;
const TICK = milli(1000);
const KNOCK_EVERY = milli(3000);
const RESYNC_EVERY = milli(5000);
/** How long messages of an epoch that was left can still be opened. */
const KEEP_EPOCH = milli(10_000);
/** The commit that won over this member's own arrives about as soon as the refusal does. */
const PATIENCE_WITH_WINNER = milli(1000);
const PATIENCE_WITH_FETCH = milli(3000);
/** After that, another member is asked for a commit, and one that it gave is taken. */
const PATIENCE_WITH_SERVER = milli(2000);
const PATIENCE_WITH_ORDER = milli(3000);
/** After that, a member whose turn it is goes on past a server that has nothing but garbage for an epoch. */
const PATIENCE_WITH_GARBAGE = milli(5000);
/** Commits that stand beside one another at the server: what is more, it has dropped. */
const MAX_DESPITE = 16;
/** Commits kept for a restarted server. */
const MAX_HISTORY = 16;
/** Messages kept for an epoch that this member has not reached; each is at most 48 KiB. */
const MAX_EARLY = 256;
const MAX_UNECHOED = 256;
/** A group that is still there after so many heartbeats does not come to a lone member: its members may be away. */
const MAX_TIMES_MET = 3;
/** After strangers took this member into a group of theirs, so many heartbeats about another one are not heeded. */
const STAY_AFTER_STRANGERS = 15;

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
  readonly #peerCommits: PeerCommits;
  /** The node whose commit another member was asked for, since the server did not give it. */
  #askedFor: string | null = null;

  #queueEnd: Promise<void> = Promise.resolve();
  #isOver = false;
  #group: Group | null = null;
  /** What the server calls this member in its present session. */
  #roomMember = "";
  /** A commit took this member out. The keys at hand go on until it is let in again. */
  #isOut = false;
  /** Of the present socket. */
  #challenge: Challenge | null = null;
  /** The node for which the server was offered a knock key in this session, or has the right one. */
  #offeredAt: string | null = null;
  /** Alone in its group: how often it heard of another one in the room. */
  #timesMet = 0;
  /** Identities of all who were in a group with this member, but for those whom hosts removed. */
  readonly #company = new Set<string>();
  /** Of the present link, where the server may not know that it leads to this room: said with the next commit. */
  #unopened: DoorKey | null = null;
  /** In a new session: the others hear where this member is once the server has said where that leads. */
  #isNewSession = false;
  /** The server has commits that follow the present epoch: one after the other is fetched. */
  #isBehind = false;
  /** It asks to join afresh for want of a commit: once it has one, no more. */
  #lacksCommit = false;
  #cancelFetch: Cancel | null = null;
  #cancelAsk: Cancel | null = null;
  /** Nodes of commits that this member refused in the present epoch. */
  readonly #refusedNodes = new Set<string>();
  /** Since when the server has taken no commit for the present epoch, though all that it has are of those. */
  #blockedSince: Milli | null = null;
  #cancelResend: Cancel = () => undefined;
  /** There is a socket to the server, and it is in the room. */
  #connected = false;
  /** Ticks since the server said anything. */
  #silence = 0;
  /** Where the group stands now. */
  #place: GroupPosition | null = null;
  /** What the page was last told of heartbeats. */
  #alarms = "[]";
  /** What the page was last told of those who wait. */
  #knockers = "[]";
  /** Leaves that are known to hold the present epoch. */
  readonly #holders = new Set<number>();
  /** The last commits that this member took, oldest first, each with the token of the epoch that it ended. */
  #history: ({ readonly token: string } & CommitStep)[] = [];
  /** The room's host says so that it is elsewhere, to those who have a link with it. */
  #call: Uint8Array | null = null;
  /** By epoch: what heartbeats over the server are sealed under. */
  readonly #heartbeatSecrets = new Map<number, Uint8Array>();
  /** Messages of epochs that this member has not reached. */
  #early: { epoch: number; body: Uint8Array }[] = [];
  /** To be sealed and relayed once the task at hand is done. */
  #outbox: { to: number; content: MessageContent }[] = [];
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
      toRoom: (message) => this.#toRoom(message),
      node: () => (this.#isOut ? null : (this.#group?.place.node ?? null)),
      answered: (is) => this.#tell({ type: "answered", is }),
      ended: (why) => this.#notLetIn(why),
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
    this.#peerCommits = new PeerCommits({
      send: (to, body) => this.#tell({ type: "peer-commit", to, body }),
      find: (at) => this.#history.find((step) => step.at === at),
      offered: (step) => this.#offered(step),
    });
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
      case "goodbye":
        this.#roster.goodbye(message.leafKeyId);
        return this.#plan();
      case "heartbeat":
        return this.#heartbeat(message.from, message.body);
      case "peer-commit":
        return this.#peerCommits.heard(message.from, message.body);
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
      case "challenge":
        return this.#challenged(event.nonce);
      case "joined":
        return this.#joined(event);
      case "alone":
        return this.#alone();
      case "entered":
        return this.#stands(event);
      case "groups":
        return this.#met(event.tips);
      case "knock-keys":
        return this.#offeredKeys(event.tips);
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
      case "heartbeat-relayed":
        return this.#heartbeatRelayed(event.body);
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

  /** A room opens to proof of its link: of the present one, or of the one that this member came with. */
  async #challenged(nonce: string): Promise<void> {
    this.#challenge = { nonce, host: this.#membership.host };
    const key = await this.#ownDoor();
    this.#toRoom({ type: "join", nonce, ...(await key.prove("join", this.#challenge)) });
    if (this.#group === null) await this.#application.prepare();
  }

  async #joined({ member, resumed }: Incoming<"joined">): Promise<void> {
    this.#roomMember = member;
    this.#connected = true;
    if (!resumed) {
      this.#unechoed = [];
      this.#offeredAt = null;
      this.#isNewSession = this.#group !== null;
      // Those who missed a removal still come by the door that it closed.
      await this.#listenAt(this.#door.former);
    }
    for (const body of this.#unechoed) this.#toRoom({ type: "relay", body });
    if (this.#group !== null) {
      this.#enter(this.#group);
      await this.#sendCommit();
    }
    if (this.#application.isOpen) return this.#application.restart(!resumed);
    if (this.#group === null) return this.#application.start(KNOCK_EVERY, { isOffered: !resumed });
  }

  /** That of the link that this member has now. */
  #ownDoor(): Promise<DoorKey> {
    const { linkSecret, room } = this.#membership;
    return DoorKey.of(linkSecret.reveal(), room);
  }

  async #listenAt(doors: readonly DoorKey[]): Promise<void> {
    if (this.#challenge === null) return;
    for (const key of doors) this.#toRoom({ type: "listen", ...(await key.prove("listen", this.#challenge)) });
  }

  #enter({ place: { token } }: Group): void {
    this.#toRoom({ type: "enter", token, knockKey: null });
  }

  /**
   * Once in a session and epoch, with the knock key that the server lacks: an epoch is new to it, old links admit here too,
   * or who began the epoch gave it another one, by which nobody could come in.
   */
  async #offerKnockKey(group: Group, known: readonly string[]): Promise<void> {
    const { node, token } = group.place;
    if (this.#offeredAt === node) return;
    const knockKey = await this.#door.knockKey(group);
    this.#offeredAt = node;
    if (!known.includes(await fingerprintOf(knockKey))) this.#toRoom({ type: "enter", token, knockKey });
  }

  /** The server says where the epoch that this member entered stands among its commits. */
  async #stands({ at, is, knockKeys }: Incoming<"entered">): Promise<void> {
    const group = this.#group;
    if (group === null || at !== group.place.node) return;
    if (is === "ended") return this.#catchUp(group);
    await this.#offerKnockKey(group, knockKeys);
    const wasBehind = this.#isBehind;
    this.#isBehind = false;
    if (this.#isNewSession) this.#introduceSession();
    else if (wasBehind) this.#hello();
    this.#plan();
  }

  /** In a new session: the server may have forgotten what the room had ordered, and the others who is who. */
  #introduceSession(): void {
    this.#isNewSession = false;
    for (const { token, next, body } of this.#history) this.#toRoom({ type: "restock", token, next, body });
    this.#roster.doubt();
    this.#hello();
    this.#streams.restart();
  }

  /** Nobody in the room is in a group: this member founds one, unless it has one. */
  async #alone(): Promise<void> {
    if (this.#group !== null && !this.#isOut) return;
    this.#forgetGroup();
    this.#group = await Group.create(this.#membership);
    await this.#entered(this.#group, "start", null);
  }

  /**
   * Alone in its group, a member knocks at a larger one. Of two that are alone, the one with the higher node does: the other
   * one stays and lets it in, though it knocked before by a node that either of them had then.
   */
  #met(tips: Incoming<"groups">["tips"]): void {
    const group = this.#group;
    if (group === null || this.#isOut || group.members.length > 1) return;
    const { node } = group.place;
    if (!this.#application.isOpen) this.#timesMet += 1;
    const gives = ({ at, sessions }: { at: string; sessions: number }) =>
      at !== node && (sessions > 1 || at < node || this.#timesMet > MAX_TIMES_MET);
    if (this.#timesMet > 0 && tips.some(gives)) this.#resync("another group is here");
    else this.#application.close();
  }

  /** Where it lacks a commit, others give that soon after they have it, and this member keeps its leaf. */
  #offeredKeys(tips: Incoming<"knock-keys">["tips"]): Promise<void> | void {
    if (!this.#lacksCommit) return this.#application.offered(tips);
    this.#later(PATIENCE_WITH_FETCH, () => this.#application.offered(tips));
  }

  async #welcomed({ body }: Incoming<"welcomed">): Promise<void> {
    if (!this.#application.isOpen) return this.#drop("bad-welcome", "not asked for");
    const joined = await this.#join(body);
    if (joined === null) return this.#drop("bad-welcome", "does not verify");
    const { group, link } = joined;
    if (!this.#follows(group)) return this.#stay();
    if (link !== this.#membership.linkSecret) this.#takeLink(link);
    this.#forgetGroup();
    this.#group = group;
    await this.#entered(group, "start", null);
  }

  /** The group of a Welcome, and the link that opened it. */
  async #join(welcome: Uint8Array): Promise<{ group: Group; link: Secret } | null> {
    const { packages, handed } = this.#application;
    for (const link of [this.#membership.linkSecret, ...handed]) {
      const group = await Group.join(this.#membership, packages, welcome, link);
      if (group !== null) return { group, link };
    }
    return null;
  }

  /** Where not everybody may come in, no stranger with the link takes this member out of its group into one of their own. */
  #follows({ inviter }: Group): boolean {
    return this.#group === null || this.#group.room.mode === "open" || this.#company.has(inviter ?? "");
  }

  #stay(): void {
    this.#drop("bad-welcome", "of a stranger's group");
    if (this.#isOut || this.#group?.members.length !== 1) return;
    this.#application.close();
    this.#timesMet = -STAY_AFTER_STRANGERS;
  }

  /** Another group takes the place of the one at hand, if there is one. */
  #forgetGroup(): void {
    this.#application.close();
    this.#door.leaveAll();
    this.#committer.reset();
    this.#streams.reset();
    this.#history = [];
    this.#unopened = null;
    this.#heartbeatSecrets.clear();
    this.#isOut = false;
    this.#isBehind = false;
  }

  /** Nobody lets this member in. Where it only asked for a fresh seat, its group goes on. */
  #notLetIn(why: "turned-away" | "not-admitted"): void {
    if (this.#group === null || this.#isOut) return this.#end({ type: "refused", why });
    // Alone, it asks as long as it would wait for an answer: who it let in meanwhile would stay beside the room for good.
    if (this.#group.members.length > 1) this.#application.close();
  }

  async #leave(): Promise<void> {
    this.#say(ALL, { type: "bye" });
    await this.#emptyOutbox();
    this.#end({ type: "left" });
  }

  #end(last: FromKeys): void {
    this.#isOver = true;
    this.#cancelFetch?.();
    this.#application.close();
    this.#door.close();
    for (const part of [this.#committer, this.#roster, this.#streams, this.#mediaKeys]) part.close();
    this.#tell(last);
  }

  // Epochs

  /** Somebody with the link, or with an old one, asks to be let in. */
  async #knocked({ from, at, body }: Incoming<"knocked">): Promise<void> {
    if (this.#group === null) return;
    const caller = await this.#door.read(from, at, body);
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
    const isTurnedAway = this.#committer.hasTurnedAway(caller);
    if (!isTurnedAway && this.#roster.rank(group.leaf, this.#speechless(group, caller)) > 0) return;
    const answer = !isTurnedAway && this.#committer.isAsked(group, caller) ? "waiting" : "turned-away";
    this.#toRoom(await this.#door.answer(caller, answer));
  }

  /** The leaves that cannot answer: only hosts have the old links. */
  #speechless(group: Group, { oldLink }: Caller): ReadonlySet<number> {
    return oldLink === null ? NOBODY : guestsOf(group);
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
    const group = this.#committing;
    if (group === null) return this.#committer.close();
    this.#committer.plan(group);
    this.#tellKnockers(group);
  }

  /** The group, while this member can commit in it. */
  get #committing(): Group | null {
    return this.#isOut || this.#isBehind || this.#isLeaving ? null : this.#group;
  }

  /** The room goes on elsewhere, and its members ask to be let in there: commits here would keep them in this branch. */
  get #isLeaving(): boolean {
    const group = this.#group;
    const isLone = group?.members.length === 1 && this.#timesMet <= MAX_TIMES_MET;
    if (isLone && this.#application.isHopeful) return true;
    // A host that is to be removed keeps itself in by no word of its own.
    return this.#heartbeats.isApart && !(group !== null && this.#committer.isRemoving(group));
  }

  async #commit(): Promise<void> {
    if (this.#committing === null) return;
    const proposed = await this.#committer.propose(this.#committing, (caller) => this.#door.handOver(caller));
    if (proposed === null) return this.#plan();
    for (const leaf of this.#roster.stale()) this.#note("stale-leaf-removed", `leaf ${leaf}`);
    await this.#sendCommit();
  }

  /** Sends the commit that is on its way, if one is, and again until it is settled: a refusal tells more than silence. */
  async #sendCommit(): Promise<void> {
    const proposed = this.#committer.proposed;
    if (proposed === null || this.#group === null) return;
    this.#cancelResend();
    this.#cancelResend = this.#later(PATIENCE_WITH_ORDER, () => this.#sendCommit());
    for (const answer of proposed.handovers) this.#toRoom(answer);
    const { bytes: body, welcome, place, knockKey } = proposed.pending;
    const door = proposed.pending.door ?? this.#unopened;
    this.#toRoom({
      type: "commit",
      at: this.#group.place.node,
      next: place.node,
      body,
      welcome: welcome === null ? null : { to: proposed.welcomes, body: welcome },
      despite: [...this.#refusedNodes].slice(-MAX_DESPITE),
      door: door === null || this.#challenge === null ? null : await door.prove("replace", this.#challenge),
      knockKey,
    });
  }

  async #ordered({ at, next, body }: Incoming<"ordered">): Promise<void> {
    const group = this.#group;
    if (group === null || this.#isOut) return;
    if (at !== group.place.node) return this.#drop("stale", "commit");
    const problem = await this.#take(group, { next, body });
    if (problem === null) return;
    // This member's own commit, altered on its way back: the others may have it as it is. It is sent again after a while.
    if (next === this.#committer.proposed?.pending.place.node) return this.#drop("invalid-commit", problem);
    await this.#refuse(next, problem);
    await this.#sendCommit();
    this.#plan();
  }

  /** Every member finds that it is invalid. The next one that is ordered beside it may hold. It may have taken the room's door. */
  async #refuse(next: string, problem: string): Promise<void> {
    this.#refusedNodes.add(next);
    this.#unopened ??= await this.#ownDoor();
    this.#committer.supersede();
    this.#drop("invalid-commit", problem);
  }

  /** Moves the group on by a commit that ends its epoch. Null, or why it stays. `isOrdered`: the server gave it, or will. */
  async #take(group: Group, { next, body }: CommitEdge, isOrdered = true): Promise<string | null> {
    const pending = this.#committer.proposed?.pending;
    const isOwn = pending !== undefined && equal(pending.bytes, body);
    const { token, node: at } = group.place;
    const processed: Processed = isOwn ? { ok: true, change: group.adopt(pending) } : await group.process(body, next);
    if (!processed.ok) return processed.drop;
    if (processed.change === null) {
      this.#removed(processed);
      return null;
    }
    this.#history = [...this.#history, { token, at, next, body }].slice(-MAX_HISTORY);
    const isRemoval = processed.change.removed.length > 0;
    const isSure = isOrdered && this.#refusedNodes.size === 0;
    if (isOwn && isSure) this.#unopened = null;
    if (isOwn && (isRemoval || !isOrdered)) this.#giveToAll(group, { at, next, body });
    await this.#entered(group, isRemoval ? "removal" : "additions", processed.change);
    if (processed.change.newLink) await this.#openDoor(isSure, isOwn);
    return null;
  }

  /** Past the server or beside garbage, the new link's door is none of the room's own yet: the next commit makes it that. */
  async #openDoor(isSure: boolean, isOwn: boolean): Promise<void> {
    this.#unopened = isSure ? null : await this.#ownDoor();
    if (this.#unopened === null) return;
    await this.#listenAt([this.#unopened]);
    if (isOwn) this.#committer.supersede();
    this.#plan();
  }

  /** A server that keeps a removal from a member keeps it sealing for the one who is out. */
  #giveToAll({ members }: Group, step: CommitStep): void {
    for (const { leafKeyId, me } of members) if (!me) this.#peerCommits.give(leafKeyId, step);
  }

  /**
   * Where the server does not give a commit that another member has, that member's counts, and the server is told of it. Also
   * where this member refused one of that name: the server knows the name before, and can give it to garbage.
   */
  #offered({ at, next, body }: CommitStep): void {
    if (at !== this.#group?.place.node) return;
    this.#later(this.#askedFor === at ? milli(0) : PATIENCE_WITH_SERVER, async () => {
      const group = this.#group;
      if (group === null || this.#isOut || group.place.node !== at) return;
      const { token } = group.place;
      const problem = await this.#take(group, { next, body }, false);
      if (problem !== null) this.#drop("invalid-commit", problem);
      else this.#toRoom({ type: "restock", token, next, body });
    });
  }

  /** A commit took this member out though it did not leave. */
  #removed({ byHost, successor }: { byHost: boolean; successor: string | null }): void {
    if (byHost) return this.#end({ type: "refused", why: "removed" });
    this.#isOut = true;
    // Another tab with a copy of this one's seat would take it back in turn, for ever.
    if (successor !== null && !this.#application.isOurs(successor)) this.#end({ type: "refused", why: "replaced" });
    else this.#resync("this member was removed");
  }

  #refused({ at, successors }: Incoming<"refused">): Promise<void> | void {
    if (this.#committer.proposed === null || this.#group?.place.node !== at) return;
    this.#note("commit-lost", `epoch ${this.#group.epoch}`);
    if (!successors.every((next) => this.#refusedNodes.has(next))) return this.#askLater();
    const dropped = [...this.#refusedNodes].filter((next) => !successors.includes(next));
    for (const next of dropped) this.#refusedNodes.delete(next);
    if (dropped.length > 0) return this.#sendCommit();
    return successors.length > 0
      ? this.#blocked(this.#group, this.#committer.proposed.pending)
      : this.#enter(this.#group);
  }

  /**
   * The server takes no more commits for this epoch, since a member filled its places with garbage or nobody followed that in time.
   * So one member, in turn, takes the step without its order, and gives it to the others. Nobody else's commit can be ordered meanwhile.
   * Who is added in it knocks again, as no Welcome reaches them.
   */
  async #blocked(group: Group, { place, bytes, door, removed }: PendingCommit): Promise<void> {
    const now = this.#clock.now();
    this.#blockedSince ??= now;
    const turn = this.#turnPastGarbage(group, removed);
    if (now - this.#blockedSince < turn * PATIENCE_WITH_GARBAGE) return this.#enter(group);
    this.#note("unordered-commit", `epoch ${group.epoch}`);
    // Before anybody else can compute the link, and open a room behind its door.
    if (door !== null) await this.#listenAt([door]);
    await this.#take(group, { next: place.node, body: bytes }, false);
  }

  /** No two have the same: two removals at once would make two links, and keep those apart for good who have one of them. */
  #turnPastGarbage(group: Group, removed: readonly number[]): number {
    const guests = guestsOf(group);
    if (this.#committer.isRemoving(group)) return 1 + this.#roster.rank(group.leaf, new Set([...guests, ...removed]));
    return 1 + group.members.length - guests.size + this.#roster.rank(group.leaf, NOBODY);
  }

  /** Another member seems to be further on. The commit comes by itself where nothing is lost: else the server is asked. */
  #askLater(): void {
    const node = this.#group?.place.node;
    this.#cancelAsk ??= this.#later(PATIENCE_WITH_WINNER, () => {
      this.#cancelAsk = null;
      if (this.#group !== null && this.#group.place.node === node) this.#enter(this.#group);
    });
  }

  /** Commits follow the present epoch, as the server says. Where none comes that holds, others let this member in afresh. */
  #catchUp({ place: { token } }: Group): void {
    this.#isBehind = true;
    this.#plan();
    if (this.#isOut || this.#cancelFetch !== null) return;
    this.#cancelFetch = this.#later(PATIENCE_WITH_FETCH, () => this.#fetchedNothing());
    this.#toRoom({ type: "fetch", token });
  }

  #fetchedNothing(): void {
    this.#endFetch();
    this.#lacksCommit ||= !this.#application.isOpen;
    this.#resync("no commit came that follows");
  }

  #endFetch(): void {
    this.#cancelFetch?.();
    this.#cancelFetch = null;
  }

  async #fetched({ at, edges }: Incoming<"history">): Promise<void> {
    const group = this.#group;
    if (group === null || this.#cancelFetch === null || at !== group.place.node) return;
    for (const edge of edges) {
      const problem = await this.#take(group, edge);
      if (problem === null) return this.#endFetch();
      await this.#refuse(edge.next, problem);
    }
    // Nothing valid follows the present epoch. Where all members find so, one of them has to commit.
    if (edges.length > 0) this.#isBehind = false;
    this.#fetchedNothing();
    this.#plan();
  }

  /** Alone there is nobody to be taken in by, and nothing to open. */
  #rejoin(): void {
    if (this.#group !== null && this.#group.members.length > 1) this.#resync("media does not open");
  }

  /** Asks to join afresh, on the same seat. The keys at hand keep working meanwhile, and this member goes on committing. */
  #resync(why: string, isLeaving = false): void {
    if (this.#application.isOpen) return;
    this.#heartbeats.resync();
    this.#note("resync", why);
    this.#application.start(RESYNC_EVERY, { isLeaving });
  }

  /** The group is in another epoch now: `change` is what the commit did, null for a newcomer's first epoch. */
  async #entered(group: Group, step: EpochCause, change: Change | null): Promise<void> {
    const { epoch, leaf, members } = group;
    const left = this.#door.enter(group, change);
    if (change?.newLink) await this.#replaceLink(group);
    this.#enter(group);
    this.#cancelAsk?.();
    this.#cancelAsk = null;
    this.#endFetch();
    if (this.#lacksCommit) this.#application.close();
    this.#lacksCommit = false;
    this.#refusedNodes.clear();
    this.#blockedSince = null;
    this.#peerCommits.forget();
    this.#timesMet = 0;
    this.#holders.clear();
    for (const { identity } of members) this.#company.add(identity);
    for (const { identity } of change?.newLink ? change.removed : []) this.#company.delete(identity);
    this.#roster.enter(members, change === null, group.room.mode !== "open");
    const out = this.#committer.entered(change);
    this.#place = { epoch, authenticator: group.authenticator.slice(), roster: await hashRoster(members) };
    this.#heartbeats.enter(this.#place, members, group.hosts, change === null);
    const bytes = await group.exportSecret(BASE_KEY_LABEL, KEY_SIZE);
    const two = this.#membership.layers === 2;
    const outerKey = two ? await group.exportSecret(OUTER_KEY_LABEL, KEY_SIZE) : null;
    const leaves = members.map((member) => member.leaf);
    this.#mediaKeys.enter({ epoch, leaf, leaves, baseKey: await importBaseKey(bytes), outerKey }, step);
    bytes.fill(0);
    await this.#keepHeartbeatSecret(group);
    this.#later(KEEP_EPOCH, () => {
      group.forget(epoch - 1);
      for (const node of left) this.#door.leave(node);
    });
    const { isHost: host, hosts, room } = group;
    const rules = { host, hosts, mode: room.mode };
    this.#tell({ type: "members", epoch, members, rules, departed: change === null ? [] : departedBy(change) });
    for (const identity of out) this.#tell({ type: "removal", identity, is: "done" });
    // On the way through fetched commits the others are further on already.
    if (!this.#isBehind) this.#hello();
    this.#streams.enter(epoch, members);
    await this.#openEarly(epoch);
    this.#checkHolders(group);
    this.#plan();
  }

  /** This member came with an old one, and was given the one that admits. */
  #takeLink(link: Secret): void {
    this.#membership.linkSecret.erase();
    this.#membership.linkSecret = new Secret(link.reveal().slice());
    this.#tellLink();
  }

  /** Whoever was removed has the old one. Hosts go on reading knocks under it. */
  async #replaceLink(group: Group): Promise<void> {
    await this.#door.replaceLink(await group.laterLinkSecret(), group.isHost);
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
    this.#peerCommits.tick();
    if (this.#roster.vanish(this.#heartbeats.vanished)) this.#plan();
    if (this.#heartbeats.isDue) await this.#beat();
    if (this.#connected && this.#heartbeats.isAlone) this.#resync("the room goes on elsewhere", true);
    this.#tellAlarms();
    // Who has gone away knocks no more, and which host is still heard changes with time.
    this.#plan();
  }

  /** Over the server and over every link: where one of them is cut, the other still tells. */
  async #beat(): Promise<void> {
    const own = this.#group?.members.find(({ me }) => me);
    const leafKey = fromHex(own?.leafKeyId ?? "");
    if (this.#group === null || this.#place === null || leafKey === null) return;
    const group = this.#group;
    const { room } = this.#membership;
    const time = Math.floor(this.#clock.now());
    const connected = this.#connected && this.#silence <= SILENCE_TICKS;
    const beat = { ...this.#place, connected, time, leafKey, credential: group.credential };
    const body = await encodeHeartbeat(room, beat, (message) => group.sign(message));
    this.#tell({ type: "heartbeat", body });
    await this.#beatOverServer(group, body);
    // Who came to this branch later has no connection to the host, and would keep the others here.
    if (this.#call !== null) await this.#beatOverServer(group, this.#call);
    this.#call = null;
    // Others may be further on, or in another group.
    if (!this.#heartbeats.isAnswered) this.#enter(group);
  }

  /** To all who are in this epoch, or who passed it lately. */
  async #beatOverServer({ epoch }: Group, beat: Uint8Array): Promise<void> {
    const secret = this.#heartbeatSecrets.get(epoch);
    if (secret === undefined) return;
    const sealed = await sealWithSecret(secret, HEARTBEAT_LABEL, utf8(this.#membership.room), beat);
    this.#toRoom({ type: "beat", body: concat(u32(epoch), sealed) });
  }

  /** Members of an epoch read heartbeats of those that they passed, since whoever is behind sends such. */
  async #keepHeartbeatSecret(group: Group): Promise<void> {
    this.#heartbeatSecrets.set(group.epoch, await group.exportSecret(HEARTBEAT_LABEL, KEY_SIZE));
    const [oldest] = this.#heartbeatSecrets;
    if (this.#heartbeatSecrets.size <= MAX_HISTORY || oldest === undefined) return;
    oldest[1].fill(0);
    this.#heartbeatSecrets.delete(oldest[0]);
  }

  /** `epoch (4) | the heartbeat, sealed under a secret of that epoch`. Of an epoch to come it cannot be read yet. */
  async #heartbeatRelayed(body: Uint8Array): Promise<void> {
    const epoch = body.length > 4 ? new Cursor(body).u32() : -1;
    if (this.#group !== null && epoch > this.#group.epoch) return;
    const secret = this.#heartbeatSecrets.get(epoch);
    const opened =
      secret && (await openWithSecret(secret, HEARTBEAT_LABEL, utf8(this.#membership.room), body.subarray(4)));
    if (!opened) return this.#drop("bad-heartbeat", "does not open");
    await this.#heartbeat(SERVER, opened);
  }

  /** `way`: the link that it came over, by the leafKeyId at its other end, or the server. */
  async #heartbeat(way: string, body: Uint8Array): Promise<void> {
    const beat = this.#attribute(parseHeartbeat(body));
    if (beat === null || !this.#heartbeats.isNews(beat, way)) return;
    if (!(await verifyHeartbeat(this.#membership.room, body, beat))) return this.#drop("bad-heartbeat", "signature");
    if (!(await this.#isVouchedFor(beat))) return;
    this.#roster.alive(beat.leafKeyId);
    this.#heartbeats.heard(beat);
    this.#tellAlarms();
    // Each with one of its own at most: whoever floods it has nobody else's socket closed.
    if (way !== SERVER && this.#heartbeats.isCalledBy(beat.who)) this.#call = body;
    this.#follow(beat);
  }

  /** Who says it, as the tree has it for that key, or else as the key's own credential claims. */
  #attribute(beat: Heartbeat | null): VerifiedHeartbeat | null {
    const claims = beat && parseCredential(beat.credential);
    if (beat === null || claims === null) return null;
    const leafKeyId = toHex(beat.leafKey);
    const known = this.#heartbeats.member(leafKeyId);
    const who = known === null ? toHex(claims.identity) + toHex(claims.seat) : known.identity + known.seat;
    return { ...beat, leafKeyId, who, issued: claims.notBefore };
  }

  /** A key that the tree does not hold needs its credential. */
  async #isVouchedFor({ leafKey, leafKeyId, credential }: VerifiedHeartbeat): Promise<boolean> {
    const { room } = this.#membership;
    return this.#heartbeats.member(leafKeyId) !== null || (await verifyCredential({ room, leafKey }, credential));
  }

  /** A member of the group is further on, where its commit should have come by now. */
  #follow({ leafKeyId: ahead, epoch }: VerifiedHeartbeat): void {
    if (this.#group === null || epoch <= this.#group.epoch) return;
    if (this.#heartbeats.member(ahead) === null) return;
    this.#askLater();
    const { node } = this.#group.place;
    this.#later(PATIENCE_WITH_SERVER, () => {
      if (this.#group?.place.node !== node) return;
      this.#askedFor = node;
      this.#peerCommits.ask(ahead, node);
    });
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
    const leaf = to === "all" ? to : this.#group?.members.find(({ leafKeyId }) => leafKeyId === to)?.leaf;
    // Whoever sits on that leaf now is another member, and what was for the one before would confuse it.
    if (leaf === undefined) return;
    if (!this.#streams.send(leaf, body, receipt)) this.#note("unsent", `to leaf ${leaf}`);
  }

  #hello(): void {
    this.#say(ALL, { type: "hello", member: this.#roomMember });
  }

  #say(to: number, content: MessageContent): void {
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
      this.#heartbeats.met(opened.from.leafKeyId);
      if (message.to === ALL || message.to === group.leaf) this.#listen(group, opened.epoch, opened.from, message);
    } else if (opened.drop === "future-epoch") this.#keepEarly(opened.epoch, body);
    else if (opened.drop !== "own") this.#drop(DROPS[opened.drop], opened.drop);
  }

  #listen(
    group: Group,
    epoch: number,
    from: GroupMember,
    { to, content }: { to: number; content: MessageContent },
  ): void {
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
    this.#askLater();
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

/** The leaves that may not act as host. */
function guestsOf({ members, hosts }: Group): ReadonlySet<number> {
  return new Set(members.filter(({ identity }) => !hosts.includes(identity)).map(({ leaf }) => leaf));
}

/** Who is out by this change, and not only on another leaf. */
function departedBy({ added, removed, newLink }: Change): Departed[] {
  const comesBack = (who: GroupMember) =>
    added.some(({ identity, seat }) => identity + seat === who.identity + who.seat);
  return removed.filter((who) => !comesBack(who)).map((member) => ({ member, by: newLink ? "removal" : "leave" }));
}
