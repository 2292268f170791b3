import { toHex } from "@sealcast/bytes";
import { type Clock, type Milli, milli, type Rate, TokenBucket } from "@sealcast/time";
import { isCurrent } from "../expiry.ts";
import type { AdmissionState, LiveAdmission } from "./admission.ts";
import { type Ask, parseAsk, type Word } from "./ask.ts";
import { type Knock, LiveKnocks } from "./knocks.ts";

/** An ask is current for at most 6 minutes. */
const REMEMBER_NONCE = milli(400_000);
/** Of one session: a page asks once in 3 s, and each answer costs an HPKE one. */
const RATE: Rate = { burst: 5, perSecond: 0.5 };
/** Viewers whose asks wait to be judged; the server holds 5,000. */
const MAX_ASKS = 8_192;

interface LiveAsksOptions {
  readonly admission: LiveAdmission;
  readonly clock: Clock;
  /** Seconds since 1970. */
  readonly seconds: () => bigint;
  /** Whether it is the ask that this viewer was answered: then the answer goes again as long as it is needed. */
  isAnswered(viewer: string, nonce: string): boolean;
  /** False: a removal came between, and the ask is to be judged again. `generation`: as it was when it was judged. */
  admit(viewer: string, ask: Ask, standing: AdmissionState, generation: number): Promise<boolean>;
  say(viewer: string, ask: Ask, standing: AdmissionState, word: Word): Promise<void>;
  /** Whether this session has the key, or can get it: then it does not wait. */
  isAdmitted(viewer: string): boolean;
  end(viewer: string): void;
  /** They wait for the host's yes, and did not before. */
  waits(viewer: string): void;
  refuse(what: "bad-ask" | "replayed-ask"): void;
}

/** What viewers ask for: one ask of each is judged at a time, the oldest first. */
export class LiveAsks {
  readonly #options: LiveAsksOptions;
  /** Not judged yet, the oldest first. */
  readonly #asks = new Map<string, Uint8Array>();
  #judging: Promise<void> | null = null;
  readonly #rates = new Map<string, TokenBucket>();
  readonly #knocks = new LiveKnocks();
  /** Of every ask that was judged: whose it was, and since when. */
  readonly #nonces = new Map<string, { viewer: string; at: Milli }>();

  constructor(options: LiveAsksOptions) {
    this.#options = options;
  }

  /** False: too many others ask, or they ask too often. */
  takes(viewer: string): boolean {
    if (!this.#asks.has(viewer) && this.#asks.size >= MAX_ASKS) return false;
    const rate = this.#rates.get(viewer) ?? new TokenBucket(RATE, this.#options.clock);
    this.#rates.set(viewer, rate);
    return rate.tryTake();
  }

  /** Resolves when all are judged that wait now. */
  hear(viewer: string, body: Uint8Array): Promise<void> {
    this.#asks.set(viewer, body);
    return this.#judgeAll();
  }

  /** For the host's yes. */
  isWaiting(viewer: string): boolean {
    return this.#knocks.isWaiting(viewer);
  }

  /**
   * The host's yes or no. Asks are judged again: behind those that wait, which no command does.
   *
   * @returns whom that turns away
   */
  decide(viewer: string, yes: boolean): string[] {
    const decided = this.#knocks.decide(viewer, yes);
    for (const [each, { body }] of decided) this.#asks.set(each, body);
    void this.#judgeAll();
    return yes ? [] : [...decided.keys()];
  }

  /** Someone was removed. */
  linkReplaced(): void {
    this.#knocks.linkReplaced();
  }

  forget(viewer: string): void {
    this.#asks.delete(viewer);
    this.#rates.delete(viewer);
    this.#knocks.forget(viewer);
  }

  clear(): void {
    this.#asks.clear();
  }

  #judgeAll(): Promise<void> {
    this.#judging ??= this.#judgeEach().finally(() => {
      this.#judging = null;
    });
    return this.#judging;
  }

  async #judgeEach(): Promise<void> {
    for (const [viewer, body] of this.#asks) {
      this.#asks.delete(viewer);
      await this.#judge(viewer, body);
    }
  }

  async #judge(viewer: string, body: Uint8Array): Promise<void> {
    const { admission, seconds, isAnswered, admit, say, refuse } = this.#options;
    const { generation } = admission;
    const ask = parseAsk(body);
    const standing = ask && isCurrent(ask.expiry, seconds()) ? await admission.judge(ask, body) : null;
    if (ask === null || standing === null) return refuse("bad-ask");
    const nonce = toHex(ask.nonce);
    if (!this.#isFirst(nonce, viewer)) return refuse("replayed-ask");
    if (isAnswered(viewer, nonce)) return;
    const resumeId = ask.kind === "resume" ? toHex(ask.resumeId) : null;
    const knock = { body, nonce, resumeId, generation: standing.generation };
    const isTurnedAway = standing.is === "removed" || this.#knocks.isTurnedAway(viewer, knock);
    if (isTurnedAway) return say(viewer, ask, standing, "turned-away");
    const isLate = standing.is === "late" && !this.#knocks.isLetIn(viewer, nonce);
    if (isLate) return this.#wait(viewer, ask, standing, knock);
    if (await admit(viewer, ask, standing, generation)) return this.#knocks.admitted(viewer);
    // Someone was removed meanwhile, and with them went all that was welcome before.
    return this.#judge(viewer, body);
  }

  /** Whether nobody else asked with this nonce: the server may show one viewer's ask as another's. */
  #isFirst(nonce: string, viewer: string): boolean {
    const now = this.#options.clock.now();
    for (const [old, { at }] of this.#nonces) {
      if (at + REMEMBER_NONCE > now) break;
      this.#nonces.delete(old);
    }
    const known = this.#nonces.get(nonce);
    if (known === undefined) this.#nonces.set(nonce, { viewer, at: now });
    return known === undefined || known.viewer === viewer;
  }

  async #wait(viewer: string, ask: Ask, standing: AdmissionState, knock: Knock): Promise<void> {
    const { isAdmitted, end, waits, say } = this.#options;
    if (isAdmitted(viewer)) return end(viewer);
    const wasWaiting = this.#knocks.isWaiting(viewer);
    if (!this.#knocks.wait(viewer, knock)) return;
    if (!wasWaiting) waits(viewer);
    await say(viewer, ask, standing, "waiting");
  }
}
