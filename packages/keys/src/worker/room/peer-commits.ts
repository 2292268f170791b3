import { base64url, concat, type Infer, rest, uint32, union } from "@sealcast/bytes";
import type { CommitEdge } from "./wire.ts";

/** Bytes of a commit in one message: with the numbers before it, below what a channel takes. */
const MAX_PART = 16_000;
/** Bytes of a whole commit, as over the server. */
const MAX_COMMIT = 192 * 1024;
/** Answers to one member in a second: nobody needs more than it can be behind. */
const MAX_ANSWERS = 16;

const node = base64url(32);
const peerCommit = union({
  /** For the commit that ended that node's epoch. */
  ask: [0, { at: node }],
  /** Of a commit of that length, the bytes from that offset on. */
  part: [1, { at: node, next: node, length: uint32, offset: uint32, bytes: rest(MAX_COMMIT, 1) }],
});

type Part = Extract<Infer<typeof peerCommit>, { type: "part" }>;

/** A commit, and the node (PROTOCOL.md 3.7) of the epoch that it ends. */
export interface CommitStep extends CommitEdge {
  readonly at: string;
}

interface Coming {
  readonly at: string;
  readonly next: string;
  readonly length: number;
  parts: Uint8Array[];
  received: number;
}

interface Surroundings {
  /** Over the connection to that member, in order and whole, or not at all. */
  send(to: string, body: Uint8Array): void;
  /** The commit that ended the epoch of this node, if it is kept. */
  find(at: string): CommitStep | undefined;
  /** Another member gave a commit that ends the epoch of `at`. Nothing vouches for it. */
  offered(step: CommitStep): void;
}

/**
 * Commits that members give each other over their own connections (PROTOCOL.md 4.15), so that a server alone cannot withhold
 * one.
 */
export class PeerCommits {
  readonly #around: Surroundings;
  /** By member (leafKeyId): what is on its way. */
  readonly #coming = new Map<string, Coming>();
  readonly #answered = new Map<string, number>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Asks that member (by leafKeyId) for the commit that ended this epoch. */
  ask(to: string, at: string): void {
    this.#around.send(to, peerCommit.encode({ type: "ask", at }));
  }

  give(to: string, { at, next, body }: CommitStep): void {
    for (let offset = 0; offset < body.length; offset += MAX_PART) {
      const bytes = body.subarray(offset, offset + MAX_PART);
      this.#around.send(to, peerCommit.encode({ type: "part", at, next, length: body.length, offset, bytes }));
    }
  }

  /** A second has gone by. */
  tick(): void {
    this.#answered.clear();
  }

  /** `from`: the leafKeyId of the member at the other end of the connection. What is malformed is dropped. */
  heard(from: string, body: Uint8Array): void {
    const said = peerCommit.parse(body);
    if (said?.type === "ask") this.#asked(from, said.at);
    else if (said?.type === "part") this.#part(from, said);
  }

  /** That epoch is over: what was on its way for it is of no use. */
  forget(): void {
    this.#coming.clear();
  }

  #asked(from: string, at: string): void {
    const step = this.#around.find(at);
    const count = this.#answered.get(from) ?? 0;
    if (step === undefined || count >= MAX_ANSWERS) return;
    this.#answered.set(from, count + 1);
    this.give(from, step);
  }

  #part(from: string, { at, next, length, offset, bytes }: Part): void {
    if (offset === 0 && length <= MAX_COMMIT) this.#coming.set(from, { at, next, length, parts: [], received: 0 });
    const coming = this.#coming.get(from);
    const isNext = coming?.at === at && coming.next === next && coming.length === length && coming.received === offset;
    if (coming === undefined || !isNext || offset + bytes.length > length) return;
    coming.received += bytes.length;
    coming.parts.push(bytes);
    if (coming.received < length) return;
    this.#coming.delete(from);
    this.#around.offered({ at, next, body: concat(...coming.parts) });
  }
}
