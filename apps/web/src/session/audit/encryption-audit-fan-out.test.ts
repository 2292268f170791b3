import type { FanOutReport, MediaPool, TrackReport } from "@sealcast/media";
import { expect, test } from "vitest";
import type { Sample } from "./browser-counters.ts";
import { EncryptionAudit } from "./encryption-audit.ts";

const TRACK = { id: "t1" } as Sample["attachment"];

/** This person's picture on the link to Ben, of which the browser says that it sent `sent` frames. */
function picture(sent: number, report: Partial<TrackReport>): Sample {
  return {
    peer: { name: "Ben", state: "connected" } as Sample["peer"],
    line: { source: "camera", kind: "video" } as Sample["line"],
    direction: "sent",
    attachment: TRACK,
    renewals: 0,
    report: { refused: [], readable: 0, carried: 0, ...report } as TrackReport,
    counted: { wire: sent, before: sent, after: sent, bytes: 0, waiting: 0 },
    passed: report.frames ?? 0,
    refused: 0,
    late: 0,
    leftOut: report.leftOut ?? 0,
  };
}

function fanOut(frames: number, count = 0, why = "unknown-codec"): FanOutReport {
  const refused = count === 0 ? [] : [{ why, count }];
  return {
    source: "camera",
    sizes: [],
    frames,
    paused: ["t1"],
    encoders: [{ width: 640, height: 360, frames, links: ["1", "2"], refused }],
  };
}

function judge(sample: Sample, now: FanOutReport, before: FanOutReport = now) {
  const proof = new EncryptionAudit({} as MediaPool);
  // It takes two samples that agree.
  const fanOuts = { now: [now], before: [before] };
  proof.judge([[sample, sample]], fanOuts, 1);
  return proof.judge([[sample, sample]], fanOuts, 1);
}

test("stand-ins that were swapped or went nowhere account for every frame that the browser sent", () => {
  const { causes, encoders } = judge(picture(10, { came: 10, frames: 8, carried: 8, leftOut: 2 }), fanOut(9));
  expect(causes).toEqual([]);
  expect(encoders).toEqual([{ source: "camera", lines: 360, people: 2 }]);
});

test("more frames sent by the browser than came to the transform are failing", () => {
  const { state, causes } = judge(picture(11, { came: 10, frames: 8, carried: 8, leftOut: 2 }), fanOut(9));
  expect(state).toBe("failing");
  expect(causes).toMatchObject([{ who: "Ben", track: "camera", why: "sent-unsealed", count: 1 }]);
});

test("more frames in stand-ins' places than were ever sealed are failing", () => {
  const { causes } = judge(picture(10, { came: 10, frames: 10, carried: 10 }), fanOut(9));
  expect(causes).toMatchObject([{ why: "sent-unsealed", count: 1 }]);
});

test("a screen's frames are held against what was sealed of the screen, not of the camera", () => {
  const screen = picture(10, { came: 10, frames: 10, carried: 10 });
  screen.line = { source: "screen-picture", kind: "video" };
  const now = [fanOut(100), { ...fanOut(9), source: "screen-picture" as const }];
  const { causes, encoders } = new EncryptionAudit({} as MediaPool).judge([[screen, screen]], { now, before: now }, 1);
  expect(causes).toMatchObject([{ track: "screen-picture", why: "sent-unsealed", count: 1 }]);
  expect(encoders.map(({ source }) => source)).toEqual(["camera", "screen-picture"]);
});

test("an encoder of several links whose frames cannot be sealed is failing; one that left some out is not", () => {
  const carried = picture(10, { came: 10, frames: 10, carried: 10 });
  expect(judge(carried, fanOut(10, 3), fanOut(10, 1)).causes).toMatchObject([{ why: "unknown-codec", count: 3 }]);
  for (const why of ["late", "no-key"])
    expect(judge(carried, fanOut(10, 3, why), fanOut(10, 1, why)).causes).toEqual([]);
  expect(judge(carried, fanOut(12, 3), fanOut(10, 1)).causes).toEqual([]);
});
