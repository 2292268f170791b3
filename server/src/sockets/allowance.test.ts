import fc from "fast-check";
import { expect, test } from "vitest";
import { Allowance, type AllowanceShare } from "./allowance.ts";

/** Shares that keep pieces of these sizes. */
function keepers(allowance: Allowance, count: number) {
  return Array.from({ length: count }, () => {
    const pieces: number[] = [];
    const share: AllowanceShare = allowance.share(() => share.use(-(pieces.shift() ?? 0)));
    return {
      share,
      keep: (size: number) => {
        pieces.push(size);
        share.use(size);
      },
    };
  });
}

test("the total holds, whatever is kept, and nobody loses who has less than half of the largest", () => {
  const kept = fc.array(fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 300 })), { maxLength: 200 });
  fc.assert(
    fc.property(kept, (steps) => {
      const allowance = new Allowance(1_000);
      const all = keepers(allowance, 10);
      for (const [who, size] of steps) {
        const before = all.map(({ share }) => share.size);
        all[who]?.keep(size);
        const most = Math.max(...before) + size;
        expect(allowance.used).toBeLessThanOrEqual(1_000);
        expect(allowance.used).toBe(all.reduce((sum, { share }) => sum + share.size, 0));
        for (const [i, { share }] of all.entries())
          if (i !== who && share.size < (before[i] ?? 0)) expect((before[i] ?? 0) * 2).toBeGreaterThan(1_000 / 10);
        expect(most).toBeGreaterThan(0);
      }
    }),
  );
});

test("where one takes most, it alone loses", () => {
  const allowance = new Allowance(1_000);
  const [large, ...small] = keepers(allowance, 5);
  for (const { keep } of small) keep(100);
  for (let i = 0; i < 50; i++) large?.keep(50);
  expect(small.map(({ share }) => share.size)).toEqual([100, 100, 100, 100]);
  expect(large?.share.size).toBe(600);
});

test("of those that take alike, the one that kept nothing new for longest loses", () => {
  const allowance = new Allowance(1_000);
  const [idle, busy, fresh] = keepers(allowance, 3);
  for (const keeper of [busy, idle]) for (let i = 0; i < 4; i++) keeper?.keep(100);
  busy?.keep(50);
  for (let i = 0; i < 3; i++) fresh?.keep(50);
  fresh?.keep(50);
  expect([idle, busy, fresh].map((keeper) => keeper?.share.size)).toEqual([300, 450, 200]);
});

test("what is used within one is used of the wider one, too, and each total holds", () => {
  const wide = new Allowance(500);
  const [narrow, other] = [new Allowance(200, wide), new Allowance(1_000, wide)];
  const [one, two] = [keepers(narrow, 1)[0], keepers(other, 1)[0]];
  for (let i = 0; i < 10; i++) one?.keep(50);
  expect([narrow.used, wide.used]).toEqual([200, 200]);
  for (let i = 0; i < 10; i++) two?.keep(50);
  expect([narrow.used, other.used, wide.used]).toEqual([200, 300, 500]);
});
