import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { RepeatedTrack } from "./repeated-track.ts";

/** Says a number each half second; groups are those that a relay would have. */
function track() {
  const clock = new ManualClock();
  const groups: number[][] = [];
  let hasSession = true;
  const repeated = new RepeatedTrack(([said = -1], startsGroup) => {
    if (!hasSession) return false;
    if (startsGroup) groups.push([]);
    groups.at(-1)?.push(said);
    return true;
  }, clock);
  let number = 0;
  const say = (count: number) => {
    for (let i = 0; i < count; i++, clock.advance(milli(500))) repeated.write(Uint8Array.of(number++));
  };
  const lose = (is: boolean) => {
    hasSession = !is;
  };
  return { repeated, groups, say, lose };
}

test("whoever comes gets all of the last six seconds with the newest group, and what follows once", () => {
  const { groups, say } = track();
  say(40);
  const newest = groups.at(-1)!;
  expect(newest).toEqual(Array.from({ length: newest.length }, (_, i) => 40 - newest.length + i));
  expect(newest.length).toBeGreaterThanOrEqual(12);
  for (const group of groups) expect(group.length).toBeLessThanOrEqual(12 + 4);
});

test("what is said without a session is said once there is one", () => {
  const { repeated, groups, say, lose } = track();
  lose(true);
  say(3);
  expect(groups).toEqual([]);
  lose(false);
  repeated.starts();
  say(1);
  expect(groups).toEqual([[0, 1, 2, 3]]);
});

test("a flood takes no more room than there is", () => {
  const { repeated, groups } = track();
  for (let i = 0; i < 1_000; i++) repeated.write(Uint8Array.of(i % 256));
  repeated.starts();
  repeated.write(Uint8Array.of(7));
  expect(groups.at(-1)?.length).toBe(256);
});
