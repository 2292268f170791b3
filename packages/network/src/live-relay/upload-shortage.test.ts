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

test("a connection that carries less than is written is found with the fourth look, and fine once it carried all for 20", () => {
  const looks = found([...times(6, [100 * KIB, 60 * KIB] as const), ...times(30, [50 * KIB, 52 * KIB] as const)]);
  expect(looks.indexOf(true)).toBe(3);
  expect(looks.lastIndexOf(true)).toBeGreaterThanOrEqual(6 + 18);
  expect(looks.lastIndexOf(true)).toBeLessThanOrEqual(6 + 20);
});

test("one that carries all is fine, though a large picture takes a while", () => {
  const still = times(4, [5 * KIB, 5 * KIB] as const);
  const slide = [...still, [300 * KIB, 100 * KIB] as const, [5 * KIB, 205 * KIB] as const];
  expect(found(times(10, slide).flat())).not.toContain(true);
});

test("of next to nothing nothing is said", () => {
  expect(found(times(10, [6 * KIB, 0] as const))).not.toContain(true);
});
