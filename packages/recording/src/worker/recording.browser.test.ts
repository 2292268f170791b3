import { concat } from "@sealcast/bytes";
import { type Clock, type Milli, milli, systemClock } from "@sealcast/time";
import { afterEach, expect, it, vi } from "vitest";
import { indexOf } from "../shared/fragments.ts";
import type { FromRecorder } from "../shared/messages.ts";
import { MemorySource } from "../shared/recorded.cases.ts";
import { Recording } from "./recording.ts";

const SHAPE = { width: 320, height: 180, framesPerSecond: 15 };
const SLOW = { timeout: 20_000 };

let recording: Recording;
afterEach(() => recording.abandon());

function record({ clock = systemClock as Clock, mostBehindBytes = 2 ** 20 } = {}) {
  const heard: FromRecorder[] = [];
  // No sound at all comes from this one.
  const sound = new ReadableStream<AudioData>();
  recording = new Recording(SHAPE, sound, clock, (message) => heard.push(message), mostBehindBytes);
  recording.show([{ name: "Ann", picture: null }], []);
  const of = <T extends FromRecorder["type"]>(type: T) =>
    heard.filter((message): message is Extract<FromRecorder, { type: T }> => message.type === type);
  return {
    of,
    bytes: () => of("append").reduce((sum, { bytes }) => sum + bytes.length, 0),
    progress: () => of("progress").at(-1),
  };
}

it("writes fragments where no sound comes", async () => {
  const { of } = record();
  await recording.start();
  await vi.waitFor(() => expect(of("append").length).toBeGreaterThan(2), SLOW);
});

/** Stands still while this computer is busy with something else: no picture is late by it. */
function unhurried(): Clock {
  let now = milli(0);
  const passed = (delay: Milli, fn: () => void) => () => {
    now = milli(now + delay);
    fn();
  };
  return { now: () => now, after: (delay, fn) => systemClock.after(delay, passed(delay, fn)) };
}

it("loses less than two seconds, whenever it is ended", async () => {
  const { of } = record({ clock: unhurried() });
  await recording.start();
  await vi.waitFor(() => expect(of("append").length).toBeGreaterThan(3), SLOW);
  const appends = of("append");
  for (const [n, { seconds }] of appends.entries()) {
    if (n < 2) continue;
    // Just before this append, so much had been recorded; and so much of it was kept.
    const kept = await indexOf(new MemorySource(concat(...appends.slice(0, n).map(({ bytes }) => bytes))));
    expect(seconds - kept.seconds).toBeLessThan(2);
  }
});

it("stands still where the storage is behind, counts what it leaves out, and goes on when that has caught up", async () => {
  const { of, bytes, progress } = record({ mostBehindBytes: 100 });
  await recording.start();
  await vi.waitFor(() => expect(of("append").length).toBe(2), SLOW);
  const [told, written] = [progress()!, bytes()];
  const since = performance.now();
  await vi.waitFor(() => expect(performance.now() - since).toBeGreaterThan(1_500), SLOW);
  expect(bytes()).toBe(written);
  recording.appended(written);
  await vi.waitFor(() => expect(of("append").length).toBe(3), SLOW);
  expect(progress()!.droppedFrames - told.droppedFrames).toBeGreaterThan(SHAPE.framesPerSecond);
  const passed = (performance.now() - since) / 1_000;
  // Of the second and a half nothing is recorded; between two that say how far it is lies half a second.
  expect(progress()!.seconds - told.seconds).toBeLessThan(passed - 0.5);
});

it("takes no time for a sleep of the computer", async () => {
  let slept = 0;
  const clock: Clock = { now: () => milli(systemClock.now() + slept), after: systemClock.after };
  const { progress } = record({ clock });
  await recording.start();
  await vi.waitFor(() => expect(progress()?.seconds).toBeGreaterThan(0.4), SLOW);
  const before = progress()!.seconds;
  slept = 3_600_000;
  await vi.waitFor(() => expect(progress()!.seconds).toBeGreaterThan(before), SLOW);
  expect(progress()!.seconds).toBeLessThan(before + 10);
  expect(progress()!.droppedFrames).toBeGreaterThan(3_500 * SHAPE.framesPerSecond);
});

it("fails where nothing is encoded any more, rather than let sound pile up", async () => {
  const encode = vi.spyOn(VideoEncoder.prototype, "encode").mockImplementation(() => undefined);
  let hurried = 0;
  const clock: Clock = { now: () => milli(systemClock.now() + hurried), after: systemClock.after };
  const { of } = record({ clock });
  await recording.start();
  await vi.waitFor(() => {
    // Less than what counts as a sleep.
    hurried += 1_000;
    expect(of("failed").map(({ reason }) => reason)).toEqual(["Error: Nothing is encoded any more."]);
  }, SLOW);
  await vi.waitFor(() => expect(of("ended").length).toBe(1), SLOW);
  encode.mockRestore();
});

it("may be paused before it begins", async () => {
  const { of } = record();
  recording.pause();
  await recording.start();
  expect(of("progress")).toEqual([]);
  recording.resume();
  await vi.waitFor(() => expect(of("progress").length).toBeGreaterThan(0), SLOW);
});
