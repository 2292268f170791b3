import { concat } from "@sealcast/bytes";
import { random, sign } from "@sealcast/crypto";
import {
  type Batch,
  encodeBatch,
  LAST_NUMBER,
  MOST_DIGESTS,
  packKid,
  type Source,
  sealedKid,
  signedMessage,
} from "@sealcast/frame";
import { type Clock, milli } from "@sealcast/time";
import type { Keyring } from "./keyring.ts";

/** The oldest frame of a batch waits this long for its signature (see [Note: Batches]). */
const BATCH_EVERY = milli(500);

/** Frames under one KID, one counter after the other, whose batch is not full yet. */
interface Run extends Pick<Batch, "kid" | "epoch" | "first"> {
  digests: Promise<Uint8Array>[];
}

/** Signs the frames of one sealing transform, in batches. */
export class Signer {
  readonly #keyring: Keyring;
  readonly #clock: Clock;
  readonly #out: (batch: Uint8Array<ArrayBuffer>) => void;
  #run: Run | null = null;
  /** Starts at a random number: a later receiver does not learn for how long frames were signed. */
  #number = new DataView(random(4).buffer).getUint32(0) >>> 1;

  /** `out` gets every signed batch, for all receivers of the frames. */
  constructor(keyring: Keyring, clock: Clock, out: (batch: Uint8Array<ArrayBuffer>) => void) {
    this.#keyring = keyring;
    this.#clock = clock;
    this.#out = out;
  }

  /** A frame that goes out: it is in a batch within half a second. */
  add(epoch: number, kid: bigint, counter: number, digest: Promise<Uint8Array>): void {
    const run = this.#runFor(epoch, sealedKid(kid), counter);
    run.digests.push(digest);
    if (run.digests.length === MOST_DIGESTS) this.#close(run);
  }

  /** Says that these sealing transforms died with their worker: their frames that are not signed yet never will be. */
  async disown(source: Source, instances: readonly number[]): Promise<void> {
    await this.#keyring.sendable(true);
    const { sending } = this.#keyring;
    if (sending === null) return;
    const { number: epoch, leaf } = sending;
    for (const instance of instances) {
      const kid = packKid({ instance, source, sealed: true, leaf, epoch });
      await this.#sign({ kid, epoch, number: LAST_NUMBER, first: 0, digests: [] });
    }
  }

  #runFor(epoch: number, kid: bigint, counter: number): Run {
    const run = this.#run;
    if (run?.kid === kid && run.epoch === epoch && run.first + run.digests.length === counter) return run;
    if (run !== null) this.#close(run);
    const begun: Run = { kid, epoch, first: counter, digests: [] };
    this.#run = begun;
    this.#clock.after(BATCH_EVERY, () => this.#close(begun));
    return begun;
  }

  #close(run: Run): void {
    if (this.#run !== run) return;
    this.#run = null;
    void this.#finish(run, this.#number++);
  }

  async #finish({ kid, epoch, first, digests }: Run, number: number): Promise<void> {
    await this.#sign({ kid, epoch, number, first, digests: await Promise.all(digests) });
  }

  async #sign(batch: Batch): Promise<void> {
    const { signing } = this.#keyring;
    if (signing === null) return;
    const body = encodeBatch(batch);
    this.#out(concat(body, await sign(signing.key, signedMessage(signing.context, body))));
  }
}
