import { expect, test } from "vitest";
import { lastKept } from "./experiment.ts";

const swept = (...lags: number[]) =>
  lags.map((lag, i) => ({ mbitPerS: 10 * (i + 1), run: { packets: 1, dueMs: 100, tookMs: 100 + lag } }));

test("a bandwidth is kept when the lag at the end is under 5 % of the schedule", () => {
  expect(lastKept(swept(0, 4.9, 5.1, 30))).toBe(20);
});

test("one that was missed in a busy moment does not hide those kept above it", () => {
  expect(lastKept(swept(0, 9, 1, 30))).toBe(30);
});

test("where none was kept, the search begins at the sweep's first", () => {
  expect(lastKept(swept(20, 30))).toBe(1);
});
