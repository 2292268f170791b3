import { ManualClock, milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { LinkStats } from "./link-stats.ts";

test("who looks gets what was read last, and nothing is read for them", async () => {
  const clock = new ManualClock();
  clock.advance(milli(500));
  const entry = { id: "a", type: "transport", timestamp: 0 };
  const getStats = vi.fn(async () => new Map([["a", entry]]) as unknown as RTCStatsReport);
  const stats = new LinkStats({ getStats }, clock);
  expect(stats.latest.entries).toEqual([]);
  const reading = await stats.read();
  expect(reading).toEqual({ at: 500, entries: [entry] });
  expect(stats.latest).toBe(reading);
  expect(getStats).toHaveBeenCalledOnce();
});

test("of a connection that is closed nothing is read", async () => {
  const getStats = () => Promise.reject(new DOMException("closed", "InvalidStateError"));
  const stats = new LinkStats({ getStats }, new ManualClock());
  expect((await stats.read()).entries).toEqual([]);
});
