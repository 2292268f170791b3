import { toBase64url } from "@sealcast/bytes";
import type { LiveUp } from "@sealcast/protocol";
import { MAX_DELIVERIES } from "@sealcast/protocol/limits";
import { atMostEvery, type Clock, type Milli, milli, type Rate, TokenBucket } from "@sealcast/time";

/** Characters of bodies in one message; the server takes 262,144 for the whole. */
const MAX_SIZE = 192 * 1024;
const GATHER_FOR = milli(20);
/** Messages to viewers between two that dismiss. */
const SAID_MEANWHILE = 4;
/** Of messages, and of the characters of their bodies. The server reads a third more of one socket, over which the host says other things, too. */
const MESSAGES: Rate = { burst: 40, perSecond: 15 };
const CHARACTERS: Rate = { burst: 3 * 1024 * 1024, perSecond: 384 * 1024 };

/** In the order in which they go: keys and farewells, then answers, so that nobody is let in only after what is said to others. */
const KINDS = ["urgent", "answer", "other"] as const;

type ForViewers = Extract<LiveUp, { type: "deliver" | "dismiss" }>;

interface Item {
  readonly to: string;
  readonly body: string;
  readonly isAnswer: boolean;
}

/** What waits, in order. */
class Lane {
  #items: Item[] = [];
  readonly #counts = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  has(viewer: string): boolean {
    return this.#counts.has(viewer);
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#counts.set(item.to, (this.#counts.get(item.to) ?? 0) + 1);
  }

  /** As many of the first as there is room for beside these. */
  fill(message: Item[]): void {
    let size = message.reduce((sum, { body }) => sum + body.length, 0);
    let count = 0;
    for (const { body } of this.#items) {
      size += body.length;
      const before = message.length + count;
      if (before === MAX_DELIVERIES || (before > 0 && size > MAX_SIZE)) break;
      count += 1;
    }
    const taken = this.#items.splice(0, count);
    for (const { to } of taken) this.#less(to);
    message.push(...taken);
  }

  delete(viewer: string): void {
    if (!this.#counts.delete(viewer)) return;
    this.#items = this.#items.filter(({ to }) => to !== viewer);
  }

  #less(viewer: string): void {
    const left = (this.#counts.get(viewer) ?? 0) - 1;
    if (left > 0) this.#counts.set(viewer, left);
    else this.#counts.delete(viewer);
  }
}

/** What a host says to its viewers, gathered into messages to the server. What is for one viewer stays in order. */
export class LiveOutbox {
  readonly #clock: Clock;
  readonly #post: (message: ForViewers) => void;
  readonly #messages: TokenBucket;
  readonly #characters: TokenBucket;
  readonly #lanes = KINDS.map(() => new Lane());
  readonly #answering = new Set<string>();
  readonly #dismissals = new Set<string>();
  /** Messages since the latest that dismissed. */
  #saidMeanwhile = 0;
  readonly #soon: () => void;
  #isHeldUp = false;

  constructor(clock: Clock, post: (message: ForViewers) => void) {
    this.#clock = clock;
    this.#post = post;
    this.#messages = new TokenBucket(MESSAGES, clock);
    this.#characters = new TokenBucket(CHARACTERS, clock);
    this.#soon = atMostEvery(clock, GATHER_FOR, () => this.#sendWithinRate());
  }

  /** @param as `answer`: the server is to accept the viewer with it */
  push(to: string, bytes: Uint8Array, as: (typeof KINDS)[number] = "other"): void {
    const isAnswer = as === "answer";
    if (isAnswer) this.#answering.add(to);
    const own = KINDS.indexOf(as);
    const lane = this.#lanes.findLast((lane, at) => at === own || (at > own && lane.has(to)));
    lane?.push({ to, body: toBase64url(bytes), isAnswer });
    this.#soon();
  }

  /** Whether something for that viewer has not left yet. */
  isWaiting(viewer: string): boolean {
    return this.#lanes.some((lane) => lane.has(viewer));
  }

  /** Whether an answer to that viewer has not left yet. */
  isAnswering(viewer: string): boolean {
    return this.#answering.has(viewer);
  }

  /** What has not left yet does not any more. */
  forget(viewer: string): void {
    for (const lane of this.#lanes) lane.delete(viewer);
    this.#answering.delete(viewer);
  }

  /** Ends the session, after all that was said to it. */
  dismiss(viewer: string): void {
    this.#dismissals.add(viewer);
    this.#soon();
  }

  /** Sends what there is, now; what comes later makes up for it. */
  flush(): void {
    while (!this.#isEmpty) this.#sendNext();
  }

  get #isEmpty(): boolean {
    return this.#isAllSaid && this.#dismissals.size === 0;
  }

  get #isAllSaid(): boolean {
    return this.#lanes.every(({ isEmpty }) => isEmpty);
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

  /** Where there is much to say, several sessions end with one message. */
  #sendNext(): void {
    const due = this.#isAllSaid || this.#saidMeanwhile >= SAID_MEANWHILE ? this.#takeDismissals() : [];
    this.#messages.take();
    if (due.length === 0) return this.#deliver(this.#takeFirst());
    this.#saidMeanwhile = 0;
    this.#post({ type: "dismiss", viewers: due });
  }

  #takeDismissals(): string[] {
    const due = [...this.#dismissals].filter((viewer) => !this.isWaiting(viewer)).slice(0, MAX_DELIVERIES);
    for (const viewer of due) this.#dismissals.delete(viewer);
    return due;
  }

  #takeFirst(): Item[] {
    const items: Item[] = [];
    for (const lane of this.#lanes) {
      lane.fill(items);
      // Of one viewer, what is in a later lane came later.
      if (!lane.isEmpty) break;
    }
    return items;
  }

  #deliver(items: readonly Item[]): void {
    this.#saidMeanwhile += 1;
    this.#characters.take(items.reduce((sum, { body }) => sum + body.length, 0));
    const accept = new Set(items.flatMap(({ to, isAnswer }) => (isAnswer ? [to] : [])));
    for (const viewer of accept) this.#answering.delete(viewer);
    this.#post({ type: "deliver", accept: [...accept], items: items.map(({ to, body }) => ({ to, body })) });
  }
}
