import { expect, test } from "vitest";
import { latencyOf } from "./latency.ts";

const seen = (time: number, presented: number) => ({ stamp: { time }, presented });

test("quantiles of pictures in any order", () => {
  const sightings = Array.from({ length: 200 }, (_, i) => seen(1_000 + i, 1_000 + i + 200 - i));
  expect(latencyOf(sightings)).toEqual({ p50: 100, p95: 190, p99: 198, frames: 200, readFailures: 0 });
});

test("a picture that is shown again counts once, with the time when it was first shown", () => {
  expect(latencyOf([seen(1, 11), seen(1, 51)])).toMatchObject({ p50: 10, p99: 10, frames: 1 });
});

test("pictures that could not be read are counted, and change no quantile", () => {
  const unread = { stamp: null, presented: 5 };
  expect(latencyOf([seen(1, 11), unread, unread])).toMatchObject({ p50: 10, frames: 1, readFailures: 2 });
  expect(latencyOf([unread])).toEqual({ p50: NaN, p95: NaN, p99: NaN, frames: 0, readFailures: 1 });
});
