import type { Head } from "@sealcast/protocol";
import type { Allowance } from "./allowance.ts";

/** A member that missed more than this asks to be added anew. */
const MAX_KEPT = 16;
/** In characters, per room. */
const MAX_SIZE = 2 * 1024 * 1024;
/** In characters, per answer: it stays below the backlog at which a socket counts as too slow. */
const MAX_ANSWER = 768 * 1024;

interface Kept {
  /** Null where there was no room for it. */
  readonly body: string | null;
  /** Null when a member supplied it again. */
  readonly ordered: { readonly seq: number; readonly before: Head | null } | null;
}

/** One group's commits as the server sees them: at most one per epoch, and the epoch that they lead to. */
export class Commits {
  readonly #allowance: Allowance;
  #head: Head | null = null;
  #started = false;
  #size = 0;
  readonly #kept = new Map<number, Kept>();

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** Where the group stands; null until a commit or a member says so. */
  get head(): Head | null {
    return this.#head;
  }

  /** Whether a commit was ever ordered. */
  get started(): boolean {
    return this.#started;
  }

  /**
   * A member says where its group stands: the higher epoch counts. Only until a commit was ordered here: from then on
   * the server knows, and a false claim would refuse every commit for good.
   */
  claim(state: Head): void {
    if (this.#started) return;
    if (!this.#head || state.epoch > this.#head.epoch) this.#head = state;
  }

  /** Whether a commit that ends `epoch` comes in time. */
  takes(epoch: number): boolean {
    return !this.#head || epoch >= this.#head.epoch;
  }

  /** Keeps the commit that ends `epoch`, which the room gave the number `seq`. */
  order(epoch: number, seq: number, body: string): void {
    this.#keep(epoch, { body, ordered: { seq, before: this.#head } });
    this.#head = { epoch: epoch + 1, authenticator: null };
    this.#started = true;
  }

  /** The epoch that the commit with this number ended, if it is the one that led to the head. */
  endedBy(seq: number): number | null {
    const last = this.#head ? this.#head.epoch - 1 : -1;
    return this.#kept.get(last)?.ordered?.seq === seq ? last : null;
  }

  /** Takes the commit that ended `epoch` back, as if it had never come. */
  undo(epoch: number): void {
    const ordered = this.#kept.get(epoch)?.ordered;
    if (!ordered) return;
    this.#drop(epoch);
    this.#head = ordered.before;
  }

  /** Keeps a commit of an epoch that is over, unless one is kept already. */
  restock(epoch: number, body: string): void {
    if (this.#head && epoch < this.#head.epoch && !this.#kept.has(epoch)) this.#keep(epoch, { body, ordered: null });
  }

  /** Consecutive commits from `epoch` on, as many as fit an answer. */
  from(epoch: number): { epoch: number; body: string }[] {
    const found: { epoch: number; body: string }[] = [];
    let size = 0;
    for (let at = epoch; ; at++) {
      const body = this.#kept.get(at)?.body ?? null;
      if (body === null || size + body.length > MAX_ANSWER) return found;
      found.push({ epoch: at, body });
      size += body.length;
    }
  }

  /** Keeps nothing any more. */
  clear(): void {
    for (const epoch of [...this.#kept.keys()]) this.#drop(epoch);
  }

  #keep(epoch: number, kept: Kept): void {
    this.#drop(epoch);
    this.#put(epoch, kept);
    while (this.#kept.size > MAX_KEPT || (this.#isOver() && this.#kept.size > 1)) {
      this.#drop(Math.min(...this.#kept.keys()));
    }
    if (this.#isOver()) this.#forgetBodies();
  }

  /** Which commits there were stays known, so that the last can be taken back. */
  #forgetBodies(): void {
    for (const [epoch, kept] of [...this.#kept]) {
      this.#drop(epoch);
      this.#put(epoch, { ...kept, body: null });
    }
  }

  #isOver(): boolean {
    return this.#size > this.#allowance.limit(MAX_SIZE);
  }

  #put(epoch: number, kept: Kept): void {
    this.#kept.set(epoch, kept);
    this.#use(kept.body?.length ?? 0);
  }

  #drop(epoch: number): void {
    this.#use(-(this.#kept.get(epoch)?.body?.length ?? 0));
    this.#kept.delete(epoch);
  }

  #use(characters: number): void {
    this.#size += characters;
    this.#allowance.use(characters);
  }
}
