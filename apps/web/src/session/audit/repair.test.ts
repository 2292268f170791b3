import type { DropReason } from "@sealcast/frame";
import type { Attachment, TrackReport } from "@sealcast/media";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Proven, Sample } from "./browser-counters.ts";
import { Repair } from "./repair.ts";

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

function mending() {
  const mended = { rejoin: vi.fn(), healed: vi.fn() };
  return { mended, repair: new Repair(mended, clock) };
}

function attachment() {
  return {
    id: "t1",
    renewals: 0,
    ready: Promise.resolve(),
    renew: vi.fn(),
    needKeyFrame: vi.fn(),
    release: vi.fn(),
  } satisfies Attachment;
}

type Counts = Partial<Pick<Sample, "passed" | "refused" | "renewals" | "counted">>;

/** A sample of Ada's camera as it comes in here. */
function sample(of: Attachment, counts: Counts, why: DropReason = "bad-tag"): Sample {
  const refused = [{ why, epoch: null, count: counts.refused ?? 0 }];
  const report = { id: of.id, refused } as unknown as TrackReport;
  const peer = { name: "Ada" } as Sample["peer"];
  const line = { source: "camera", kind: "video" } as Sample["line"];
  const counted = { wire: 0, before: 0, after: 0, bytes: 0, waiting: 0 };
  return {
    peer,
    line,
    direction: "received",
    attachment: of,
    renewals: 0,
    report,
    counted,
    passed: 0,
    refused: 0,
    late: 0,
    leftOut: 0,
    ...counts,
  };
}

/** Examines one sample after another, each half a second after the last and beside that of a second ago. */
function examine(repair: Repair, samples: Sample[], leaf = 0): void {
  for (const [at, each] of samples.entries()) {
    repair.examine([[each, samples[at - 2] ?? null]], leaf);
    clock.advance(milli(500));
  }
}

