import { ManualClock, milli } from "@sealcast/time";
import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { LinkBudget } from "./link-budget.ts";

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

/** A budget of a link that carries this many bits per second, with all that it may save up. */
function budget(estimate: number): LinkBudget {
  return new LinkBudget(clock, estimate);
}

const frame = (layer: number, bytes: number) => ({ layer, data: new ArrayBuffer(bytes) });

it("leaves room for sound and headers", () => {
  expect(budget(1_000_000).rate).toBe(770_000);
  expect(budget(50_000).rate).toBe(100_000);
});

it("leaves out the highest layer first, then the one below, then stops", () => {
  const of = budget(1_000_000);
  const full = of.rate / 8;
  expect(of.take(frame(0, Math.ceil(0.69 * full)))).toBe(true);
  expect(of.take(frame(2, Math.ceil(0.02 * full))), "less than the reserve is left").toBe(false);
  expect(of.take(frame(1, Math.ceil(0.15 * full)))).toBe(true);
  expect(of.take(frame(1, Math.ceil(0.05 * full)))).toBe(false);
  expect(of.take(frame(0, Math.floor(0.1 * full)))).toBe(true);
  expect(of.take(frame(0, Math.ceil(0.1 * full)))).toBe(false);
});

it("leaves out what builds on a frame that was left out, up to the next of layer 0", () => {
  const of = budget(1_000_000);
  const full = of.rate / 8;
  of.take(frame(0, Math.ceil(0.8 * full)));
  expect(of.take(frame(1, Math.ceil(0.1 * full)))).toBe(false);
  clock.advance(milli(2_000));
  expect(of.take(frame(2, 1)), "it builds on the one before").toBe(false);
  expect(of.take(frame(0, 1))).toBe(true);
  expect(of.take(frame(2, 1))).toBe(true);
});

it("a frame of the highest layer that was left out leaves nothing else out", () => {
  const of = budget(1_000_000);
  of.take(frame(0, Math.ceil(0.72 * (of.rate / 8))));
  expect(of.take(frame(2, 1_000))).toBe(false);
  expect(of.take(frame(1, 1_000))).toBe(true);
  clock.advance(milli(1_000));
  expect(of.take(frame(2, 1_000))).toBe(true);
});

it("what was saved on a fast link does not count when it turns slow", () => {
  const of = budget(2_000_000);
  of.estimate(300_000);
  const most = of.rate / 8;
  expect(of.take(frame(0, most + 1))).toBe(false);
  expect(of.take(frame(0, Math.floor(most)))).toBe(true);
  expect(of.isRecovered).toBe(false);
  clock.advance(milli(600));
  expect(of.isRecovered).toBe(true);
});

it("however slow a link is, a small key frame fits in what it saves, and it is slow to save that", () => {
  const of = budget(0);
  expect(of.take(frame(0, 16_000))).toBe(true);
  clock.advance(milli(600));
  expect(of.isRecovered).toBe(false);
  clock.advance(milli(100));
  expect(of.isRecovered).toBe(true);
});

it("whatever is offered, over any time no more goes than the estimate allows, and a second's savings or a key frame", () => {
  const step = fc.record({ wait: fc.nat(200), layer: fc.nat(2), bytes: fc.nat(60_000) });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_000_000 }), fc.array(step, { maxLength: 80 }), (estimate, steps) => {
      clock = new ManualClock();
      const of = new LinkBudget(clock, estimate);
      const gone: { at: number; bytes: number }[] = [];
      for (const { wait, layer, bytes } of steps) {
        clock.advance(milli(wait));
        if (of.take(frame(layer, bytes))) gone.push({ at: clock.now(), bytes });
      }
      for (const [from, first] of gone.entries()) {
        let sum = 0;
        for (const { at, bytes } of gone.slice(from)) {
          sum += bytes;
          const seconds = (at - first.at) / 1_000 + 1;
          const rate = Math.max(estimate, 100_000) / 8;
          expect(sum).toBeLessThanOrEqual(rate * (seconds - 1) + Math.max(rate, 16_000));
        }
      }
    }),
  );
});

it("a key frame that is larger than a second's savings goes where room is made for it, and the next once it was saved up", () => {
  const of = budget(1_000_000);
  const large = frame(0, 4 * (of.rate / 8));
  expect(of.take(large)).toBe(false);
  of.makeRoom(large.data.byteLength);
  expect(of.take(large)).toBe(true);
  expect(of.take(large)).toBe(false);
  clock.advance(milli(4_100));
  expect(of.take(large)).toBe(true);
  of.makeRoom(0);
  clock.advance(milli(60_000));
  expect(of.take(large)).toBe(false);
});

it("room that is made and taken away again gives no more than time does", () => {
  const of = budget(1_000_000);
  const second = of.rate / 8;
  let taken = 0;
  for (let times = 0; times < 100; times++) {
    of.makeRoom(times % 2 === 0 ? 4 * second : 0);
    if (of.take(frame(0, second / 2))) taken += second / 2;
    clock.advance(milli(100));
  }
  expect(taken).toBeLessThan((10 + 4) * second);
});
