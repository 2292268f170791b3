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

type ForViewers = Extract<LiveUp, { type: "deliver" | "dismiss" }>;

interface Item {
  readonly to: string;
  readonly body: string;
  readonly isAnswer: boolean;
}

/** By viewer, each one's in order. */
type Lane = Map<string, Item[]>;

/** Of those for whom something urgent waits and nothing before it, of those for whom other things wait before it, and of all others. */
const [FIRST, SECOND, LAST] = [0, 1, 2] as const;

/**
 * What a host says to its viewers, gathered into messages to the server. What is for one viewer stays in order; what is urgent goes
 * before what is for others.
 */
export class LiveOutbox {
  readonly #clock: Clock;
  readonly #post: (message: ForViewers) => void;
  readonly #messages: TokenBucket;
  readonly #characters: TokenBucket;
  readonly #lanes: readonly [Lane, Lane, Lane] = [new Map(), new Map(), new Map()];
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
  push(to: string, bytes: Uint8Array, as: "answer" | "urgent" | "other" = "other"): void {
    const at = this.#lanes.findIndex((lane) => lane.has(to));
    const items = this.#lanes[at]?.get(to) ?? [];
    items.push({ to, body: toBase64url(bytes), isAnswer: as === "answer" });
    const known = this.#lanes[at];
    const lane = as === "urgent" ? this.#lanes[at <= FIRST ? FIRST : SECOND] : (known ?? this.#lanes[LAST]);
    if (lane !== known) known?.delete(to);
    lane.set(to, items);
    this.#soon();
  }

  /** Whether something for that viewer has not left yet. */
  isWaiting(viewer: string): boolean {
    return this.#lanes.some((lane) => lane.has(viewer));
  }

  /** Ends the session, after all that was said to it. */
  dismiss(viewer: string): void {
    this.#dismissals.add(viewer);
    this.#soon();
  }

  /** Sends what there is for these viewers, now; what comes later makes up for it. */
  flush(viewers: Iterable<string>): void {
    const now: Lane = new Map();
    for (const viewer of viewers)
      for (const lane of this.#lanes) {
        const items = lane.get(viewer);
        if (items !== undefined) now.set(viewer, items);
        lane.delete(viewer);
      }
    while (now.size > 0) this.#deliver(takeFirst([now]));
  }

  get #isEmpty(): boolean {
    return this.#isAllSaid && this.#dismissals.size === 0;
  }

  get #isAllSaid(): boolean {
    return this.#lanes.every(({ size }) => size === 0);
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
    if (due.length === 0) return this.#deliver(takeFirst(this.#lanes));
    this.#messages.take();
    this.#saidMeanwhile = 0;
    this.#post({ type: "dismiss", viewers: due });
  }

  #takeDismissals(): string[] {
    const due = [...this.#dismissals].filter((viewer) => !this.isWaiting(viewer)).slice(0, MAX_DELIVERIES);
    for (const viewer of due) this.#dismissals.delete(viewer);
    return due;
  }

  #deliver(items: readonly Item[]): void {
    this.#messages.take();
    this.#saidMeanwhile += 1;
    this.#characters.take(items.reduce((sum, { body }) => sum + body.length, 0));
    const accept = new Set(items.flatMap(({ to, isAnswer }) => (isAnswer ? [to] : [])));
    this.#post({ type: "deliver", accept: [...accept], items: items.map(({ to, body }) => ({ to, body })) });
  }
}

/** Of the first items as many as one message holds. */
function takeFirst(lanes: readonly Lane[]): Item[] {
  const taken: Item[] = [];
  let size = 0;
  for (const lane of lanes)
    for (const [to, items] of lane) {
      for (let item = items[0]; item !== undefined; item = items[0]) {
        size += item.body.length;
        if (taken.length === MAX_DELIVERIES || (taken.length > 0 && size > MAX_SIZE)) return taken;
        taken.push(item);
        items.shift();
      }
      lane.delete(to);
    }
  return taken;
}
