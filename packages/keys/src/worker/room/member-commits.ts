import { equal } from "@sealcast/bytes";
import { MAX_NODES } from "@sealcast/protocol/limits";
import { type Cancel, type Milli, milli } from "@sealcast/time";
import type { DoorKey } from "../identity/door-key.ts";
import type { EpochCause } from "../media-keys.ts";
import type { Change, Group, PendingCommit, Processed } from "../mls/group.ts";
import type { EpochNode } from "../mls/node.ts";
import type { MemberCore } from "./member-core.ts";
import { guestsOf, type MemberKnocks } from "./member-knocks.ts";
import { type CommitStep, PeerCommits } from "./peer-commits.ts";
import { NOBODY } from "./roster.ts";
import type { CommitEdge, FromMember, FromRoom } from "./wire.ts";

/** The commit that won over this member's own arrives about as soon as the refusal does. */
const PATIENCE_WITH_WINNER = milli(1000);
const PATIENCE_WITH_FETCH = milli(3000);
/** After that, a commit that another member gave is taken. */
const PATIENCE_WITH_SERVER = milli(2000);
const PATIENCE_WITH_ORDER = milli(3000);
/** After that, a member whose turn it is goes on past a server that has nothing but garbage for an epoch. */
const PATIENCE_WITH_GARBAGE = milli(5000);
/** Commits kept for a restarted server. */
const MAX_HISTORY = 16;

type Incoming<T extends FromRoom["type"]> = Extract<FromRoom, { type: T }>;

/** What commits do to the rest of the member. */
interface Surroundings {
  readonly knocks: MemberKnocks;
  /** The group is in another epoch now. */
  entered(group: Group, step: EpochCause, change: Change): Promise<void>;
  end(last: FromMember): void;
}

/** A member's own commits and those of the others: each is sent, ordered, fetched or given until the epochs of all are one. */
export class MemberCommits {
  readonly #core: MemberCore;
  readonly #around: Surroundings;
  readonly #peerCommits: PeerCommits;
  /** The node whose commit another member was asked for, since the server did not give it. */
  #askedFor: string | null = null;
  /** Of the present link, where the server may not know that it leads to this room: said with the next commit. */
  #unopened: DoorKey | null = null;
  /** It asks to join afresh for want of a commit: once it has one, no more. */
  #lacksCommit = false;
  #cancelFetch: Cancel | null = null;
  #cancelAsk: Cancel | null = null;
  /** Nodes of commits that this member refused in the present epoch. */
  readonly #refusedNodes = new Set<string>();
  /** Since when the server has taken no commit for the present epoch, though all that it has are of those. */
  #blockedSince: Milli | null = null;
  #cancelResend: Cancel = () => undefined;
  /** The last commits that this member took, oldest first, each with the token of the epoch that it ended. */
  #history: ({ readonly token: string } & CommitStep)[] = [];

