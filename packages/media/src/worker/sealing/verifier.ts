import { equal } from "@sealcast/bytes";
import { verify } from "@sealcast/crypto";
import {
  type Batch,
  type DropReason,
  ReplayWindow,
  type SignedBatch,
  type Source,
  sealedKid,
  signedMessage,
  streamOf,
  unpackKid,
} from "@sealcast/frame";
import { type Clock, dropOldest, type Milli, milli } from "@sealcast/time";
import { MOST_BATCHES } from "../../shared/latest-batches.ts";
import type { Verdict } from "../../shared/messages.ts";
import type { Keyring } from "./keyring.ts";

/**
 * [Note: Batches] All viewers of a stream hold one frame key, so a tag does not say who sealed a frame: its sender signs, too.
 * A signature for each frame would cost 64 bytes and a public-key operation a frame. So the sender signs batches of digests,
 * which travel beside the frames and come later:
 *
 *     0 s               0.5 s                           2 s                                  15 s
 *     frame is shown    its batch is signed and sent    without its digest, nothing opens    the track is forged
 *
 * - A frame is shown when it opens. To wait for its batch would delay every stream by half a second and more.
 * - The 1.5 s between are for the network: a lost packet sent again, a page that is busy.
 * - Batches go through both pages, frames do not. Where a page stands still, frames come and their batches do not: what is shut
 *   opens again once they are here. Only a digest that is another, or one that never comes, makes a track forged.
 * - Both times are counted in steps of a timer. On a machine that slept, timers run before the batches that waited with
 *   them are read; one timer is one step, so such a machine accuses nobody.
 * - A worker that dies leaves frames unsigned. Its successor signs an empty batch that ends the dead stream.
 */
const STEP = milli(250);
const SHUT_AFTER = 8;
const FORGED_AFTER = 60;
/** More than any encoder makes in 2 s. */
const MOST_UNSIGNED = 1024;
/** Counters of a stream, up to the highest that was signed, whose digests are kept for when their frames come. */
const DIGESTS = 1024;
/** Streams of one track whose batches are told apart: one for each epoch of each sealing transform. */
const MOST_STREAMS = 32;
/** Sealing transforms that died with their workers. */
const MOST_ENDED = 32;
/** Batches at a time whose signatures are being checked, or wait for the key to come: all that were kept, and as many that come meanwhile. */
const MOST_CHECKS = 2 * MOST_BATCHES;

/** What was signed under one KID in one epoch. */
interface Signed {
  readonly epoch: number;
  /** Of batches. */
  readonly numbers: ReplayWindow;
  /** By counter: a frame may come after its batch, or never. */
  readonly digests: Map<number, { readonly digest: Uint8Array; readonly came: Milli }>;
  /** The counters from which on, and up to which, something was signed; none below `first` is kept. */
  first: number;
  last: number;
}

/** A frame that was opened and shown, and that nothing vouches for yet. */
interface Unsigned {
  readonly name: string;
  readonly stream: bigint;
  readonly step: number;
  /** Null until it is computed. */
  digest: Uint8Array | null;
  /** What its sender signed; null until that came. */
  signed: Uint8Array | null;
}

/**
 * Holds what was opened on one track against what its sender signed. Others hold the same frame key: while a frame is not signed
 * 2 s after it opened, nothing opens. One that is signed otherwise, or not within 15 s, was not made by the sender, and the track
 * opens nothing any more.
 */
export class Verifier {
  readonly #keyring: Keyring;
  readonly #from: { leaf: number; source: Source };
  readonly #clock: Clock;
  readonly #judged: (verdict: Verdict) => void;
  readonly #late: Milli;
  /** Opened and not signed, oldest first. By epoch, KID and counter. */
  readonly #unsigned = new Map<string, Unsigned>();
  /** By epoch and KID. */
  readonly #signed = new Map<string, Signed>();
  readonly #ended = new Set<bigint>();
  #step = 0;
  #isTicking = false;
  #checks = 0;
  /** Done when all batches so far count. They do so in the order in which they came, however long each check takes: see `opened`. */
  #taken: Promise<void> = Promise.resolve();
  #verdict: Verdict;

  /**
   * `judged` hears each verdict that differs from the one before. `isForged`: the track was found out before. `late`: a frame that comes
   * so long after its signature was held back on its way, and does not count as signed any more.
   */
  constructor(
    keyring: Keyring,
    from: { leaf: number; source: Source },
    clock: Clock,
    judged: (verdict: Verdict) => void,
    { isForged = false, late = milli(Number.POSITIVE_INFINITY) } = {},
  ) {
    this.#keyring = keyring;
    this.#from = from;
    this.#clock = clock;
    this.#judged = judged;
    this.#late = late;
    this.#verdict = isForged ? "forged" : "signed";
  }

