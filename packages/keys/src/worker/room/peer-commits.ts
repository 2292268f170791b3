import { Cursor, concat, fromBase64url, toBase64url, u32 } from "@sealcast/bytes";
import type { CommitEdge } from "../../shared/messages.ts";

const ASK = 0;
const PART = 1;
const NODE_SIZE = 32;
/** Bytes of a commit in one message: with the numbers before it, below what a channel takes. */
const MAX_PART = 16_000;
/** Bytes of a whole commit, as over the server. */
const MAX_COMMIT = 192 * 1024;
/** Answers to one member in a second: nobody needs more than it can be behind. */
const MAX_ANSWERS = 16;

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
 * one: `0 | node (32)` asks for the commit that ended that node's epoch, and
 * `1 | node (32) | next node (32) | length of the commit (4) | offset (4) | bytes` is a part of it.
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
    this.#around.send(to, concat(Uint8Array.of(ASK), nodeBytes(at)));
  }

  give(to: string, { at, next, body }: CommitStep): void {
    for (let offset = 0; offset < body.length; offset += MAX_PART) {
      const head = concat(Uint8Array.of(PART), nodeBytes(at), nodeBytes(next), u32(body.length), u32(offset));
      this.#around.send(to, concat(head, body.subarray(offset, offset + MAX_PART)));
    }
  }

  /** A second has gone by. */
  tick(): void {
    this.#answered.clear();
  }

  /** `from`: the leafKeyId of the member at the other end of the connection. What is malformed is dropped. */
  heard(from: string, body: Uint8Array): void {
    if (body.length === 1 + NODE_SIZE && body[0] === ASK) this.#asked(from, toBase64url(body.subarray(1)));
    else if (body.length > 1 + 2 * NODE_SIZE + 8 && body[0] === PART) this.#part(from, new Cursor(body.slice(1)));
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

  #part(from: string, cursor: Cursor): void {
    const [at, next] = [toBase64url(cursor.bytes(NODE_SIZE)), toBase64url(cursor.bytes(NODE_SIZE))];
    const [length, offset] = [cursor.u32(), cursor.u32()];
    if (offset === 0 && length <= MAX_COMMIT) this.#coming.set(from, { at, next, length, parts: [], received: 0 });
    const coming = this.#coming.get(from);
    const isNext = coming?.at === at && coming.next === next && coming.length === length && coming.received === offset;
    if (coming === undefined || !isNext || offset + cursor.left > length) return;
    coming.received += cursor.left;
    coming.parts.push(cursor.rest());
    if (coming.received < length) return;
    this.#coming.delete(from);
    this.#around.offered({ at, next, body: concat(...coming.parts) });
  }
}

function nodeBytes(node: string): Uint8Array {
  const bytes = fromBase64url(node);
  if (bytes?.length !== NODE_SIZE) throw new Error("a node is 32 bytes in base64url");
  return bytes;
}
