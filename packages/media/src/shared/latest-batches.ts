import { type SignedBatch, type Source, unpackKid } from "@sealcast/frame";
import { type Milli, milli } from "@sealcast/time";

/** Of one source, which may be sealed in several sizes, and a relay's repetitions come beside it. */
export const MOST_BATCHES = 64;
/** After that no frame of a batch is on its way any more: relays repeat those of 6 s. */
const OF_USE = milli(10_000);

/** A batch of signatures, and when it came. */
export interface CameBatch {
  readonly signed: SignedBatch;
  readonly came: Milli;
}

/**
 * The latest batches of signatures of each source of each leaf, for tracks and workers that are yet to come. What one leaf says takes no
 * place from what others say. None is verified before it is taken.
 */
export class LatestBatches {
  /** By leaf and source: there are 64 and four of these. */
  readonly #bySource = new Map<string, CameBatch[]>();

  add(signed: SignedBatch, came: Milli): void {
    const name = nameOf(unpackKid(signed.batch.kid));
    const kept = this.#bySource.get(name) ?? [];
    kept.push({ signed, came });
    this.#bySource.set(name, kept.filter(isOfUse(came)).slice(-MOST_BATCHES));
  }

  /** The oldest first. */
  of(from: { leaf: number; source: Source }): readonly CameBatch[] {
    return this.#bySource.get(nameOf(from)) ?? [];
  }

  /** Of each source the oldest first. */
  all(now: Milli): readonly CameBatch[] {
    return [...this.#bySource.values()].flat().filter(isOfUse(now));
  }
}

const isOfUse =
  (now: Milli) =>
  ({ came }: CameBatch): boolean =>
    now - came <= OF_USE;

const nameOf = ({ leaf, source }: { leaf: number; source: Source }): string => `${leaf} ${source}`;
