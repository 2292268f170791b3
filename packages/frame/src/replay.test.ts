import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ReplayWindow } from "./index.ts";

const numRuns = Number(process.env.FUZZ_SLOW_RUNS ?? 300);

/** What the window promises, in the plainest form. */
class SlowWindow {
  readonly #seen = new Set<bigint>();
  #highest = -1n;

  mark(counter: bigint): boolean {
    if (this.#seen.has(counter) || counter <= this.#highest - 1024n) return false;
    this.#seen.add(counter);
    if (counter > this.#highest) this.#highest = counter;
    return true;
  }
}

/** Walks of small steps, steps about the window's size, and leaps, from a start that may be past 2^32. */
const walks = fc
  .tuple(
    fc.constantFrom(0n, 2n ** 31n - 600n, 2n ** 32n - 600n, 2n ** 50n),
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
      at = at + BigInt(step) < 0n ? 0n : at + BigInt(step);
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
    for (let counter = 0n; counter < 3000n; counter++) {
      expect(window.mark(counter)).toBe(true);
      expect(window.mark(counter)).toBe(false);
    }
    expect(window.highest).toBe(2999n);
  });

  test("reaches back 1024 counters, the highest included", () => {
    const window = new ReplayWindow();
    window.mark(5000n);
    expect(window.fresh(5000n - 1023n)).toBe(true);
    expect(window.fresh(5000n - 1024n)).toBe(false);
  });

  test("fresh changes nothing: a forged counter does not move the window", () => {
    const window = new ReplayWindow();
    window.mark(0n);
    expect(window.fresh(2n ** 40n)).toBe(true);
    expect(window.highest).toBe(0n);
    expect(window.mark(1n)).toBe(true);
  });

  test("of two frames with one counter opened at the same time, one is marked", () => {
    const window = new ReplayWindow();
    expect([window.fresh(7n), window.fresh(7n)]).toEqual([true, true]);
    expect([window.mark(7n), window.mark(7n)]).toEqual([true, false]);
  });

  test("a window that takes over refuses everything at or below the highest", () => {
    const window = new ReplayWindow(2000n);
    for (let counter = 0n; counter <= 2000n; counter++) expect(window.fresh(counter)).toBe(false);
    expect(window.mark(2002n)).toBe(true);
    expect(window.fresh(2000n)).toBe(false);
    expect(window.fresh(2001n)).toBe(true);
  });

  test.each([2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n])("counter %s is never fresh", (counter) => {
    const window = new ReplayWindow();
    expect(window.fresh(counter)).toBe(false);
    expect(window.mark(counter)).toBe(false);
    expect(window.fresh(2n ** 53n - 1n)).toBe(true);
  });
});
