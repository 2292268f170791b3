import { type Clock, type Milli, milli, TokenBucket } from "@sealcast/time";
import { KEY_FRAMES, type ShownSize, smallestFor, UNSEEN_FOR } from "../../shared/fan-out.ts";
import type { EncodedFrame, FrameWriter } from "../track/frame-writer.ts";
import type { TransformStats } from "../track/transform-stats.ts";
import { FIRST_ESTIMATE, LinkBudget } from "./link-budget.ts";
import { Pairing } from "./pairing.ts";
import type { SealedFrame, StandIn } from "./sealed-frame.ts";
import { StandIns } from "./stand-in.ts";
import { type Tier, TierChoice } from "./tiers.ts";

/** A stand-in as it came out of a link's encoder, and where it would go. */
export interface EncodedStandIn extends StandIn {
  frame: EncodedFrame;
  writer: FrameWriter;
  stats: TransformStats;
}

/** A key frame that was asked for and has not come by then is asked for again. */
const ASK_AGAIN = milli(1_000);
/** A link that had run out of budget, or was stuck, tries again after this, and each time after twice as long. */
const RETRY = milli(500);
const LONGEST_RETRY = milli(8_000);
/** Back-off resets after 10 s without a stall. */
const FORGIVEN = milli(10_000);
/** With this many frames waiting, the link's own encoder does not keep up: layers above 1, then above 0, are left out. */
const MANY_WAITING = 4;
const TOO_MANY_WAITING = 8;
/** A link without video for this long is reported as paused. */
const PAUSED = milli(1_000);

interface Way {
  standIns: WritableStream<VideoFrame>;
  /** Its encoder has made nothing yet. */
  isNew: boolean;
  /** The browser's estimate of the link; null as long as it has none. */
  bitsPerSecond: number | null;
}

interface Asks {
  /** Has the link's own encoder make a key frame of the next stand-in. */
  standInKey(): void;
  /** Has the encoder of that size make a key frame. */
  key(tier: number): void;
}

/** One link that a fan-out carries. It goes from one size to another at a key frame only, so its video never freezes. */
export class FanOutLink {
  readonly #clock: Clock;
  readonly #asks: Asks;
  readonly #pairing: Pairing<EncodedStandIn>;
  readonly #budget: LinkBudget;
  readonly #choice: TierChoice;
  readonly #keys: TokenBucket;
  #standIns: StandIns;
  /** Null as long as the other end has not said. */
  #shown: ShownSize | null = null;
  /** Since when nobody there sees it; null while someone does. */
  #unseenSince: Milli | null = null;
  /** Someone sees it again, and frames of it were left out: it goes on from a key frame. */
  #isBack = false;
  #tier = 0;
  #next: number | null = null;
  #out: { since: Milli; until: Milli } | null = null;
  #retry = RETRY;
  #waited = milli(Number.NEGATIVE_INFINITY);
  /** A key frame is to be asked for once the link may. */
  #needsKey = false;
  /** Of which size one was asked for, and when; null once it has come. */
  #asked: { tier: number; at: Milli } | null = null;

