import { toBase64url } from "@sealcast/bytes";
import type { LiveUp } from "@sealcast/protocol";
import { MAX_DELIVERIES } from "@sealcast/protocol/limits";
import { atMostEvery, type Clock, type Milli, milli, type Rate, TokenBucket } from "@sealcast/time";

/** Characters of bodies in one message; the server takes 262,144 for the whole. */
const MAX_SIZE = 192 * 1024;
const GATHER_FOR = milli(20);
/** Items that may go before a dismissal that is due. */
const SAID_MEANWHILE = 4 * MAX_DELIVERIES;
/** Of messages, and of the characters of their bodies. The server reads a third more of one socket, over which the host says other things, too. */
const MESSAGES: Rate = { burst: 40, perSecond: 15 };
const CHARACTERS: Rate = { burst: 3 * 1024 * 1024, perSecond: 384 * 1024 };

type ForViewers = Extract<LiveUp, { type: "deliver" | "dismiss" }>;

interface Item {
  readonly to: string;
  readonly body: string;
  readonly isAnswer: boolean;
}

interface Dismissal {
  readonly viewer: string;
  /** Items that go before it, from the first one on. */
  readonly after: number;
}

/** What a host says to its viewers, gathered into messages to the server; what is for one viewer stays in order. */
export class LiveOutbox {
  readonly #clock: Clock;
  readonly #post: (message: ForViewers) => void;
  readonly #messages: TokenBucket;
  readonly #characters: TokenBucket;
  readonly #items: Item[] = [];
  readonly #answering = new Set<string>();
  #sent = 0;
  readonly #dismissals: Dismissal[] = [];
  readonly #soon: () => void;
  #isHeldUp = false;

  constructor(clock: Clock, post: (message: ForViewers) => void) {
    this.#clock = clock;
    this.#post = post;
    this.#messages = new TokenBucket(MESSAGES, clock);
    this.#characters = new TokenBucket(CHARACTERS, clock);
    this.#soon = atMostEvery(clock, GATHER_FOR, () => this.#sendWithinRate());
  }

  /** @param isAnswer the server is to accept the viewer with it */
  push(to: string, bytes: Uint8Array, isAnswer = false): void {
    this.#items.push({ to, body: toBase64url(bytes), isAnswer });
    if (isAnswer) this.#answering.add(to);
    this.#soon();
  }

  /** Whether an answer to that viewer has not left yet. */
  isAnswering(viewer: string): boolean {
    return this.#answering.has(viewer);
  }

  /** Ends the session, after all that was said to it. */
  dismiss(viewer: string): void {
    this.#dismissals.push({ viewer, after: this.#sent + this.#items.length });
    this.#soon();
  }

  /** Sends what there is, now; what comes later makes up for it. */
  flush(): void {
    while (!this.#isEmpty) this.#sendNext();
  }

  get #isEmpty(): boolean {
    return this.#items.length === 0 && this.#dismissals.length === 0;
  }

  #sendWithinRate(): void {
    while (!this.#isEmpty && this.#overdrawnFor === 0) this.#sendNext();
    if (this.#isEmpty || this.#isHeldUp) return;
    this.#isHeldUp = true;
    this.#clock.after(milli(Math.ceil(this.#overdrawnFor)), () => {
      this.#isHeldUp = false;
      this.#sendWithinRate();
    });
  }

  get #overdrawnFor(): Milli {
    return milli(Math.max(this.#messages.overdrawnFor(), this.#characters.overdrawnFor()));
  }

  #sendNext(): void {
    this.#messages.take();
    if (this.#isDismissalNext) this.#post({ type: "dismiss", viewers: this.#takeDismissals() });
    else this.#deliver(this.#items.splice(0, fitting(this.#items)));
  }

  /** Where there is much to say, several sessions end with one message. */
  get #isDismissalNext(): boolean {
    const first = this.#dismissals[0];
    return first !== undefined && (this.#items.length === 0 || this.#sent >= first.after + SAID_MEANWHILE);
  }

  #takeDismissals(): string[] {
    const due = this.#dismissals.slice(0, MAX_DELIVERIES).filter(({ after }) => after <= this.#sent);
    this.#dismissals.splice(0, due.length);
    return due.map(({ viewer }) => viewer);
  }

  #deliver(items: readonly Item[]): void {
    this.#sent += items.length;
    this.#characters.take(items.reduce((sum, { body }) => sum + body.length, 0));
    const accept = new Set(items.flatMap(({ to, isAnswer }) => (isAnswer ? [to] : [])));
    for (const viewer of accept) this.#answering.delete(viewer);
    this.#post({ type: "deliver", accept: [...accept], items: items.map(({ to, body }) => ({ to, body })) });
  }
}

/** How many of the first items one message holds. */
function fitting(items: readonly Item[]): number {
  let count = 0;
  let size = 0;
  for (const { body } of items) {
    size += body.length;
    if (count === MAX_DELIVERIES || (count > 0 && size > MAX_SIZE)) break;
    count += 1;
  }
  return count;
}
