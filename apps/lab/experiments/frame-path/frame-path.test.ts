import { expect, test } from "vitest";
import { type Passage, pair } from "./frame-path.ts";

const passage = (rtpTimestamp: number, us: number, bytes: number): Passage => ({ rtpTimestamp, us, bytes });

test("a frame's seal and open are found by its timestamp", () => {
  const sealed = [passage(1, 10, 120), passage(2, 11, 230), passage(3, 12, 340)];
  const opened = [passage(2, 5, 206), passage(3, 6, 316)];
  expect(pair(sealed, opened)).toEqual([
    { sealUs: 11, openUs: 5, bytes: 206, added: 24 },
    { sealUs: 12, openUs: 6, bytes: 316, added: 24 },
  ]);
});

test("frames that were only sealed or only opened are left out", () => {
  expect(pair([passage(2, 1, 1), passage(4, 2, 1)], [passage(1, 1, 1), passage(3, 1, 1), passage(4, 3, 1)])).toEqual([
    { sealUs: 2, openUs: 3, bytes: 1, added: 0 },
  ]);
});

test("frames with one timestamp are told apart by their order", () => {
  const sealed = [passage(7, 1, 10), passage(7, 2, 20), passage(8, 3, 30)];
  const opened = [passage(7, 4, 8), passage(7, 5, 18), passage(8, 6, 28)];
  expect(pair(sealed, opened).map(({ sealUs, openUs }) => [sealUs, openUs])).toEqual([
    [1, 4],
    [2, 5],
    [3, 6],
  ]);
});

test("timestamps that begin again at 0 are paired", () => {
  const sealed = [passage(2 ** 32 - 3000, 1, 9), passage(0, 2, 9)];
  expect(pair(sealed, [passage(2 ** 32 - 3000, 3, 9), passage(0, 4, 9)])).toHaveLength(2);
});
