import { ManualClock, milli } from "@sealcast/time";
import { afterEach, expect, test, vi } from "vitest";
import { Lifetime } from "./lifetime.ts";
import { onNetworkChange } from "./network-change.ts";

const page = new EventTarget();
afterEach(() => vi.unstubAllGlobals());

function watching(connection?: EventTarget & { type: string }) {
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  vi.stubGlobal("navigator", { connection });
  const clock = new ManualClock();
  const life = new Lifetime(clock);
  const changed = vi.fn();
  const wall = { slept: 0 };
  onNetworkChange(life, changed, () => 1e12 + clock.now() + wall.slept);
  return { clock, life, changed, wall };
}

test("says so once when the page is online again, and no more at the end", () => {
  const { clock, life, changed } = watching();
  page.dispatchEvent(new Event("online"));
  page.dispatchEvent(new Event("online"));
  expect(changed).toHaveBeenCalledTimes(1);
  clock.advance(milli(2_000));
  expect(changed).toHaveBeenCalledTimes(2);
  life.end();
  page.dispatchEvent(new Event("online"));
  clock.advance(milli(60_000));
  expect(changed).toHaveBeenCalledTimes(2);
});

test("says so on another network, not when the same one is faster or slower, nor when there is none", () => {
  const connection = Object.assign(new EventTarget(), { type: "wifi" });
  const { clock, changed } = watching(connection);
  const becomes = (type: string) => {
    clock.advance(milli(5_000));
    connection.type = type;
    connection.dispatchEvent(new Event("change"));
    return changed.mock.calls.length;
  };
  expect(["wifi", "none", "cellular", "cellular", "wifi"].map(becomes)).toEqual([0, 0, 1, 1, 2]);
});

test("says so after the computer slept, and not after a page that was busy for a while", () => {
  const { clock, changed, wall } = watching();
  clock.advance(milli(10_000));
  wall.slept = 8_000;
  clock.advance(milli(3_000));
  expect(changed).not.toHaveBeenCalled();
  wall.slept += 60_000;
  clock.advance(milli(1_000));
  expect(changed).toHaveBeenCalledTimes(1);
});
