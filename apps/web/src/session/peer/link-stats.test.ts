import { expect, test, vi } from "vitest";
import { LinkStats } from "./link-stats.ts";

test("who looks gets what was read last, and nothing is read for them", async () => {
  const entry = { id: "a", type: "transport", timestamp: 0 };
  const getStats = vi.fn(async () => new Map([["a", entry]]) as unknown as RTCStatsReport);
  const stats = new LinkStats({ getStats });
  expect(stats.latest.entries).toEqual([]);
  const reading = await stats.read();
  expect(reading.entries).toEqual([entry]);
  expect(stats.latest).toBe(reading);
  expect(getStats).toHaveBeenCalledOnce();
});

test("of a connection that is closed nothing is read", async () => {
  const stats = new LinkStats({ getStats: () => Promise.reject(new DOMException("closed", "InvalidStateError")) });
  expect((await stats.read()).entries).toEqual([]);
});
