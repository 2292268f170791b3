import { type Envelope, envelopeOf, Sealing } from "./sealing.ts";
import type { StoreSession } from "./store.ts";

/** In characters: past that, what waits for one node is sent in several. */
const MAX_BATCH = 256 * 1024;
/** In characters that the store has not taken yet: from here on what comes again anyway is left out, and nothing goes on. */
const BUSY = 1024 * 1024;
const MAX_UNDER_WAY = 32 * 1024 * 1024;

/** What one node says to another, of links by their numbers. */
export interface NodeLine {
  /** One letter. */
  readonly kind: string;
  readonly links: number[];
  /** Without a line feed. */
  readonly text: string;
}

interface Peer {
  readonly to: Sealing;
  readonly from: Sealing;
  sent: number;
  received: number;
  lines: NodeLine[];
  size: number;
}

interface Options {
  readonly secret: Buffer;
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

/** Lines from and to all other nodes, in the order of each, as long as this node has its name. What is said in one task goes as one message. */
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

  /** All that were spoken to, or heard, but those who are gone. */
  get peers(): readonly string[] {
    return [...this.#peers.keys()];
  }

  say(to: string, kind: string, link: number, text = ""): void {
    if (this.#isOver || this.#gone.has(to)) return;
    const peer = this.#peer(to);
    const last = peer.lines.at(-1);
    // What goes to many of a room goes to each node once.
    if (last?.kind === kind && last.text === text) {
      last.links.push(link);
      return;
    }
    peer.lines.push({ kind, links: [link], text });
    peer.size += text.length;
    if (peer.size > MAX_BATCH) this.#flush(to, peer);
    else this.#flushLater(to);
  }

  receive(bytes: Buffer): void {
    const envelope = envelopeOf(bytes);
    const text = envelope && !this.#isOver ? this.#open(envelope) : null;
    if (envelope === null || text === null) return;
    this.#options.passed(bytes.length);
    for (const line of text.split("\n")) this.#options.heard(envelope.from, lineOf(line));
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
    for (const to of [...this.#speaking]) this.#flushOf(to);
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
    this.#options.broken();
    return null;
  }

  #peer(node: string): Peer {
    const peer = this.#peers.get(node) ?? this.#newPeer(node);
    this.#peers.set(node, peer);
    return peer;
  }

  #newPeer(node: string): Peer {
    const { secret, node: own } = this.#options;
    const [to, from] = [new Sealing(secret, own, node), new Sealing(secret, node, own)];
    return { to, from, sent: 0, received: 0, lines: [], size: 0 };
  }

  #flushLater(to: string): void {
    if (this.#speaking.has(to)) return;
    this.#speaking.add(to);
    setImmediate(() => this.#flushOf(to));
  }

  #flushOf(to: string): void {
    this.#speaking.delete(to);
    const peer = this.#peers.get(to);
    if (peer && !this.#isOver && peer.lines.length > 0) this.#flush(to, peer);
  }

  #flush(to: string, peer: Peer): void {
    const { session, deaf, broken, passed } = this.#options;
    const bytes = peer.to.seal(peer.sent++, peer.lines.map(textOf).join("\n"));
    peer.lines = [];
    peer.size = 0;
    const { length } = bytes;
    this.#underWay += length;
    passed(length);
    if (this.#underWay > MAX_UNDER_WAY) return broken();
    session.publish(to, bytes).then(
      (isHeard) => {
        this.#underWay -= length;
        if (!isHeard && !this.#isOver) deaf(to);
      },
      // The session is lost, which is heard of.
      () => undefined,
    );
  }
}

const textOf = ({ kind, links, text }: NodeLine): string => `${kind}${links.join(",")} ${text}`;

function lineOf(line: string): NodeLine {
  const space = line.indexOf(" ");
  return { kind: line.slice(0, 1), links: line.slice(1, space).split(",").map(Number), text: line.slice(space + 1) };
}
