import { type KnockKey, MAX_KNOCK_KEYS, MAX_NODES } from "@sealcast/protocol";
import { type Clock, type Milli, milli } from "@sealcast/time";
import type { Allowance, AllowanceShare } from "../sockets/allowance.ts";
import { fingerprintOf } from "./door.ts";

/** For this long after a commit, sessions at both of its ends hear each other, and those at the older end may speak. */
export const FRESH = milli(5_000);
/** A member that missed more than this asks to be added again. */
const MAX_ENDED = 16;
/** Bodies of one edge's name: of several, one is the commit and the others are garbage. */
const MAX_BODIES = 4;
/** In characters, per room. */
const MAX_SIZE = 2 * 1024 * 1024;
/** In characters, per answer: it stays below the backlog at which a socket counts as too slow. */
const MAX_ANSWER = 768 * 1024;
/** Of one session: a host's commit brings one, and the host another with its former links. */
const MAX_OFFERS = 2;
const LONG_AGO = milli(Number.NEGATIVE_INFINITY);

/** A commit that leads on from a node. */
export interface Edge {
  readonly next: string;
  /** Null once there was no room for it. */
  body: string | null;
  /** The session whose commit was ordered; null when a session supplied it again. */
  readonly from: string | null;
}

/** A knock key as a member gave it. */
interface OfferedKey extends KnockKey {
  readonly fingerprint: string;
  /** The session that gave it first. */
  readonly from: string;
}

/** All nodes that go on from one. */
interface Group {
  /** A lower one is older. */
  readonly age: number;
  /** Founded by a former door: it is no group of this room's people, as far as the server can know. */
  readonly isFormer: boolean;
}

/** An epoch of a group as the server sees it: the hash of a token that only the epoch's members know. */
export interface Node<S> {
  readonly id: string;
  readonly group: Group;
  /** Of the link that its epoch has, as far as a member said; null: none did. */
  readonly door: string | null;
  /** The node that an ordered commit led on from, while that is kept, and when. Null for a first node. */
  origin: { readonly node: Node<S>; readonly at: Milli } | null;
  readonly edges: Edge[];
  /** Since when it has a successor; null for a tip. */
  endedAt: Milli | null;
  /** Who stands here. */
  readonly sessions: Set<S>;
  /** What knocks here are sealed to, as members say, in the order in which they said so. */
  readonly knockKeys: OfferedKey[];
}

/** The nodes and edges of one room. Ordered commits make a tree of each group; what is restocked only adds to histories. */
export class Nodes<S> {
  readonly #clock: Clock;
  readonly #share: AllowanceShare;
  readonly #nodes = new Map<string, Node<S>>();
  /** In the order in which they ended. */
  readonly #ended: Node<S>[] = [];
  /** With a body, in the order in which they came. */
  readonly #kept: Edge[] = [];
  #groups = 0;

  constructor(clock: Clock, allowance: Allowance) {
    this.#clock = clock;
    this.#share = allowance.share(() => this.#forgetOldest());
  }

  get(id: string): Node<S> | undefined {
    return this.#nodes.get(id);
  }

