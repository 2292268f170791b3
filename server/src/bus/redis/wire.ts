import { type Clock, type Milli, milli } from "@sealcast/time";
import { type Envelope, envelopeOf, Sealing } from "./sealing.ts";
import type { StoreSession } from "./store.ts";

/** From one message to a node to the next: a message costs much more than a line in it. */
export const GATHER = milli(5);
/** In characters: past that, what waits for one node is sent in several. */
const MAX_BATCH = 256 * 1024;
/** In characters that the store has not taken yet: from here on what comes again anyway is left out, and nothing goes on. */
const BUSY = 1024 * 1024;
/** The same: from here on a single link may have little of it, past the most nothing can be said under this node's name. */
const FULL = 16 * 1024 * 1024;
const MAX_UNDER_WAY = 32 * 1024 * 1024;
/** Of a line, besides its text, and of one link more on it, about. */
const [LINE_SIZE, LINK_SIZE] = [20, 8];

const LINE_KINDS = [
  // A socket's node to its room's: its network and its first message, each later one, the socket's end.
  ...(["join", "up", "gone"] as const),
  // The room's node to the socket's: there is no such room; what the room sends, and what it may leave out; how long the
  // socket is to rest, and what its address is charged with; the socket's end.
  ...(["missing", "down", "offer", "rest", "charge", "close", "restart", "fault"] as const),
  // Between the nodes of two rooms that become one.
  ...(["where", "standing", "yield", "yielded"] as const),
];
export type LineKind = (typeof LINE_KINDS)[number];
const isKind = (word: string): word is LineKind => LINE_KINDS.some((kind) => kind === word);

/** What one node says to another, of links by their numbers. */
export interface NodeLine {
  readonly kind: LineKind;
  readonly links: number[];
  /** Without a line feed. */
  readonly text: string;
}

interface Peer {
  readonly to: Sealing;
  readonly from: Sealing;
  sent: number;
  sentAt: Milli;
  received: number;
  lines: NodeLine[];
  size: number;
  /** To be called when the store has taken these lines. */
  taken: (() => void)[];
}

interface Options {
  readonly secret: Buffer;
  readonly clock: Clock;
  /** This node's name. */
  readonly node: string;
  readonly session: StoreSession;
  readonly heard: (from: string, line: NodeLine) => void;
  /** The node does not receive. */
  readonly deaf: (node: string) => void;
  /** Something that was sent here is lost, or the store takes nothing: this node needs another name. */
  readonly broken: () => void;
  /** Counts messages and their bytes. */
  readonly passed: (bytes: number) => void;
}

/**
 * Lines from and to all other nodes, in the order of each, as long as this node has its name. What is said after a while goes at
 * once, all of one task as one message; what is said soon after that waits a little for more.
 */
export class Wire {
  readonly #options: Options;
  readonly #peers = new Map<string, Peer>();
  readonly #speaking = new Set<string>();
  /** Nodes that have another name by now, where they live: what is numbered under the old one is never numbered again. */
  readonly #gone = new Set<string>();
  #underWay = 0;
  #isOver = false;

