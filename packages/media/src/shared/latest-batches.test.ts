import { packKid, type SignedBatch, type Source } from "@sealcast/frame";
import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { LatestBatches, MOST_BATCHES } from "./latest-batches.ts";

function batch(leaf: number, source: Source, number: number): SignedBatch {
  const kid = packKid({ instance: 5, source, sealed: true, leaf, epoch: 1 });
  const nothing = new Uint8Array();
  return { batch: { kid, epoch: 1, number, first: 0, digests: [] }, body: nothing, signature: nothing };
}

const numbers = (of: ReturnType<LatestBatches["of"]>) => of.map(({ signed }) => signed.batch.number);

test("the latest of each source are kept, with when they came, whatever others say", () => {
  const kept = new LatestBatches();
  kept.add(batch(1, "camera", 7), milli(10));
  kept.add(batch(1, "microphone", 8), milli(20));
  for (let number = 0; number < MOST_BATCHES + 3; number++) kept.add(batch(2, "camera", number), milli(number));
  expect(kept.of({ leaf: 1, source: "camera" })).toEqual([{ signed: batch(1, "camera", 7), came: 10 }]);
  expect(numbers(kept.of({ leaf: 1, source: "microphone" }))).toEqual([8]);
  expect(numbers(kept.of({ leaf: 2, source: "camera" }))).toEqual(
    Array.from({ length: MOST_BATCHES }, (_, at) => at + 3),
  );
  expect(kept.of({ leaf: 2, source: "microphone" })).toEqual([]);
  expect(numbers(kept.all(milli(100)))).toEqual([7, 8, ...numbers(kept.of({ leaf: 2, source: "camera" }))]);
});

test("those that came more than 10 s ago are of no use", () => {
  const kept = new LatestBatches();
  kept.add(batch(1, "camera", 1), milli(0));
  kept.add(batch(1, "camera", 2), milli(5_000));
  kept.add(batch(2, "camera", 3), milli(5_000));
  expect(numbers(kept.all(milli(10_000)))).toEqual([1, 2, 3]);
  expect(numbers(kept.all(milli(10_001)))).toEqual([2, 3]);
  kept.add(batch(1, "camera", 4), milli(12_000));
  expect(numbers(kept.of({ leaf: 1, source: "camera" }))).toEqual([2, 4]);
  expect(numbers(kept.all(milli(16_000)))).toEqual([4]);
});