  /** Those without a successor, the oldest group's first. */
  tips(): Node<S>[] {
    return [...this.#nodes.values()]
      .filter(({ endedAt }) => endedAt === null)
      .sort((a, b) => a.group.age - b.group.age);
  }

  /** Whether it is a tip, or was one until 5 s ago. */
  isFresh({ endedAt }: Node<S>): boolean {
    return endedAt === null || this.#isRecent(endedAt);
  }

  /** The first node of another group. */
  found(id: string, { isFormer, door = null }: { isFormer: boolean; door?: string | null }): Node<S> {
    const group = { age: this.#groups++, isFormer };
    return this.#add({ id, group, door, origin: null, edges: [], endedAt: null, sessions: new Set(), knockKeys: [] });
  }

  /**
   * A knock key of the node, by session `from`: the server cannot tell whether it is right, nor whether its tags are, and keeps
   * others beside it.
   */
  offer({ knockKeys }: Node<S>, offered: KnockKey, from: string): void {
    const fingerprint = fingerprintOf(offered);
    const isKnown = knockKeys.some((known) => known.fingerprint === fingerprint);
    const isOver = knockKeys.filter((known) => known.from === from).length >= MAX_OFFERS;
    if (!isKnown && !isOver && knockKeys.length < MAX_KNOCK_KEYS) knockKeys.push({ ...offered, fingerprint, from });
  }

  /** Whether a commit may lead to `next` from here: it is nobody's name yet, and there is room. */
  takes({ edges }: Node<S>, next: string): boolean {
    if (this.#nodes.has(next) || this.#ended.some((node) => node.edges.some((edge) => edge.next === next)))
      return false;
    return edges.length < MAX_NODES || edges.some(({ from }) => from === null);
  }

  /** Adds the commit of session `from`, and the node that it leads to. `door`: of the link that it makes, if it does. */
  order(
    node: Node<S>,
    {
      next,
      body,
      from,
      door = node.door,
    }: { next: string; body: string; from: string; door?: string | null | undefined },
  ): Node<S> {
    if (node.edges.length >= MAX_NODES) this.#dropRestocked(node);
    const at = this.#clock.now();
    const { group } = node;
    const origin = { node, at };
    const made = this.#add({
      id: next,
      group,
      door,
      origin,
      edges: [],
      endedAt: null,
      sessions: new Set(),
      knockKeys: [],
    });
    this.#append(node, { next, body, from }, at);
    return made;
  }

  /** Adds a commit that was ordered before. Null when nothing was added. A node that was unknown has ended long ago. */
  restock(id: string, next: string, body: string): Node<S> | null {
    const known = this.#nodes.get(id);
    const edges = known?.edges ?? [];
    const same = edges.filter((edge) => edge.next === next);
    const isOver = edges.length >= MAX_NODES || same.length >= MAX_BODIES;
    if (id === next || isOver || same.some((edge) => edge.body === body)) return null;
    const node = known ?? this.found(id, { isFormer: false });
    if (!known) this.#end(node, LONG_AGO);
    this.#append(node, { next, body, from: null }, this.#clock.now());
    return node;
  }

  /** The commits that lead on from here, as many as fit an answer. */
  history({ edges }: Node<S>): { next: string; body: string }[] {
    const found: { next: string; body: string }[] = [];
    let size = 0;
    for (const { next, body } of edges) {
      if (body === null) continue;
      size += body.length;
      if (size > MAX_ANSWER) return found;
      found.push({ next, body });
    }
    return found;
  }

  /** `session` stands at `to` from now on, and no longer at `from`. */
  move(session: S, from: Node<S> | null, to: Node<S> | null): void {
    from?.sessions.delete(session);
    to?.sessions.add(session);
    if (from) this.#release(from);
  }

  /** Who stands at nodes that hang together with this one by commits of the last 5 s. */
  neighbourhood(node: Node<S>): ReadonlySet<S> {
    return this.#reach(node, (origin) => this.#isRecent(origin.at));
  }

  /** The same, and who went on from any of these nodes, however long ago. */
  onward(node: Node<S>): ReadonlySet<S> {
    return this.#reach(node, (origin, isOnward) => isOnward || this.#isRecent(origin.at));
  }

  /** Keeps nothing any more. */
  clear(): void {
    for (const edge of [...this.#kept]) this.#forget(edge);
    this.#nodes.clear();
    this.#ended.length = 0;
  }

  #reach(start: Node<S>, leads: (origin: { at: Milli }, isOnward: boolean) => boolean): ReadonlySet<S> {
    const nodes = new Set([start]);
    for (const node of nodes) {
      if (node.origin && leads(node.origin, false)) nodes.add(node.origin.node);
      for (const { next } of node.edges) {
        const successor = this.#nodes.get(next);
        if (successor?.origin?.node === node && leads(successor.origin, true)) nodes.add(successor);
      }
    }
    return nodes.size === 1 ? start.sessions : new Set([...nodes].flatMap(({ sessions }) => [...sessions]));
  }

  #isRecent(time: Milli): boolean {
    return this.#clock.now() - time < FRESH;
  }

  #add(node: Node<S>): Node<S> {
    this.#nodes.set(node.id, node);
    return node;
  }

  #append(node: Node<S>, edge: Edge, at: Milli): void {
    node.edges.push(edge);
    if (node.endedAt === null) this.#end(node, at);
    this.#keep(edge);
    while (this.#ended.length > MAX_ENDED) this.#drop(firstOf(this.#ended, ({ edges }) => edges.every(isRestocked)));
  }

  #end(node: Node<S>, at: Milli): void {
    node.endedAt = at;
    this.#ended.push(node);
  }

  #keep(edge: Edge): void {
    this.#kept.push(edge);
    this.#share.use(edge.body?.length ?? 0);
    while (this.#share.size > MAX_SIZE) this.#forgetOldest();
  }

  #forgetOldest(): void {
    this.#forget(firstOf(this.#kept, isRestocked));
  }

  #forget(edge: Edge): void {
    const at = this.#kept.indexOf(edge);
    if (at === -1) return;
    this.#kept.splice(at, 1);
    this.#share.use(-(edge.body?.length ?? 0));
    edge.body = null;
  }

  #drop(node: Node<S>): void {
    this.#ended.splice(this.#ended.indexOf(node), 1);
    this.#nodes.delete(node.id);
    node.endedAt = LONG_AGO;
    for (const edge of node.edges) this.#forget(edge);
    for (const { next } of node.edges) {
      const successor = this.#nodes.get(next);
      if (successor?.origin?.node !== node) continue;
      successor.origin = null;
      this.#release(successor);
    }
  }

  #dropRestocked({ edges }: Node<S>): void {
    const [edge] = edges.splice(edges.findLastIndex(isRestocked), 1);
    if (edge) this.#forget(edge);
  }

  /** Where nobody stands at a tip, it goes, unless a commit that is kept leads there. */
  #release({ id, sessions, endedAt, origin }: Node<S>): void {
    if (sessions.size === 0 && endedAt === null && origin === null) this.#nodes.delete(id);
  }
}

const isRestocked = ({ from }: Edge): boolean => from === null;

/** Of those that fit, the first; else of all. There is one. */
function firstOf<T>(all: readonly T[], fits: (one: T) => boolean): T {
  const found = all.find(fits) ?? all[0];
  if (found === undefined) throw new RangeError("nothing to choose from");
  return found;
}
