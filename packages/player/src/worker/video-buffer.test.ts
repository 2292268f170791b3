import { milli } from "@sealcast/time";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlayerFrame } from "../shared/messages.ts";
import { Drops } from "./drops.ts";
import { VideoBuffer } from "./video-buffer.ts";

/** Frames of 40 ms in groups of 25, named by their number. */
const frame = (group: number, index: number, bytes = 100): PlayerFrame => ({
  track: "video",
  group,
  index,
  timestampUs: 40_000 * (25 * group + index),
  data: new Uint8Array(bytes),
  receivedAtMs: milli(0),
});
const timeOf = (group: number, index: number) => 40 * (25 * group + index);

function filled(frames: readonly (readonly [number, number])[]) {
  const drops = new Drops();
  const buffer = new VideoBuffer(drops);
  for (const [group, index] of frames) buffer.push(frame(group, index));
  const take = (playedMs: number, aheadMs = 100) => {
    const taken = buffer.take(playedMs, aheadMs);
    return taken === null ? null : ([taken.group, taken.index] as const);
  };
  const all = (playedMs: number) => {
    const taken: (readonly [number, number])[] = [];
    for (let one = take(playedMs); one !== null; one = take(playedMs)) taken.push(one);
    return taken;
  };
  return { buffer, drops: drops.counts, take, all };
}
const whole = (group: number, count = 25) => Array.from({ length: count }, (_, index) => [group, index] as const);

test("frames go to the decoder a little before their time, one group after the other", () => {
  const { take, all, drops } = filled([...whole(0), ...whole(1)]);
  expect([take(-200), take(-100), take(-100)]).toEqual([null, [0, 0], null]);
  const taken: (readonly [number, number])[] = [];
  for (let at = -100; at < 2_000; at += 10) taken.push(...all(at));
  expect(taken).toEqual([...whole(0), ...whole(1)].slice(1));
  expect(drops).toEqual({});
});

test("a key frame waits for frames before it that are missing, until its time", () => {
  const { buffer, take, all, drops } = filled([...whole(0, 20), [1, 0]]);
  expect(all(timeOf(0, 20))).toEqual(whole(0, 20));
  expect(take(timeOf(1, 0) - 40)).toBeNull();
  buffer.push(frame(0, 20));
  expect(take(timeOf(1, 0) - 40)).toEqual([0, 20]);
  expect(take(timeOf(1, 0) - 20)).toEqual([1, 0]);
  buffer.push(frame(0, 21));
  expect(drops).toEqual({ late: 1 });
});

test("a late group is skipped once a newer one is due", () => {
  const { all, drops } = filled([...whole(0, 10), ...whole(1), ...whole(2)]);
  expect(all(timeOf(2, 3))).toEqual(whole(2, 6));
  expect(drops).toEqual({ late: 35 });
});

test("of a late group nobody can skip all is decoded, to get to the present", () => {
  const { all, drops } = filled(whole(0));
  expect(all(timeOf(0, 20))).toEqual(whole(0, 23));
  expect(drops).toEqual({});
});

test("what follows a missing frame goes, up to the next group", () => {
  const { all, drops } = filled([...whole(0, 5), [0, 6], [0, 5], [0, 7], ...whole(1, 2)]);
  expect(all(timeOf(1, 1))).toEqual(whole(1, 2));
  expect(drops).toEqual({ "incomplete-group": 3, late: 5 });
});

test("a frame that came twice, and groups that are over, are not played", () => {
  const { buffer, all } = filled([...whole(3, 2), [3, 1], ...whole(2), ...whole(3)]);
  expect(all(timeOf(3, 1))).toEqual(whole(3, 2));
  buffer.push(frame(2, 0));
  expect(all(1e9)).toEqual([]);
});

test("after a decoder's fault, the next group is next", () => {
  const { buffer, take, all, drops } = filled([...whole(0), ...whole(1)]);
  take(0);
  buffer.leaveGroup();
  buffer.push(frame(0, 25));
  expect(all(timeOf(1, 0))).toEqual(whole(1, 3));
  expect(drops).toEqual({ undecodable: 24, late: 1 });
});

test("of too many frames or bytes the oldest groups go", () => {
  const many = filled(Array.from({ length: 30 }, (_, group) => whole(group)).flat());
  expect(many.drops).toEqual({ overflow: 150 });
  expect(many.take(timeOf(6, 0))).toEqual([6, 0]);
  const { buffer, drops, take } = filled([]);
  for (let group = 0; group < 10; group++) buffer.push(frame(group, 0, 4 << 20));
  expect(drops).toEqual({ overflow: 2 });
  expect(take(timeOf(2, 0))).toEqual([2, 0]);
});

test("whatever comes in whatever order, each frame that is taken follows the one before in its group, or begins a later one", () => {
  const act = fc.oneof(
    fc.record({ push: fc.tuple(fc.nat(6), fc.nat(8)) }),
    fc.record({ group: fc.nat(6), length: fc.nat(12) }),
    fc.record({ play: fc.nat(7_000) }),
    fc.constant({ leave: true }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const { buffer, all, drops } = filled([]);
      let pushed = 0;
      const taken: (readonly [number, number])[] = [];
      const push = (group: number, index: number) => {
        pushed++;
        buffer.push(frame(group, index));
      };
      for (const each of acts) {
        if ("push" in each) push(...each.push);
        else if ("group" in each) for (let index = 0; index < each.length; index++) push(each.group, index);
        else if ("play" in each) taken.push(...all(each.play));
        else buffer.leaveGroup();
      }
      for (const [at, [group, index]] of taken.entries()) {
        const [groupBefore, indexBefore] = taken[at - 1] ?? [-1, -1];
        expect(group === groupBefore ? index === indexBefore + 1 : group > groupBefore && index === 0).toBe(true);
      }
      buffer.clear("late");
      expect(taken.length + Object.values(drops).reduce((sum, count) => sum + count, 0)).toBe(pushed);
    }),
  );
});
