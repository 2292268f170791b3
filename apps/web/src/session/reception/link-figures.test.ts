import { expect, test } from "vitest";
import type { Stats } from "../peer/link-stats.ts";
import { LinkFigureMeter } from "./link-figures.ts";

const entry = (of: Partial<Stats>): Stats => ({ id: "x", timestamp: 0, type: "inbound-rtp", ...of });

/** After that many readings, each half a second's packets on. */
function reading(step: number, lostEach: number): Stats[] {
  return [
    entry({ kind: "video", packetsReceived: 50 * step, packetsLost: lostEach * step }),
    entry({
      ...{ kind: "audio", packetsReceived: 25 * step, packetsLost: 0, jitter: 0.012 },
      ...{ totalSamplesReceived: 24_000 * step, concealedSamples: 6_000 * step, silentConcealedSamples: 3_600 * step },
    }),
    entry({ type: "remote-inbound-rtp", fractionLost: 0.01 }),
    entry({ type: "candidate-pair", nominated: true, currentRoundTripTime: 0.08, availableOutgoingBitrate: 900_000 }),
  ];
}

test("shares are those of the last seconds, and the silent part of what was made up does not count", () => {
  const meter = new LinkFigureMeter();
  expect(meter.read(reading(0, 25)).lostHere).toBeNaN();
  for (let step = 1; step < 3; step++) meter.read(reading(step, 25));
  const { lostHere, madeUp, ...rest } = meter.read(reading(3, 25));
  expect(lostHere).toBeCloseTo(0.25);
  expect(madeUp).toBeCloseTo(0.1);
  expect(rest).toEqual({ lostThere: 0.01, roundTripMs: 80, jitterMs: 12, carries: 900_000 });
});

test("what was lost long ago does not count", () => {
  const meter = new LinkFigureMeter();
  const after = (step: number) => [
    entry({ kind: "audio", packetsReceived: 100 * step, packetsLost: step === 0 ? 0 : 90 }),
  ];
  expect(meter.read(after(0)).lostHere).toBeNaN();
  expect(meter.read(after(1)).lostHere).toBeGreaterThan(0.4);
  for (let step = 2; step < 12; step++) meter.read(after(step));
  expect(meter.read(after(12)).lostHere).toBe(0);
});

test("without any counters nothing is known", () => {
  const figures = new LinkFigureMeter().read([]);
  expect(figures.lostHere).toBeNaN();
  expect(figures.roundTripMs).toBeNaN();
  expect(figures.carries).toBeNaN();
});
