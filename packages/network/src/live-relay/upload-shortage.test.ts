import { expect, test } from "vitest";
import { UploadShortage } from "./upload-shortage.ts";

const KIB = 1024;

/** What it finds, look after look, where so much is written and sent in each second. */
function found(seconds: readonly (readonly [written: number, sent: number])[]): boolean[] {
  const shortage = new UploadShortage();
  const sums = { written: 0, sent: 0 };
  return seconds.map(([written, sent]) => {
    sums.written += written;
    sums.sent += sent;
    return shortage.examine(sums.written, sums.sent);
  });
}

const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of);

test("a connection that carries less than is written is found within five looks, and fine again once it carries all", () => {
  const looks = found([...times(6, [100 * KIB, 60 * KIB] as const), ...times(6, [50 * KIB, 52 * KIB] as const)]);
  expect(looks.slice(0, 6)).toEqual([false, false, false, false, true, true]);
  expect(looks.at(-1)).toBe(false);
});

test("one that carries all is fine, though a large picture takes longer than a second", () => {
  const seconds = times(10, [
    [100 * KIB, 102 * KIB] as const,
    [180 * KIB, 100 * KIB] as const,
    [20 * KIB, 102 * KIB] as const,
  ]).flat();
  expect(found(seconds)).not.toContain(true);
});

test("of next to nothing nothing is said", () => {
  expect(found(times(10, [6 * KIB, 0] as const))).not.toContain(true);
});
