import { Histogram } from "@sealcast/metrics";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { WorkerLoad } from "./worker-load.ts";

test("work at the same time counts once, and work that goes on counts up to now", () => {
  const clock = new ManualClock();
  const load = new WorkerLoad(clock);
  load.begin();
  clock.advance(milli(10));
  load.begin();
  clock.advance(milli(5));
  load.end();
  load.end();
  clock.advance(milli(100));
  expect(load.report()).toMatchObject({ busy: 15, lived: 115 });
  load.begin();
  clock.advance(milli(7));
  expect(load.report()).toMatchObject({ busy: 22, lived: 122 });
});

test("how long frames waited, in microseconds", () => {
  const load = new WorkerLoad();
  load.waited(milli(0.012));
  const waits = new Histogram();
  waits.merge(load.report().waits);
  expect([waits.count, waits.quantile(1)]).toEqual([1, 12]);
});

test("frames' times are kept while someone asks, and for five seconds more", () => {
  const clock = new ManualClock();
  const load = new WorkerLoad(clock);
  expect(load.isWatched).toBe(false);
  load.watch();
  clock.advance(milli(4_999));
  expect(load.isWatched).toBe(true);
  clock.advance(milli(1));
  expect(load.isWatched).toBe(false);
});
