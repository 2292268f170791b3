import { toBase64url } from "@sealcast/bytes";
import type { LiveUp } from "@sealcast/protocol";
import { MAX_DELIVERIES } from "@sealcast/protocol/limits";
import { atMostEvery, type Clock, milli, type Rate, TokenBucket } from "@sealcast/time";

/** Characters of bodies in one message; the server takes 262,144 for the whole. */
const MAX_SIZE = 192 * 1024;
const GATHER_FOR = milli(20);
/** Of messages. The server reads 60 at once and 20 a second of one socket, over which the host says other things, too. */
const RATE: Rate = { burst: 40, perSecond: 15 };

type Deliver = Extract<LiveUp, { type: "deliver" }>;

interface Item {
  readonly to: string;
  readonly body: string;
  readonly isAnswer: boolean;
}

/** What a host says to its viewers, gathered into messages to the server; what is for one viewer stays in order. */
export class LiveOutbox {
  readonly #clock: Clock;
  readonly #post: (message: Deliver) => void;
  readonly #messages: TokenBucket;
  #items: Item[] = [];
  readonly #soon: () => void;
  #isHeldUp = false;

  constructor(clock: Clock, post: (message: Deliver) => void) {
    this.#clock = clock;
    this.#post = post;
    this.#messages = new TokenBucket(RATE, clock);
    this.#soon = atMostEvery(clock, GATHER_FOR, () => this.#sendWithinRate());
  }

  /** @param isAnswer the server is to accept the viewer with it */
  push(to: string, bytes: Uint8Array, isAnswer = false): void {
    this.#items.push({ to, body: toBase64url(bytes), isAnswer });
    this.#soon();
  }

  /** Sends what there is, now; what comes later makes up for it. */
  flush(): void {
    while (this.#items.length > 0) this.#sendNext();
  }

  #sendWithinRate(): void {
    while (this.#items.length > 0 && this.#messages.overdrawnFor() === 0) this.#sendNext();
    if (this.#items.length === 0 || this.#isHeldUp) return;
    this.#isHeldUp = true;
    this.#clock.after(milli(Math.ceil(this.#messages.overdrawnFor())), () => {
      this.#isHeldUp = false;
      this.#sendWithinRate();
    });
  }

  #sendNext(): void {
    this.#messages.take();
    const items = this.#items.splice(0, fitting(this.#items));
    const accept = new Set(items.flatMap(({ to, isAnswer }) => (isAnswer ? [to] : [])));
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
