import { Histogram } from "@sealcast/metrics";
import { expect, test } from "vitest";
import { WorkerLoad } from "./worker-load.ts";

test("work at the same time counts once, and work that goes on counts up to now", () => {
  let now = 100;
  const load = new WorkerLoad(() => now);
  load.begin();
  now += 10;
  load.begin();
  now += 5;
  load.end();
  load.end();
  now += 100;
  expect(load.report()).toMatchObject({ busy: 15, lived: 115 });
  load.begin();
  now += 7;
  expect(load.report()).toMatchObject({ busy: 22, lived: 122 });
});

test("how long frames waited, in microseconds", () => {
  const load = new WorkerLoad(() => 0);
  load.waited(0.012);
  const waits = new Histogram();
  waits.merge(load.report().waits);
  expect([waits.count, waits.quantile(1)]).toEqual([1, 12]);
});

test("frames' times are kept while somebody asks, and for five seconds more", () => {
  let now = 0;
  const load = new WorkerLoad(() => now);
  expect(load.isWatched).toBe(false);
  load.watch();
  now = 4_999;
  expect(load.isWatched).toBe(true);
  now = 5_000;
  expect(load.isWatched).toBe(false);
});
