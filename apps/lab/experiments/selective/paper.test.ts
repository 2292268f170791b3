import { expect, test } from "vitest";
import { besides, PAPER, rows } from "./paper.ts";

const OURS = [0.1, 0.2, 0.3, 0.4];

test("the paper's whole table is there, its short keys beside nothing of ours", () => {
  const table = besides("enc", PAPER.encMs, { "AES-128": OURS, "AES-256": OURS });
  expect(table.map(({ paper }) => paper)).toEqual([
    ...[1.44, 2.25, 2.77],
    ...[1.54, 2.26, 2.96],
    ...[1.67, 2.42, 3.35, null],
    ...[1.67, 2.42, 3.35, null],
  ]);
  expect(table.map(({ key, ours }) => [key, ours])).toEqual([
    ...Array(3).fill(["32 bits", null]),
    ...Array(3).fill(["64 bits", null]),
    ...OURS.map((figure) => ["AES-128", figure]),
    ...OURS.map((figure) => ["AES-256", figure]),
  ]);
});

test("each rate stands in a row of its own, with the paper's figure where there is one", () => {
  expect(rows("cpu", "AES-256", OURS, [null, 5.32], "why")).toEqual(
    [25, 50, 75, 100].map((percent, i) => ({
      what: "cpu",
      key: "AES-256",
      percent,
      ours: OURS[i],
      paper: percent === 50 ? 5.32 : null,
      note: "why",
    })),
  );
});
