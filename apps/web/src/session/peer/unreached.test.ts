import type { LinkState } from "@sealcast/network";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { Unreached } from "./unreached.ts";

test("no way is found where there was none for fifteen seconds, and a way that comes ends it", () => {
  const clock = new ManualClock();
  const unreached = new Unreached<{ state: LinkState }>(clock);
  const [ada, ben] = [{ state: "connecting" as LinkState }, { state: "connected" as LinkState }];
  const after = (seconds: number) => {
    clock.advance(milli(1_000 * seconds));
    return unreached.examine([ada, ben]);
  };
  expect(after(0)).toEqual([]);
  expect(after(14)).toEqual([]);
  expect(after(1)).toEqual([ada]);
  ada.state = "connected";
  ben.state = "reconnecting";
  expect(after(1)).toEqual([]);
  expect(after(15)).toEqual([ben]);
  ada.state = "reconnecting";
  expect(after(1)).toEqual([ben]);
});