  /** Why no frame under this KID may be opened; null: it may. */
  refusal(kid: bigint): DropReason | null {
    if (this.#verdict === "forged") return "forged";
    if (this.#keyring.signer(this.#from.leaf) === null) return "no-key";
    return this.#verdict === "unsigned" || this.#ended.has(streamOf(kid)) ? "unsigned" : null;
  }

  /** A frame that authenticated. Null: it may be shown; from now on it has to be signed. */
  opened(epoch: number, kid: bigint, counter: number, digest: Promise<Uint8Array>): DropReason | null {
    const refused = this.refusal(kid);
    if (refused !== null) return refused;
    const from = nameOf({ epoch, kid: sealedKid(kid) });
    const known = this.#signed.get(from);
    const signed = this.#digestOf(known, counter);
    // Once later ones are signed its own batch has come and gone, or is lost: a relay that gives such a frame must not have its sender accused.
    if (signed === null && known !== undefined && counter <= known.last) return "unsigned";
    if (this.#unsigned.size === MOST_UNSIGNED) {
      this.#judge("forged");
      return "forged";
    }
    const name = `${from} ${counter}`;
    const frame: Unsigned = { name, stream: streamOf(kid), step: this.#step, digest: null, signed };
    this.#unsigned.set(name, frame);
    void this.#compute(frame, digest);
    this.#tickOn();
    return null;
  }

  #digestOf(known: Signed | undefined, counter: number): Uint8Array | null {
    const kept = known?.digests.get(counter);
    return kept === undefined || this.#clock.now() - kept.came >= this.#late ? null : kept.digest;
  }

  /** A batch from anywhere, which came then. One that is not of this track's sender, or no news, changes nothing. Waits for the key. */
  async take({ batch, body, signature }: SignedBatch, came: Milli = this.#clock.now()): Promise<void> {
    const { leaf, source } = unpackKid(batch.kid);
    if (leaf !== this.#from.leaf || source !== this.#from.source) return;
    if (this.#verdict === "forged" || this.#checks === MOST_CHECKS || this.#isKnown(batch)) return;
    this.#checks++;
    const isTheirs = this.#isTheirs(body, signature).finally(() => this.#checks--);
    const taken = this.#taken.then(async () => {
      if (await isTheirs) this.#count(batch, came);
    });
    this.#taken = taken.catch(() => undefined);
    return taken;
  }

  #count(batch: Batch, came: Milli): void {
    if (batch.digests.length === 0) return this.#end(streamOf(batch.kid));
    const signed = this.#signedOf(batch);
    if (signed.numbers.mark(batch.number)) this.#keep(signed, batch, came);
  }

  #isKnown(batch: Batch): boolean {
    if (batch.digests.length === 0) return this.#ended.has(streamOf(batch.kid));
    return this.#signed.get(nameOf(batch))?.numbers.fresh(batch.number) === false;
  }

  async #isTheirs(body: Uint8Array, signature: Uint8Array): Promise<boolean> {
    const { key, context } = await this.#keyring.signerKnown(this.#from.leaf);
    return verify(key, signedMessage(context, body), signature);
  }

  async #compute(frame: Unsigned, digest: Promise<Uint8Array>): Promise<void> {
    frame.digest = await digest;
    this.#compare(frame);
  }

  #keep(signed: Signed, batch: Batch, came: Milli): void {
    const { first, digests } = batch;
    const from = nameOf(batch);
    for (const [index, digest] of digests.entries()) {
      signed.digests.set(first + index, { digest, came });
      const frame = this.#unsigned.get(`${from} ${first + index}`);
      if (frame === undefined) continue;
      frame.signed = digest;
      this.#compare(frame);
    }
    signed.last = Math.max(signed.last, first + digests.length - 1);
    signed.first = Math.max(Math.min(signed.first, first), signed.last - DIGESTS + 1);
    for (const counter of signed.digests.keys()) if (counter < signed.first) signed.digests.delete(counter);
  }

  #compare(frame: Unsigned): void {
    const { name, digest, signed } = frame;
    if (digest === null || signed === null || !this.#unsigned.has(name)) return;
    if (!equal(digest, signed)) return this.#judge("forged");
    this.#unsigned.delete(name);
    this.#look();
  }

  #signedOf(batch: Batch): Signed {
    const known = this.#signed.get(nameOf(batch));
    if (known !== undefined) return known;
    const [numbers, digests] = [new ReplayWindow(), new Map()];
    const signed: Signed = { epoch: batch.epoch, numbers, digests, first: Number.POSITIVE_INFINITY, last: -1 };
    this.#signed.set(nameOf(batch), signed);
    if (this.#signed.size > MOST_STREAMS) this.#signed.delete(this.#earliest());
    return signed;
  }

  /** Of the lowest epoch: who sends batches of former epochs once more has none of the present one forgotten. */
  #earliest(): string {
    const streams = [...this.#signed];
    return streams.reduce((least, stream) => (stream[1].epoch < least[1].epoch ? stream : least))[0];
  }

  /** Frames of a stream that ended unsigned stay without a verdict; none of it opens any more. */
  #end(stream: bigint): void {
    this.#ended.add(stream);
    dropOldest(this.#ended, MOST_ENDED);
    for (const [name, frame] of this.#unsigned) if (frame.stream === stream) this.#unsigned.delete(name);
    this.#look();
  }

  #tickOn(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.#clock.after(STEP, () => {
      this.#isTicking = false;
      this.#step++;
      this.#look();
      if (this.#unsigned.size > 0) this.#tickOn();
    });
  }

  /** The verdict follows from the oldest frame that nothing vouches for. */
  #look(): void {
    const [oldest] = this.#unsigned.values();
    const waited = oldest === undefined ? 0 : this.#step - oldest.step;
    this.#judge(waited >= FORGED_AFTER ? "forged" : waited >= SHUT_AFTER ? "unsigned" : "signed");
  }

  #judge(verdict: Verdict): void {
    if (this.#verdict === verdict || this.#verdict === "forged") return;
    this.#verdict = verdict;
    if (verdict === "forged") {
      this.#unsigned.clear();
      this.#signed.clear();
    }
    this.#judged(verdict);
  }
}

function nameOf({ epoch, kid }: Pick<Batch, "epoch" | "kid">): string {
  return `${epoch} ${kid}`;
}
