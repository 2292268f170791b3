import type { Milli } from "@sealcast/time";

/** How payloads are cut on this machine. Sizes in bytes. */
export interface ChunkPlan {
  /** A smaller payload is one chunk: spreading it over workers would cost more than it gives. */
  splitFrom: number;
  /** No chunk of a larger payload is longer. */
  chunkBytes: number;
}

const KIB = 1024;
/** Where chunks run fastest: smaller ones pay for the hop to a worker, larger ones for memory that is not in the cache. */
const CHUNK_BYTES = [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB];
const LARGE = 2048 * KIB;
const SPLIT_FROM = [128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB];
/** The first round warms up. */
const ROUNDS = 4;

/**
 * Finds the plan by timing. `time` seals that many bytes in chunks of that size. Every case is timed in turn, so that
 * a busy moment falls on all of them, and the median counts.
 */
export async function measurePlan(time: (bytes: number, chunkBytes: number) => Promise<Milli>): Promise<ChunkPlan> {
  const large = CHUNK_BYTES.map((chunkBytes) => ({ bytes: LARGE, chunkBytes, times: [] as number[] }));
  const pairs = SPLIT_FROM.map((bytes) => ({
    bytes,
    whole: { bytes, chunkBytes: bytes, times: [] as number[] },
    halves: { bytes, chunkBytes: bytes / 2, times: [] as number[] },
  }));
  const cases = [...large, ...pairs.flatMap(({ whole, halves }) => [whole, halves])];
  for (let round = 0; round < ROUNDS; round++)
    for (const { bytes, chunkBytes, times } of cases) {
      const took = await time(bytes, chunkBytes);
      if (round > 0) times.push(took);
    }
  const fastest = large.reduce((best, next) => (median(next.times) < median(best.times) ? next : best));
  const lastLoss = pairs.findLastIndex(({ whole, halves }) => median(halves.times) >= median(whole.times));
  return { chunkBytes: fastest.chunkBytes, splitFrom: pairs[lastLoss + 1]?.bytes ?? LARGE };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.POSITIVE_INFINITY;
}
