import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it, vi } from "vitest";
import { CodecChoice } from "./codec-choice.ts";

const ALL = ["video/h264", "video/vp8", "video/vp9", "video/av1"];
const [H264, VP8, VP9, AV1] = ALL.map((codec) => [codec]) as [string[], string[], string[], string[]];

let clock: ManualClock;
let choice: CodecChoice;
const due = vi.fn();
beforeEach(() => {
  clock = new ManualClock();
  due.mockReset();
  begin();
});

function begin(): void {
  choice = new CodecChoice(clock, due);
}

/** The codec of each, in order, and the shared one; `others` are named by their place. */
function chosen(others: (string[] | null)[], own = ALL): { each: (string | null)[]; shared: string | null } {
  const each = choice.choose(own, new Map(others.map((said, at) => [`${at}`, said])));
  return { each: [...each.values()], shared: choice.shared };
}

it("is the most preferred that all decode, of the two that every browser has one of", () => {
  expect(chosen([])).toEqual({ each: [], shared: "video/h264" });
  expect(chosen([ALL, null, ALL])).toEqual({ each: Array(3).fill("video/h264"), shared: "video/h264" });
  clock.advance(milli(5_000));
  expect(chosen([ALL, VP8.concat(VP9), ALL])).toEqual({ each: Array(3).fill("video/vp8"), shared: "video/vp8" });
});

it("is nobody's to move to a costlier one: who decodes nothing else gets an encoder of their own", () => {
  expect(chosen([ALL, AV1, ALL])).toEqual({ each: ["video/h264", "video/av1", "video/h264"], shared: "video/h264" });
  expect(chosen([ALL, AV1, ALL, VP9]).each).toEqual(["video/h264", "video/av1", "video/h264", "video/vp9"]);
});

it("costs two encoders more at most: no video goes to more who decode none of the ordinary ones, nor to who decodes nothing", () => {
  expect(chosen([AV1, VP9, AV1, VP9, ALL]).each).toEqual(["video/av1", "video/vp9", null, null, "video/h264"]);
  begin();
  expect(chosen([[], ALL]).each).toEqual([null, "video/h264"]);
  begin();
  expect(chosen([["video/x"], ALL]).each).toEqual([null, "video/h264"]);
});

it("is the one that most have, where they have none in common", () => {
  expect(chosen([VP8, H264, VP8])).toEqual({ each: ["video/vp8", "video/h264", "video/vp8"], shared: "video/vp8" });
});

it("is any that all decode where this browser has none of the ordinary ones", () => {
  expect(chosen([AV1.concat(VP9), AV1], AV1)).toEqual({ each: ["video/av1", "video/av1"], shared: "video/av1" });
  begin();
  expect(chosen([VP9], VP9)).toEqual({ each: ["video/vp9"], shared: "video/vp9" });
});

it("goes by what each said first, as long as they are here", () => {
  chosen([ALL, ALL]);
  for (const said of [VP8, AV1, [], ALL, VP8]) {
    clock.advance(milli(60_000));
    expect(chosen([ALL, said]).each).toEqual(["video/h264", "video/h264"]);
  }
  chosen([ALL]);
  clock.advance(milli(60_000));
  expect(chosen([ALL, VP8]).each, "someone else by now").toEqual(["video/vp8", "video/vp8"]);
});

it("changes at most once in 5 s, no matter who comes and goes; meanwhile who lacks it has an encoder of their own", () => {
  chosen([ALL]);
  clock.advance(milli(5_000));
  expect(chosen([ALL, VP8]).shared).toBe("video/vp8");
  let changes = 0;
  let last = choice.shared;
  for (let tenths = 0; tenths < 49; tenths++) {
    clock.advance(milli(100));
    chosen(tenths % 2 === 0 ? [ALL] : [ALL, VP8]);
    if (choice.shared !== last) changes++;
    last = choice.shared;
  }
  expect(changes).toBe(0);
  expect(chosen([ALL]).shared).toBe("video/vp8");
  expect(due).not.toHaveBeenCalled();
  clock.advance(milli(100));
  expect(due).toHaveBeenCalledOnce();
  expect(chosen([ALL]).shared).toBe("video/h264");
  expect(chosen([ALL, VP8]).each).toEqual(["video/h264", "video/vp8"]);
});

it("puts nothing off any more once it is closed", () => {
  chosen([ALL]);
  chosen([VP8]);
  choice.close();
  clock.advance(milli(60_000));
  expect(due).not.toHaveBeenCalled();
});
