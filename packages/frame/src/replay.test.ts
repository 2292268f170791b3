import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ReplayWindow } from "./index.ts";

const numRuns = Number(process.env.FUZZ_SLOW_RUNS ?? 300);

/** What the window promises, in the plainest form. */
class SlowWindow {
  readonly #seen = new Set<number>();
  #highest = -1;

  mark(counter: number): boolean {
    if (this.#seen.has(counter) || counter <= this.#highest - 1024) return false;
    this.#seen.add(counter);
    if (counter > this.#highest) this.#highest = counter;
    return true;
  }
}

/** Walks of small steps, steps about the window's size, and leaps, from a start that may be past 2^32. */
const walks = fc
  .tuple(
    fc.constantFrom(0, 2 ** 31 - 600, 2 ** 32 - 600, 2 ** 50),
    fc.array(
      fc.oneof(
        fc.integer({ min: -40, max: 40 }),
        fc.integer({ min: -1100, max: 1100 }),
        fc.constantFrom(-1025, -1024, -1023, 1023, 1024, 1025, 100_000),
      ),
      { maxLength: 300 },
    ),
  )
  .map(([start, steps]) => {
    let at = start;
    return steps.map((step) => {
      at = Math.max(0, at + step);
      return at;
    });
  });

describe("ReplayWindow", () => {
  test("agrees with a set of all counters seen", () => {
    fc.assert(
      fc.property(walks, (counters) => {
        const window = new ReplayWindow();
        const slow = new SlowWindow();
        for (const counter of counters) {
          const fresh = slow.mark(counter);
          if (window.fresh(counter) !== fresh || window.fresh(counter) !== fresh || window.mark(counter) !== fresh)
            throw new Error(`counter ${counter} is ${fresh ? "" : "not "}fresh`);
        }
      }),
      { numRuns },
    );
  });

  test("each counter passes once, in order", () => {
    const window = new ReplayWindow();
    for (let counter = 0; counter < 3000; counter++) {
      expect(window.mark(counter)).toBe(true);
      expect(window.mark(counter)).toBe(false);
    }
    expect(window.highest).toBe(2999);
  });

  test("reaches back 1024 counters, the highest included", () => {
    const window = new ReplayWindow();
    window.mark(5000);
    expect(window.fresh(5000 - 1023)).toBe(true);
    expect(window.fresh(5000 - 1024)).toBe(false);
  });

  test("fresh changes nothing: a forged counter does not move the window", () => {
    const window = new ReplayWindow();
    window.mark(0);
    expect(window.fresh(2 ** 40)).toBe(true);
    expect(window.highest).toBe(0);
    expect(window.mark(1)).toBe(true);
  });

  test("of two frames with one counter opened at the same time, one is marked", () => {
    const window = new ReplayWindow();
    expect([window.fresh(7), window.fresh(7)]).toEqual([true, true]);
    expect([window.mark(7), window.mark(7)]).toEqual([true, false]);
  });

  test("a window that takes over refuses everything at or below the highest", () => {
    const window = new ReplayWindow(2000);
    for (let counter = 0; counter <= 2000; counter++) expect(window.fresh(counter)).toBe(false);
    expect(window.mark(2002)).toBe(true);
    expect(window.fresh(2000)).toBe(false);
    expect(window.fresh(2001)).toBe(true);
  });

  test.each([2 ** 53, 2 ** 64])("counter %s is never fresh", (counter) => {
    const window = new ReplayWindow();
    expect(window.fresh(counter)).toBe(false);
    expect(window.mark(counter)).toBe(false);
    expect(window.fresh(2 ** 53 - 1)).toBe(true);
  });
});