describe("repair", () => {
  it("leaves what works alone", () => {
    const { mended, repair } = mending();
    const track = attachment();
    const at = (half: number) => ({
      passed: 30 * half,
      counted: { wire: 0, before: 90 * half, after: 30 * half, bytes: 0, waiting: 0 },
    });
    examine(
      repair,
      [0, 1, 2, 3, 4, 5].map((half) => sample(track, at(half))),
    );
    expect([track.renew, track.needKeyFrame, mended.rejoin, mended.healed].flatMap((f) => f.mock.calls)).toEqual([]);
  });

  it("leaves a track alone on which nothing comes", () => {
    const { repair } = mending();
    const track = attachment();
    examine(
      repair,
      [1, 2, 3, 4, 5].map(() => sample(track, { passed: 7 })),
    );
    expect(track.renew).not.toHaveBeenCalled();
  });

  it.each([
    [4, 0],
    [5, 1],
  ])("sets a transform again that does nothing while packets come: after %i samples %i times", (samples, times) => {
    const { mended, repair } = mending();
    const track = attachment();
    const at = (half: number) => ({ counted: { wire: 0, before: 90 * half, after: 0, bytes: 0, waiting: 0 } });
    examine(
      repair,
      Array.from({ length: samples }, (_, half) => sample(track, at(half))),
    );
    expect(track.renew).toHaveBeenCalledTimes(times);
    expect(mended.healed.mock.calls).toEqual(times === 0 ? [] : [[{ what: "track", who: "Ada" }]]);
  });

  it("mends a camera that gives five pictures a second, too", () => {
    const { repair } = mending();
    const [sent, received] = [attachment(), { ...attachment(), id: "t2" }];
    const counted = { wire: 0, before: 0, after: 0, bytes: 0, waiting: 0 };
    const encoded = (half: number) => ({ counted: { ...counted, before: Math.floor(2.5 * half) } });
    const times = [0, 1, 2, 3, 4];
    examine(
      repair,
      times.map((half) => ({ ...sample(sent, encoded(half)), direction: "sent" })),
    );
    examine(
      repair,
      times.map((half) => sample(received, { passed: Math.floor(2.5 * half), counted: { ...counted, after: 5 } })),
    );
    expect([sent.renew.mock.calls.length, received.needKeyFrame.mock.calls.length]).toEqual([1, 1]);
  });

  it("asks for a key frame where frames open and none is shown", () => {
    const { mended, repair } = mending();
    const track = attachment();
    const at = (half: number) => ({
      passed: 30 * half,
      counted: { wire: 0, before: 90 * half, after: 5, bytes: 0, waiting: 0 },
    });
    examine(
      repair,
      [0, 1, 2, 3, 4].map((half) => sample(track, at(half))),
    );
    expect(track.needKeyFrame).toHaveBeenCalledTimes(1);
    expect(mended.healed).toHaveBeenCalledWith({ what: "picture", who: "Ada" });
  });

  it("has what does not open of a call's relay come directly, and joins for it no group afresh", () => {
    const { mended, repair } = mending();
    const track = attachment();
    const link = { restart: vi.fn() };
    const of = (half: number) => sample(track, { refused: 30 * half });
    examine(
      repair,
      Array.from({ length: 8 }, (_, half) => ({
        ...of(half),
        ...{ peer: { name: "Ada", link } as unknown as Sample["peer"] },
        ...{ line: { source: "camera", kind: "video", isRelayed: true } as Sample["line"] },
      })),
    );
    expect([link.restart.mock.calls.length, mended.rejoin.mock.calls.length]).toEqual([1, 0]);
  });

  it("joins afresh where frames do not open, not more often than every ten seconds", () => {
    const { mended, repair } = mending();
    const track = attachment();
    const refusing = Array.from({ length: 18 }, (_, half) => sample(track, { refused: 30 * half }));
    examine(repair, refusing);
    expect(mended.rejoin).toHaveBeenCalledTimes(1);
    expect(mended.healed).toHaveBeenCalledWith({ what: "keys", who: "Ada" });
  });

  it("joins afresh four times, and then once in two minutes, for whose frames never open: everybody else's connection is made again each time", () => {
    const { mended, repair } = mending();
    const track = attachment();
    const minutes = (many: number) => {
      const refusing = Array.from({ length: many * 120 }, (_, half) => sample(track, { refused: 30 * half }));
      examine(repair, refusing);
      return mended.rejoin.mock.calls.length;
    };
    expect(minutes(2)).toBe(4);
    const before = minutes(60);
    expect(before).toBeLessThanOrEqual(4 + 30 + 1);
    clock.advance(milli(3_600_000));
    expect(minutes(1) - before, "so often again once it was quiet").toBe(4);
  });

  it("waits longer where the key may only be on its way", () => {
    const { mended, repair } = mending();
    const track = attachment();
    const refusing = (halves: number, why: DropReason) =>
      Array.from({ length: halves }, (_, half) => sample(track, { refused: 30 * half }, why));
    examine(repair, refusing(10, "unknown-epoch"));
    expect(mended.rejoin).not.toHaveBeenCalled();
    examine(repair, refusing(12, "unknown-epoch"));
    expect(mended.rejoin).toHaveBeenCalledTimes(1);
  });

  it.each(["unsigned", "forged"] as const)("makes no other keys, nor another try, where all that came is %s", (why) => {
    const { repair, mended } = mending();
    const of = attachment();
    const unsigned = Array.from({ length: 40 }, (_, half) => sample(of, { refused: 10 * half }, why));
    examine(repair, unsigned);
    expect(mended.rejoin).not.toHaveBeenCalled();
    expect(mended.healed).not.toHaveBeenCalled();
  });

  it("lets a member of a lower leaf go first", () => {
    const { mended, repair } = mending();
    const track = attachment();
    const refusing = (halves: number) =>
      Array.from({ length: halves }, (_, half) => sample(track, { refused: 30 * half }));
    examine(repair, refusing(10), 1);
    expect(mended.rejoin).not.toHaveBeenCalled();
    examine(repair, refusing(11), 1);
    expect(mended.rejoin).toHaveBeenCalledTimes(1);
  });

  it("sets everything up again for a person who asks", () => {
    const { mended, repair } = mending();
    const [sent, received, restart] = [attachment(), attachment(), vi.fn()];
    const peer = { lines: [{ sent, received }], link: { restart } } as unknown as Proven;
    repair.all([peer]);
    expect([sent.renew, received.renew, restart, mended.rejoin].map((f) => f.mock.calls.length)).toEqual([1, 1, 1, 1]);
  });

  it("does not compare across a fresh transform", () => {
    const { repair } = mending();
    const track = attachment();
    const at = (half: number) => ({
      renewals: half,
      counted: { wire: 0, before: 90 * half, after: 0, bytes: 0, waiting: 0 },
    });
    examine(
      repair,
      [0, 1, 2, 3].map((half) => sample(track, at(half))),
    );
    expect(track.renew).not.toHaveBeenCalled();
  });
});
