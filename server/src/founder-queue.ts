import { type Cancel, type Clock, milli } from "@sealcast/time";

/** For the session that is told that nobody is inside to found a group. */
const TO_FOUND = milli(5_000);

interface Options<S> {
  readonly clock: Clock;
  /** Whether nobody is inside. */
  readonly isNeeded: () => boolean;
  /** Who may found a group, the one that has waited longest first. */
  readonly waiting: () => readonly S[];
  readonly tell: (session: S) => void;
}

/** While nobody is inside a room, one waiting session after the other is told so, each once. */
export class FounderQueue<S> {
  readonly #options: Options<S>;
  #told: { readonly session: S; readonly stop: Cancel } | null = null;
  /** Told, and did nothing. */
  readonly #passed = new Set<S>();

  constructor(options: Options<S>) {
    this.#options = options;
  }

  /** Whether this session was the last to be told, and still has time. */
  isTold(session: S): boolean {
    return this.#told?.session === session;
  }

  /** Call it whenever a session came, went, entered or was left behind. */
  settle(): void {
    const { clock, isNeeded, waiting, tell } = this.#options;
    if (!isNeeded()) return this.clear();
    if (this.#told) return;
    const session = waiting().find((one) => !this.#passed.has(one));
    if (session === undefined) return;
    this.#told = { session, stop: clock.after(TO_FOUND, () => this.#pass(session)) };
    tell(session);
  }

  /** The session is no more. */
  forget(session: S): void {
    this.#passed.delete(session);
    if (this.isTold(session)) this.#release();
  }

  /** Stops the timer; everybody may be told again. */
  clear(): void {
    this.#release();
    this.#passed.clear();
  }

  #pass(session: S): void {
    this.#passed.add(session);
    this.#release();
    this.settle();
  }

  #release(): void {
    this.#told?.stop();
    this.#told = null;
  }
}
