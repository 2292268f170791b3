import { type Cancel, type Clock, milli } from "@sealcast/time";

/** How long a session has to found a group after the server asked it to. */
const TO_FOUND = milli(5_000);

interface Options<S> {
  readonly clock: Clock;
  /** Whether nobody is inside. */
  readonly isNeeded: () => boolean;
  /** Who may found a group, the one that has waited longest first. */
  readonly waiting: () => readonly S[];
  readonly tell: (session: S) => void;
}

/** While nobody is inside a room, the server asks one waiting session after the other to found a group, each once. */
export class FounderQueue<S> {
  readonly #options: Options<S>;
  #asked: { readonly session: S; readonly stop: Cancel } | null = null;
  /** Asked, and did nothing. */
  readonly #passed = new Set<S>();

  constructor(options: Options<S>) {
    this.#options = options;
  }

  /** Whether this session was the last to be asked, and still has time. */
  isTold(session: S): boolean {
    return this.#asked?.session === session;
  }

  /** Call it whenever a session came, went, entered or was left behind. */
  settle(): void {
    const { clock, isNeeded, waiting, tell } = this.#options;
    if (!isNeeded()) return this.clear();
    if (this.#asked) return;
    const session = waiting().find((one) => !this.#passed.has(one));
    if (session === undefined) return;
    this.#asked = { session, stop: clock.after(TO_FOUND, () => this.#pass(session)) };
    tell(session);
  }

  /** The session is no more. */
  forget(session: S): void {
    this.#passed.delete(session);
    if (this.isTold(session)) this.#release();
  }

  /** Stops the timer; every session may be asked again. */
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
    this.#asked?.stop();
    this.#asked = null;
  }
}
