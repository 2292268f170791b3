import { equal } from "@sealcast/bytes";
import { verify } from "@sealcast/crypto";
import {
  type DropReason,
  ReplayWindow,
  type SignedBatch,
  type Source,
  sealedKid,
  signedMessage,
  streamOf,
  unpackKid,
} from "@sealcast/frame";
import { type Clock, dropOldest, milli } from "@sealcast/time";
import type { Keyring } from "./keyring.ts";

/**
 * [Note: Batches] All viewers of a stream hold one frame key, so a tag does not say who sealed a frame: its sender signs, too.
 * A signature for each frame would cost 64 bytes and a public-key operation a frame. So the sender signs batches of digests,
 * which travel beside the frames and come later:
 *
 *     0 s               0.5 s                                2 s
 *     frame is shown    its batch is signed and sent         without its digest, the track is forged
 *
 * - A frame is shown when it opens. To wait for its batch would delay every stream by half a second and more.
 * - The 1.5 s between are for the network: a lost packet sent again, a page that is busy.
 * - The 2 s are counted in eight steps of a timer. On a machine that slept, timers run before the batches that waited with
 *   them are read; one timer is one step, so such a machine accuses nobody.
 * - A worker that dies leaves frames unsigned. Its successor signs an empty batch that ends the dead stream.
 */
const STEP = milli(250);
const PATIENCE_STEPS = 8;
/** More than any encoder makes in 2 s. */
const MOST_UNSIGNED = 1024;
/** Frames whose digests are kept for when they come: as many as a replay window still lets in. */
const MOST_DIGESTS = 1024;
/** Streams of one track whose batches are told apart: one for each epoch of each sealing transform. */
const MOST_STREAMS = 32;
/** Sealing transforms that died with their workers. */
const MOST_ENDED = 32;
/** Batches at a time whose signatures are being checked, or wait for the key to come. */
const MOST_CHECKS = 64;

/** A frame that was opened and shown, and that nothing vouches for yet. */
interface Unsigned {
  readonly stream: bigint;
  readonly step: number;
  /** Null until it is computed. */
  digest: Uint8Array | null;
}

/**
 * Holds what was opened on one track against what its sender signed. Others hold the same frame key: a frame that is signed
 * otherwise, or that nobody signed within 2 s, was not made by the sender, and the track opens nothing any more.
 */
export class Verifier {
  readonly #keyring: Keyring;
  readonly #from: { leaf: number; source: Source };
  readonly #clock: Clock;
  readonly #accused: () => void;
  /** Opened and not signed, oldest first. By epoch, KID and counter, as are the next. */
  readonly #unsigned = new Map<string, Unsigned>();
  /** What was signed lately, oldest first: a frame may come after its batch, or never. */
  readonly #digests = new Map<string, Uint8Array>();
  readonly #numbers = new Map<string, ReplayWindow>();
  readonly #ended = new Set<bigint>();
  #step = 0;
  #isTicking = false;
  #checks = 0;
  #isForged: boolean;

  /** `accused` is called once. `isForged`: the track was found out before. */
  constructor(
    keyring: Keyring,
    from: { leaf: number; source: Source },
    clock: Clock,
    accused: () => void,
    isForged = false,
  ) {
    this.#keyring = keyring;
    this.#from = from;
    this.#clock = clock;
    this.#accused = accused;
    this.#isForged = isForged;
  }

  /** Why no frame under this KID may be opened; null: it may. */
  refusal(kid: bigint): DropReason | null {
    if (this.#isForged) return "forged";
    if (this.#keyring.signer(this.#from.leaf) === null) return "no-key";
    return this.#ended.has(streamOf(kid)) ? "unsigned" : null;
  }

  /** A frame that authenticated. Null: it may be shown; from now on it has to be signed. */
  opened(epoch: number, kid: bigint, counter: number, digest: Promise<Uint8Array>): DropReason | null {
    const refused = this.refusal(kid);
    if (refused !== null) return refused;
    if (this.#unsigned.size === MOST_UNSIGNED) {
      this.#accuse();
      return "forged";
    }
    const name = nameOf(epoch, sealedKid(kid), counter);
    const frame: Unsigned = { stream: streamOf(kid), step: this.#step, digest: null };
    this.#unsigned.set(name, frame);
    void this.#compute(name, frame, digest);
    this.#tickOn();
    return null;
  }

  /** A batch from anywhere. One that is not of this track's sender, or no news, changes nothing. Waits for the key. */
  async take({ batch, body, signature }: SignedBatch): Promise<void> {
    const { leaf, source } = unpackKid(batch.kid);
    if (leaf !== this.#from.leaf || source !== this.#from.source) return;
    const name = `${batch.epoch} ${batch.kid}`;
    const { number } = batch;
    if (this.#isForged || this.#checks === MOST_CHECKS || this.#numbers.get(name)?.fresh(number) === false) return;
    this.#checks++;
    const isTheirs = await this.#isTheirs(body, signature).finally(() => this.#checks--);
    if (!isTheirs || !this.#window(name).mark(number)) return;
    if (batch.digests.length === 0) return this.#end(streamOf(batch.kid));
    for (const [index, digest] of batch.digests.entries())
      this.#signed(nameOf(batch.epoch, batch.kid, batch.first + index), digest);
  }

  async #isTheirs(body: Uint8Array, signature: Uint8Array): Promise<boolean> {
    const { key, context } = await this.#keyring.signerKnown(this.#from.leaf);
    return verify(key, signedMessage(context, body), signature);
  }

  async #compute(name: string, frame: Unsigned, digest: Promise<Uint8Array>): Promise<void> {
    frame.digest = await digest;
    this.#compare(name);
  }

  #signed(name: string, digest: Uint8Array): void {
    this.#digests.set(name, digest);
    this.#compare(name);
    dropOldest(this.#digests, MOST_DIGESTS);
  }

  #compare(name: string): void {
    const digest = this.#unsigned.get(name)?.digest;
    const signed = this.#digests.get(name);
    if (!digest || signed === undefined) return;
    if (!equal(digest, signed)) return this.#accuse();
    this.#unsigned.delete(name);
  }

  #window(name: string): ReplayWindow {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const window = new ReplayWindow();
    this.#numbers.set(name, window);
    dropOldest(this.#numbers, MOST_STREAMS);
    return window;
  }

  /** Frames of a stream that ended unsigned stay without a verdict; none of it opens any more. */
  #end(stream: bigint): void {
    this.#ended.add(stream);
    dropOldest(this.#ended, MOST_ENDED);
    for (const [name, frame] of this.#unsigned) if (frame.stream === stream) this.#unsigned.delete(name);
  }

  #tickOn(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.#clock.after(STEP, () => {
      this.#isTicking = false;
      this.#step++;
      const [oldest] = this.#unsigned.values();
      if (oldest === undefined) return;
      if (this.#step - oldest.step >= PATIENCE_STEPS) this.#accuse();
      else this.#tickOn();
    });
  }

  #accuse(): void {
    this.#isForged = true;
    this.#unsigned.clear();
    this.#digests.clear();
    this.#accused();
  }
}

function nameOf(epoch: number, kid: bigint, counter: number): string {
  return `${epoch} ${kid} ${counter}`;
}