  constructor(clock: Clock, { standIns, isNew, bitsPerSecond }: Way, asks: Asks) {
    this.#clock = clock;
    this.#asks = asks;
    this.#standIns = new StandIns(standIns, clock);
    this.#budget = new LinkBudget(clock, bitsPerSecond ?? FIRST_ESTIMATE);
    this.#choice = new TierChoice(clock);
    this.#keys = new TokenBucket(KEY_FRAMES, clock);
    this.#pairing = new Pairing(clock, isNew, {
      write: () => this.#standIns.write(),
      needStandInKey: asks.standInKey,
      needKey: () => this.#askKey(),
      // Others get every key frame that this link asks for: one that does nothing asks ever more rarely.
      stuck: () => this.#wait(),
      send,
      leaveOut: ({ stats }) => stats.leftOut(),
    });
  }

  /** Bits per second that its video may take. */
  get rate(): number {
    return this.#budget.rate;
  }

  /** The size that it gets, and the one that it waits for; none while nobody sees it. */
  get tiers(): number[] {
    if (this.#rests) return [];
    return this.#next === null ? [this.#tier] : [this.#tier, this.#next];
  }

  /** It is too slow for any video now. */
  get isPaused(): boolean {
    return !this.#rests && this.#out !== null && this.#clock.now() - this.#out.since > PAUSED;
  }

  /** Another track takes the place of the one before. */
  renew(standIns: WritableStream<VideoFrame>): void {
    this.#standIns.close();
    this.#standIns = new StandIns(standIns, this.#clock);
    this.restart();
  }

  /** It has no frames yet, or they were lost: it goes on from a key frame. */
  restart(): void {
    this.#pairing.break();
    this.#askKey();
  }

  keyed(): void {
    this.#pairing.keyed();
  }

  standIn(standIn: EncodedStandIn): void {
    this.#pairing.standIn(standIn);
  }

  estimate(bitsPerSecond: number): void {
    this.#budget.estimate(bitsPerSecond);
  }

  /** How large the other end shows the video; `choose` follows it. */
  show(shown: ShownSize): void {
    const isSeen = shown.width > 0;
    this.#isBack ||= isSeen && this.#rests && this.#pairing.isBroken;
    this.#unseenSince = isSeen ? null : (this.#unseenSince ?? this.#clock.now());
    this.#shown = shown;
  }

  /**
   * Where another size suits the link better than its own, it waits for a key frame of that size. None is larger than what
   * the other end shows needs.
   */
  choose(tiers: readonly Tier[]): void {
    const needed = this.#shown === null ? 0 : smallestFor(tiers, this.#shown);
    const keepsRate = this.#shown?.keepsRate ?? false;
    const chosen = Math.max(this.#choice.choose(tiers, this.#budget.rate, keepsRate), needed);
    this.#budget.makeRoom(tiers[chosen]?.keyBytes ?? 0);
    if (this.#pairing.isBroken || this.#tier >= tiers.length) {
      if (chosen === this.#tier && !this.#isBack) return;
      this.#isBack = false;
      this.#tier = chosen;
      this.#next = null;
      this.restart();
    } else if (chosen !== (this.#next ?? this.#tier)) {
      this.#next = chosen === this.#tier ? null : chosen;
      if (this.#next !== null) this.#askKey();
    }
  }

  /** Every size's frames are offered. */
  offer(tier: number, sealed: SealedFrame): void {
    if (this.#rests) return this.#pairing.break();
    if (sealed.isKey && tier === this.#asked?.tier) this.#asked = null;
    if (this.#needsKey) this.#askKey();
    if (tier === this.#next && sealed.isKey) {
      this.#tier = tier;
      this.#next = null;
    }
    if (tier !== this.#tier || !this.#isIn(sealed)) return;
    if (this.#pairing.isBroken && !sealed.isKey) return;
    if (this.#budget.take(sealed, this.#highestLayer)) return this.#push(sealed);
    // Without it, what follows cannot be decoded.
    if (sealed.layer === 0) this.#wait();
  }

  close(): void {
    this.#pairing.break();
    this.#standIns.close();
  }

  /** Nobody has seen it for a while: nothing goes, and no size is encoded for it. */
  get #rests(): boolean {
    return this.#unseenSince !== null && this.#clock.now() - this.#unseenSince >= UNSEEN_FOR;
  }

  get #highestLayer(): number {
    // Nobody sees it: what goes is enough to go on from.
    if (this.#shown?.width === 0) return 0;
    const { waiting } = this.#pairing;
    if (waiting >= TOO_MANY_WAITING) return 0;
    return waiting >= MANY_WAITING ? 1 : Number.POSITIVE_INFINITY;
  }

  #push(sealed: SealedFrame): void {
    if (sealed.isKey) this.#out = null;
    this.#pairing.push(sealed);
  }

  /** Nothing goes for a while, then a key frame is asked for. */
  #wait(): void {
    const now = this.#clock.now();
    this.#pairing.break();
    if (now - this.#waited > FORGIVEN) this.#retry = RETRY;
    this.#waited = now;
    this.#out = { since: this.#out?.since ?? now, until: milli(now + this.#retry) };
    this.#retry = milli(Math.min(2 * this.#retry, LONGEST_RETRY));
  }

  /** Whether the link takes frames now; one that waits asks for a key frame once it does again. */
  #isIn(sealed: SealedFrame): boolean {
    if (this.#out === null) return true;
    if (this.#clock.now() < this.#out.until || !this.#budget.isRecovered) return false;
    if (!sealed.isKey) this.#askKey();
    return sealed.isKey;
  }

  /** Of the size that the link waits for, or has. */
  #askKey(): void {
    if (this.#rests) return;
    const tier = this.#next ?? this.#tier;
    const now = this.#clock.now();
    if (this.#asked?.tier === tier && now - this.#asked.at < ASK_AGAIN) return;
    this.#needsKey = !this.#keys.tryTake();
    if (this.#needsKey) return;
    this.#asked = { tier, at: now };
    this.#asks.key(tier);
  }
}

/** Writing a frame out takes its bytes away: every link gets its own. */
function send({ frame, mimeType, writer, stats }: EncodedStandIn, { data, since, ...sealed }: SealedFrame): void {
  const { isKey, encoding, clear } = sealed;
  stats.leaves(frame, { since, encoding, isKey, mimeType, clear, wire: data });
  writer.send(frame, data.slice(0));
  stats.passed(since, { ...sealed, mimeType, bytes: data.byteLength, carried: true });
}
