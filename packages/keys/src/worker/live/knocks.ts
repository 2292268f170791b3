import type { AdmissionState } from "./admission.ts";

const MAX_WAITING = 256;
/** After this many who came by one link were turned away, all others are. */
const MOST_REFUSALS = 3;

/** An ask with a link that was replaced, or with a resume secret from before that. */
export interface Knock extends Pick<AdmissionState, "generation"> {
  readonly body: Uint8Array;
  /** Of the ask, in hex, as is the next. */
  readonly nonce: string;
  /** Null where it was made with a link. */
  readonly resumeId: string | null;
}

/**
 * Who came with what a removal has ended, and what the host decided. A yes is for one ask. A no is for this session and
 * this resume id; those who share a link cannot be told apart, so three end it. Forgotten when the host's page is closed.
 */
export class LiveKnocks {
  readonly #waiting = new Map<string, Knock>();
  /** Whose ask with which nonce. */
  readonly #letIn = new Map<string, string>();
  /** Sessions and resume ids. */
  readonly #turnedAway = new Set<string>();
  /** By generation. */
  readonly #refusals = new Map<number, number>();

  isTurnedAway(session: string, { resumeId, generation }: Omit<Knock, "body">): boolean {
    const isClosed = (this.#refusals.get(generation) ?? 0) >= MOST_REFUSALS;
    return isClosed || this.#turnedAway.has(session) || (resumeId !== null && this.#turnedAway.has(resumeId));
  }

  isLetIn(session: string, nonce: string): boolean {
    return this.#letIn.get(session) === nonce;
  }

  isWaiting(session: string): boolean {
    return this.#waiting.has(session);
  }

  /** False: too many wait. */
  wait(session: string, knock: Knock): boolean {
    if (!this.#waiting.has(session) && this.#waiting.size >= MAX_WAITING) return false;
    this.#waiting.set(session, knock);
    return true;
  }

  /** @returns the asks that this decides, by session; none where nobody of that name waits. */
  decide(session: string, yes: boolean): Map<string, Knock> {
    const knock = this.#waiting.get(session);
    if (knock === undefined) return new Map();
    const decided = new Map([[session, knock]]);
    if (yes) this.#letIn.set(session, knock.nonce);
    else for (const [other, its] of this.#refuse(session, knock)) decided.set(other, its);
    for (const each of decided.keys()) this.#waiting.delete(each);
    return decided;
  }

  /** Someone was removed: who was let in before and is not in yet is asked about again. */
  linkReplaced(): void {
    this.#letIn.clear();
  }

  /** By another ask, maybe: what it waited for is no longer to be decided. */
  admitted(session: string): void {
    this.#waiting.delete(session);
    this.#letIn.delete(session);
  }

  forget(session: string): void {
    this.admitted(session);
    this.#turnedAway.delete(session);
  }

  /** Others who are turned away with it. */
  #refuse(session: string, { resumeId, generation }: Knock): [string, Knock][] {
    for (const name of [session, resumeId]) if (name !== null) this.#turnedAway.add(name);
    const refusals = (this.#refusals.get(generation) ?? 0) + 1;
    this.#refusals.set(generation, refusals);
    return refusals < MOST_REFUSALS ? [] : [...this.#waiting].filter(([, other]) => other.generation === generation);
  }
}
