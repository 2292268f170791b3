import { expect, test } from "vitest";
import { bracket } from "./bandwidth.ts";

const swept = (...lags: number[]) =>
  lags.map((lag, i) => ({ mbitPerS: 10 * (i + 1), run: { packets: 1, dueMs: 100, tookMs: 100 + lag } }));

test("the search begins between the last bandwidth that was kept and the first one missed after it", () => {
  expect(bracket(swept(0, 4.9, 5.1, 30))).toEqual([20, 30]);
});

test("a bandwidth that was missed in a busy moment does not end the search below what was kept", () => {
  expect(bracket(swept(0, 9, 1, 30))).toEqual([30, 40]);
});

test("there is nothing to search where everything was kept, or nothing", () => {
  expect(bracket(swept(0, 1))).toBeNull();
  expect(bracket(swept(20, 30))).toBeNull();
});