  constructor(options: Options) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#underWay > BUSY;
  }

  get isFull(): boolean {
    return this.#underWay > FULL;
  }

  /** All that were spoken to, or heard, but those who are gone. */
  get peers(): readonly string[] {
    return [...this.#peers.keys()];
  }

  /** `taken` is called when the store has taken it. */
  say(to: string, kind: LineKind, link: number, text = "", taken?: () => void): void {
    if (this.#isOver || this.#gone.has(to)) return;
    const peer = this.#peer(to);
    peer.size += add(peer.lines, { kind, links: [link], text });
    if (taken) peer.taken.push(taken);
    if (peer.size > MAX_BATCH) this.#flush(to, peer);
    else this.#flushLater(to, peer);
  }

  receive(bytes: Buffer): void {
    const envelope = envelopeOf(bytes);
    const text = envelope && !this.#isOver ? this.#open(envelope) : null;
    if (envelope === null || text === null) return;
    this.#options.passed(bytes.length);
    for (const one of text.split("\n")) {
      const line = lineOf(one);
      if (line) this.#options.heard(envelope.from, line);
    }
  }

  isGone(node: string): boolean {
    return this.#gone.has(node);
  }

  /** Nothing is said to these nodes any more, nor heard of them. */
  forget(nodes: readonly string[]): void {
    for (const node of nodes) {
      this.#gone.add(node);
      this.#peers.delete(node);
    }
  }

  /** What was said last goes out, and nothing after it. */
  close(): void {
    for (const to of this.#peers.keys()) this.#flushOf(to);
    this.#isOver = true;
  }

  /** Null for what was seen before, and for what no node sealed. */
  #open(envelope: Envelope): string | null {
    const { from, seq } = envelope;
    if (this.#gone.has(from)) return null;
    const peer = this.#peers.get(from) ?? this.#newPeer(from);
    if (seq < peer.received) return null;
    const text = peer.from.open(envelope);
    if (text === null) return null;
    // Only who has the secret gets here: it is worth an entry.
    this.#peers.set(from, peer);
    const isNext = seq === peer.received;
    peer.received = seq + 1;
    if (isNext) return text;
    this.#break();
    return null;
  }

  /** Not at once: a room may be sending this moment, and nothing may lead back into it. */
  #break(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    queueMicrotask(this.#options.broken);
  }

  #peer(node: string): Peer {
    const peer = this.#peers.get(node) ?? this.#newPeer(node);
    this.#peers.set(node, peer);
    return peer;
  }

  #newPeer(node: string): Peer {
    const { secret, node: own } = this.#options;
    const [to, from] = [new Sealing(secret, own, node), new Sealing(secret, node, own)];
    return { to, from, sent: 0, sentAt: milli(Number.NEGATIVE_INFINITY), received: 0, lines: [], size: 0, taken: [] };
  }

  #flushLater(to: string, { sentAt }: Peer): void {
    if (this.#speaking.has(to)) return;
    this.#speaking.add(to);
    const { clock } = this.#options;
    const wait = sentAt + GATHER - clock.now();
    const flush = () => this.#flushOf(to);
    if (wait > 0) clock.after(milli(wait), flush);
    else setImmediate(flush);
  }

  #flushOf(to: string): void {
    this.#speaking.delete(to);
    const peer = this.#peers.get(to);
    if (peer && !this.#isOver && peer.lines.length > 0) this.#flush(to, peer);
  }

  #flush(to: string, peer: Peer): void {
    const { session, clock, deaf, passed } = this.#options;
    const { taken } = peer;
    const bytes = peer.to.seal(peer.sent++, peer.lines.map(textOf).join("\n"));
    Object.assign(peer, { lines: [], size: 0, taken: [], sentAt: clock.now() });
    const { length } = bytes;
    this.#underWay += length;
    passed(length);
    if (this.#underWay > MAX_UNDER_WAY) return this.#break();
    session.publish(to, bytes).then(
      (isHeard) => {
        this.#underWay -= length;
        for (const one of taken) one();
        if (!isHeard && !this.#isOver) deaf(to);
      },
      // The session is lost, which is heard of.
      () => undefined,
    );
  }
}

/** What goes to many of a room goes to each node once. @returns by how much all of it grows. */
function add(lines: NodeLine[], line: NodeLine): number {
  const last = lines.at(-1);
  if (last?.kind === line.kind && last.text === line.text) last.links.push(...line.links);
  else lines.push(line);
  return lines.at(-1) === line ? LINE_SIZE + line.text.length : LINK_SIZE;
}

const textOf = ({ kind, links, text }: NodeLine): string => `${kind} ${links.join(",")} ${text}`;

/** Null for what a node of another version says. */
function lineOf(line: string): NodeLine | null {
  const [kind = "", links = ""] = line.split(" ", 2);
  if (!isKind(kind)) return null;
  return { kind, links: links.split(",").map(Number), text: line.slice(kind.length + links.length + 2) };
}
