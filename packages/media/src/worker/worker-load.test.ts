import { Histogram } from "@sealcast/metrics";
import { expect, test } from "vitest";
import { WorkerLoad } from "./worker-load.ts";

test("work at the same time counts once, and work that goes on counts up to now", () => {
  let now = 100;
  const gauge = new WorkerLoad(() => now);
  gauge.begin();
  now += 10;
  gauge.begin();
  now += 5;
  gauge.end();
  gauge.end();
  now += 100;
  expect(gauge.report()).toMatchObject({ busy: 15, lived: 115 });
  gauge.begin();
  now += 7;
  expect(gauge.report()).toMatchObject({ busy: 22, lived: 122 });
});

test("how long frames waited, in microseconds", () => {
  const gauge = new WorkerLoad(() => 0);
  gauge.waited(0.012);
  const waits = new Histogram();
  waits.merge(gauge.report().waits);
  expect([waits.count, waits.quantile(1)]).toEqual([1, 12]);
});

test("frames' times are kept while somebody asks, and for five seconds more", () => {
  let now = 0;
  const gauge = new WorkerLoad(() => now);
  expect(gauge.isWatched).toBe(false);
  gauge.watch();
  now = 4_999;
  expect(gauge.isWatched).toBe(true);
  now = 5_000;
  expect(gauge.isWatched).toBe(false);
});