  constructor(core: MemberCore, around: Surroundings) {
    this.#core = core;
    this.#around = around;
    this.#peerCommits = new PeerCommits({
      send: (to, body) => core.tell({ type: "peer-commit", to, body }),
      find: (at) => this.#history.find((step) => step.at === at),
      offered: (step) => this.#offered(step),
    });
  }

  get lacksCommit(): boolean {
    return this.#lacksCommit;
  }

  /** In another epoch than before nothing of the one before is of use. */
  entered(): void {
    this.#cancelAsk?.();
    this.#cancelAsk = null;
    this.#endFetch();
    if (this.#lacksCommit) this.#core.application.close();
    this.#lacksCommit = false;
    this.#refusedNodes.clear();
    this.#blockedSince = null;
    this.#peerCommits.forget();
  }

  /** Another group takes the place of the one at hand. */
  forgetGroup(): void {
    this.#history = [];
    this.#unopened = null;
  }

  /** A restarted server may have none of what the room had ordered. */
  restock(): void {
    for (const { token, next, body } of this.#history) this.#core.toRoom({ type: "restock", token, next, body });
  }

  /** A second has gone by. */
  tick(): void {
    this.#peerCommits.tick();
  }

  close(): void {
    this.#cancelFetch?.();
  }

  // Of this member's own

  async commit(): Promise<void> {
    const { committer, roster, door } = this.#core;
    const { knocks } = this.#around;
    if (knocks.committing === null) return;
    const proposed = await committer.propose(knocks.committing, (caller) => door.handOver(caller));
    if (proposed === null) return knocks.plan();
    for (const leaf of roster.stale()) this.#core.note("stale-leaf-removed", `leaf ${leaf}`);
    await this.send();
  }

  /** Sends the commit that is on its way, if one is, and again until it is settled: a refusal tells more than silence. */
  async send(): Promise<void> {
    const { group, challenge, committer } = this.#core;
    const { proposed } = committer;
    if (proposed === null || group === null) return;
    this.#cancelResend();
    this.#cancelResend = this.#core.later(PATIENCE_WITH_ORDER, () => this.send());
    for (const answer of proposed.handovers) this.#core.toRoom(answer);
    const { bytes: body, welcome, place, knockKey } = proposed.pending;
    const door = proposed.pending.door ?? this.#unopened;
    this.#core.toRoom({
      type: "commit",
      at: group.place.node,
      next: place.node,
      body,
      welcome: welcome === null ? null : { to: proposed.welcomes, body: welcome },
      despite: [...this.#refusedNodes].slice(-MAX_NODES),
      door: door === null || challenge === null ? null : await door.prove("replace", challenge),
      knockKey,
    });
  }

  refused({ at, successors }: Incoming<"refused">): Promise<void> | void {
    const { group, committer } = this.#core;
    if (committer.proposed === null || group?.place.node !== at) return;
    this.#core.note("commit-lost", `epoch ${group.epoch}`);
    if (!successors.every((next) => this.#refusedNodes.has(next))) return this.askLater();
    const dropped = [...this.#refusedNodes].filter((next) => !successors.includes(next));
    for (const next of dropped) this.#refusedNodes.delete(next);
    if (dropped.length > 0) return this.send();
    return successors.length > 0 ? this.#blocked(group, committer.proposed.pending) : this.#core.enter(group);
  }

  /**
   * The server takes no more commits for this epoch, since a member filled its places with garbage or nobody followed that in time.
   * So one member, in turn, takes the step without its order, and gives it to the others. Nobody else's commit can be ordered meanwhile.
   * Who is added in it knocks again, as no Welcome reaches them.
   */
  async #blocked(group: Group, { place, bytes, door, removed }: PendingCommit): Promise<void> {
    const now = this.#core.clock.now();
    this.#blockedSince ??= now;
    const turn = this.#turnPastGarbage(group, removed);
    if (now - this.#blockedSince < turn * PATIENCE_WITH_GARBAGE) return this.#core.enter(group);
    this.#core.note("unordered-commit", `epoch ${group.epoch}`);
    // Before anybody else can compute the link, and open a room behind its door.
    if (door !== null) await this.#core.listenAt([door]);
    await this.#takeUnordered(group, { next: place.node, body: bytes });
  }

  /** No two have the same: two removals at once would make two links, and keep those apart for good who have one of them. */
  #turnPastGarbage(group: Group, removed: readonly number[]): number {
    const { committer, roster } = this.#core;
    const guests = guestsOf(group);
    if (committer.isRemoving(group)) return 1 + roster.rank(group.leaf, new Set([...guests, ...removed]));
    return 1 + group.members.length - guests.size + roster.rank(group.leaf, NOBODY);
  }

  // As the server orders them

  async ordered({ at, next, body }: Incoming<"ordered">): Promise<void> {
    const { group, isOut, committer } = this.#core;
    if (group === null || isOut) return;
    if (at !== group.place.node) return this.#core.drop("stale", "commit");
    const problem = await this.#takeOrdered(group, { next, body });
    if (problem === null) return;
    // This member's own commit, altered on its way back: the others may have it as it is. It is sent again after a while.
    if (next === committer.proposed?.pending.place.node) return this.#core.drop("invalid-commit", problem);
    await this.#refuse(next, problem);
    await this.send();
    this.#core.plan();
  }

  /** Every member finds that it is invalid. The next one that is ordered beside it may hold. It may have taken the room's door. */
  async #refuse(next: string, problem: string): Promise<void> {
    this.#refusedNodes.add(next);
    this.#unopened ??= await this.#core.ownDoor();
    this.#core.committer.supersede();
    this.#core.drop("invalid-commit", problem);
  }

  /** Another member seems to be further on. The commit comes by itself where nothing is lost: else the server is asked. */
  askLater(): void {
    const node = this.#core.group?.place.node;
    this.#cancelAsk ??= this.#core.later(PATIENCE_WITH_WINNER, () => {
      this.#cancelAsk = null;
      const { group } = this.#core;
      if (group !== null && group.place.node === node) this.#core.enter(group);
    });
  }

  /** Commits follow the present epoch, as the server says. Where none comes that holds, others let this member in afresh. */
  catchUp({ place: { token } }: Group): void {
    this.#core.isBehind = true;
    this.#core.plan();
    if (this.#core.isOut || this.#cancelFetch !== null) return;
    this.#cancelFetch = this.#core.later(PATIENCE_WITH_FETCH, () => this.#fetchedNothing());
    this.#core.toRoom({ type: "fetch", token });
  }

  #fetchedNothing(): void {
    this.#endFetch();
    this.#lacksCommit ||= !this.#core.application.isOpen;
    this.#core.resync("no commit came that follows");
  }

  #endFetch(): void {
    this.#cancelFetch?.();
    this.#cancelFetch = null;
  }

  async fetched({ at, edges }: Incoming<"history">): Promise<void> {
    const { group } = this.#core;
    if (group === null || this.#cancelFetch === null || at !== group.place.node) return;
    for (const edge of edges) {
      const problem = await this.#takeOrdered(group, edge);
      if (problem === null) return this.#endFetch();
      await this.#refuse(edge.next, problem);
    }
    // Nothing valid follows the present epoch. Where all members find so, one of them has to commit.
    if (edges.length > 0) this.#core.isBehind = false;
    this.#fetchedNothing();
    this.#core.plan();
  }

  // As other members give them

  /** Over the connection to that member. */
  heard(from: string, body: Uint8Array): void {
    this.#peerCommits.heard(from, body);
  }

  /** For the commit that ended the epoch of this node, if the server has still not given it. */
  askMember(leafKeyId: string, node: string): void {
    if (this.#core.group?.place.node !== node) return;
    this.#askedFor = node;
    this.#peerCommits.ask(leafKeyId, node);
  }

  /**
   * Where the server does not give a commit that another member has, that member's counts, and the server hears of it. Also
   * where this member refused one of that name: the server knows the name before, and can give it to garbage.
   */
  #offered({ at, next, body }: CommitStep): void {
    if (at !== this.#core.group?.place.node) return;
    this.#core.later(this.#askedFor === at ? milli(0) : PATIENCE_WITH_SERVER, async () => {
      const { group, isOut } = this.#core;
      if (group === null || isOut || group.place.node !== at) return;
      const { token } = group.place;
      const problem = await this.#takeUnordered(group, { next, body });
      if (problem !== null) this.#core.drop("invalid-commit", problem);
      else this.#core.toRoom({ type: "restock", token, next, body });
    });
  }

  /** A server that keeps a removal from a member keeps it sealing for the one who is out. */
  #giveToAll({ members }: Group, step: CommitStep): void {
    for (const { leafKeyId, me } of members) if (!me) this.#peerCommits.give(leafKeyId, step);
  }

  // Each moves the group on

  /** By a commit that the server gave. Null, or why the group stays. */
  async #takeOrdered(group: Group, edge: CommitEdge): Promise<string | null> {
    const { place } = group;
    const own = this.#ownCommit(edge);
    const processed = own === null ? await group.process(edge.body, edge.next) : adopted(group, own);
    if (!processed.ok) return processed.drop;
    if (processed.change === null) return this.#removed(processed);
    const step = this.#keep(place, edge);
    const isSure = this.#refusedNodes.size === 0;
    if (own !== null && isSure) this.#unopened = null;
    if (own !== null && isRemoval(processed.change)) this.#giveToAll(group, step);
    await this.#around.entered(group, causeOf(processed.change), processed.change);
    if (processed.change.newLink) await this.#openDoor(isSure, own !== null);
    return null;
  }

  /** Past the server: by this member's own commit, or by one that another member gave. Null, or why the group stays. */
  async #takeUnordered(group: Group, edge: CommitEdge): Promise<string | null> {
    const { place } = group;
    const own = this.#ownCommit(edge);
    const processed = own === null ? await group.process(edge.body, edge.next) : adopted(group, own);
    if (!processed.ok) return processed.drop;
    if (processed.change === null) return this.#removed(processed);
    const step = this.#keep(place, edge);
    if (own !== null) this.#giveToAll(group, step);
    await this.#around.entered(group, causeOf(processed.change), processed.change);
    if (processed.change.newLink) await this.#openDoor(false, own !== null);
    return null;
  }

  /** The commit that is on its way, where these are its bytes. */
  #ownCommit({ body }: CommitEdge): PendingCommit | null {
    const pending = this.#core.committer.proposed?.pending;
    return pending !== undefined && equal(pending.bytes, body) ? pending : null;
  }

  #keep({ token, node: at }: EpochNode, { next, body }: CommitEdge): CommitStep {
    const step = { token, at, next, body };
    this.#history = [...this.#history, step].slice(-MAX_HISTORY);
    return step;
  }

  /** Past the server or beside garbage, the new link's door is none of the room's own yet: the next commit makes it that. */
  async #openDoor(isSure: boolean, isOwn: boolean): Promise<void> {
    this.#unopened = isSure ? null : await this.#core.ownDoor();
    if (this.#unopened === null) return;
    await this.#core.listenAt([this.#unopened]);
    if (isOwn) this.#core.committer.supersede();
    this.#core.plan();
  }

  /** A commit took this member out though it did not leave. */
  #removed({ byHost, successor }: { byHost: boolean; successor: string | null }): null {
    if (byHost) {
      this.#around.end({ type: "refused", why: "removed" });
      return null;
    }
    this.#core.isOut = true;
    // Another tab with a copy of this one's seat would take it back in turn, for ever.
    const isReplaced = successor !== null && !this.#core.application.isOurs(successor);
    if (isReplaced) this.#around.end({ type: "refused", why: "replaced" });
    else this.#core.resync("this member was removed");
    return null;
  }
}

function adopted(group: Group, own: PendingCommit): Processed {
  return { ok: true, change: group.adopt(own) };
}

function isRemoval({ removed }: Change): boolean {
  return removed.length > 0;
}

function causeOf(change: Change): EpochCause {
  return isRemoval(change) ? "removal" : "additions";
}
