import { expect, test } from "vitest";
import { PICTURE_TIMES } from "../shared/messages.ts";
import { type Shown, simulate } from "./simulated.cases.ts";

/** A number between 0 and 1 that looks random, the same for each run. */
const random = (of: number) => Math.abs(Math.sin(of * 12.9898) * 43_758.5453) % 1;
const worst = (values: readonly number[]) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const syncOf = (shown: readonly Shown[]) => worst(shown.flatMap(({ aheadOfSoundMs }) => aheadOfSoundMs ?? []));
const delaysFrom = (shown: readonly Shown[], fromS: number, toS = Number.POSITIVE_INFINITY) =>
  shown.filter(({ atS }) => atS >= fromS && atS < toS).map(({ delayMs }) => delayMs);
const isInOrder = (shown: readonly Shown[]) =>
  shown.every(({ capturedMs }, i) => i === 0 || capturedMs > (shown[i - 1]?.capturedMs ?? 0));
const after = (shown: readonly Shown[], fromS: number) => shown.filter(({ atS }) => atS >= fromS);

test.each([
  [200, -200],
  [-200, 200],
])(
  "an hour with the sender's clock at %d ppm and the sound card's at %d: lips stay in time, and nothing grows",
  (senderPpm, soundCardPpm) => {
    const heap: number[] = [];
    const { shown, figures, events } = simulate({
      seconds: 3_600,
      senderPpm,
      soundCardPpm,
      lateMs: (atS) => 25 * random(atS),
      during: (_, player) => heap.push(player.figures().bufferMs),
    });
    expect(isInOrder(shown)).toBe(true);
    expect(shown.length).toBeGreaterThan(0.999 * 25 * 3_600);
    expect(syncOf(after(shown, 5))).toBeLessThan(40);
    expect(figures.audioUnderruns).toBeLessThan(3);
    expect(Math.max(...heap.slice(60))).toBeLessThan(150);
    expect(Math.abs(figures.driftPpm)).toBeGreaterThan(250);
    expect(Math.abs(figures.driftPpm)).toBeLessThan(550);
    expect(events).toEqual([{ type: "first-picture" }]);
  },
);

test("a quiet connection is played 50 ms after the fastest frames, a smooth one 400", () => {
  const low = delaysFrom(simulate({ seconds: 20 }).shown, 5);
  expect(Math.max(...low)).toBeLessThan(20 + 50 + 40);
  const smooth = delaysFrom(simulate({ seconds: 20, mode: "smoothest" }).shown, 5);
  expect(Math.min(...smooth)).toBeGreaterThan(400);
  expect(Math.max(...smooth)).toBeLessThan(20 + 400 + 40);
});

test("bursts: what comes every 200 ms at once is played evenly", () => {
  const { shown, figures } = simulate({ seconds: 60, lateMs: (atS) => 200 - ((1_000 * atS) % 200) });
  const late = after(shown, 10);
  const gaps = late.slice(1).map(({ atS }, i) => atS - (late[i]?.atS ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(0.1);
  expect(late.length).toBeGreaterThan(0.98 * 25 * 50);
  expect(figures.audioUnderruns).toBeLessThan(5);
});

test("a gap of two seconds: where latency is to be low the present is back at once, else nothing is left out for good", () => {
  const gap = (atS: number) => (atS >= 20 && atS < 22 ? 1_000 * (22 - atS) : 0);
  const low = simulate({ seconds: 60, lateMs: gap });
  expect(isInOrder(low.shown)).toBe(true);
  expect(Math.max(...delaysFrom(low.shown, 24))).toBeLessThan(150);
  expect(syncOf(after(low.shown, 25))).toBeLessThan(40);
  const smooth = simulate({ seconds: 60, mode: "smoothest", lateMs: gap });
  expect(isInOrder(smooth.shown)).toBe(true);
  expect(smooth.shown.length).toBeGreaterThan(0.98 * 25 * 57);
  expect(syncOf(after(smooth.shown, 25))).toBeLessThan(40);
});

test("lost groups are a still of their length; sound goes on, and nothing is late after", () => {
  const { shown, figures } = simulate({
    seconds: 60,
    lateMs: (atS, { track, group }) => (track === "video" && group % 5 === 3 ? null : 10 * random(atS)),
  });
  expect(shown.length).toBeGreaterThan(0.97 * 0.8 * 25 * 60);
  expect(Math.max(...delaysFrom(shown, 5))).toBeLessThan(150);
  expect(figures.audioUnderruns).toBeLessThan(3);
  expect(syncOf(after(shown, 5))).toBeLessThan(40);
});

test("lost sound is silence of its length; pictures go on", () => {
  const { shown } = simulate({
    seconds: 60,
    lateMs: (_, { track, group }) => (track === "audio" && group % 5 === 3 ? null : 0),
  });
  expect(shown.length).toBeGreaterThan(0.98 * 25 * 60);
  expect(syncOf(after(shown, 5))).toBeLessThan(40);
});

test("where all comes eight seconds later from now on, sound is back within five", () => {
  for (const mode of ["lowest-latency", "smoothest"] as const) {
    const late: number[] = [];
    const { shown } = simulate({
      seconds: 60,
      mode,
      lateMs: (atS) => (atS < 20 ? 0 : 8_000),
      during: (atS, player) => {
        if (atS >= 20 + 8 + 5) late.push(player.figures().dropped.late ?? 0);
      },
    });
    expect(late.at(-1), mode).toBe(late[0]);
    expect(syncOf(after(shown, 35)), mode).toBeLessThan(40);
    expect(after(shown, 35).length, mode).toBeGreaterThan(0.98 * 25 * 25);
  }
});

test.each(["lowest-latency", "smoothest"] as const)(
  "each picture that came is shown, dropped or waits, also while nothing comes any more: %s",
  (mode) => {
    const waited: number[] = [];
    const unaccounted: number[] = [];
    const { figures } = simulate({
      ...{ seconds: 20, mode },
      lateMs: (atS, { track }) => (atS > 15 ? null : track === "video" ? 300 * Math.abs(Math.sin(atS * 7)) : 0),
      during: (_, player) => {
        const { came, waiting, shown, dropped } = player.figures();
        const gone = Object.values(dropped).reduce((sum, count) => sum + count, 0);
        waited.push(waiting);
        unaccounted.push(Math.max(0, came - waiting - shown - gone));
      },
    });
    expect(Math.max(...waited)).toBeGreaterThan(0);
    expect(Math.max(...unaccounted)).toBe(0);
    expect(figures).toMatchObject({ waiting: 0, came: expect.any(Number) });
    expect(figures.came).toBeGreaterThan(14 * 25);
  },
);

test("after the sound card has missed something, lips are in time again within two seconds", () => {
  const { shown } = simulate({ seconds: 40, dropout: { atS: 20, ms: 200 } });
  expect(syncOf(after(shown, 22.5))).toBeLessThan(40);
});

test("of a sound card nothing waits to be read, whether sound is played or not", () => {
  const { player, port } = simulate({ seconds: 1, hasSound: false, hasSoundCard: true });
  expect(port.onmessage).not.toBeNull();
  for (const audio of [{ codec: "opus", sampleRate: 48_000, channels: 1 } as const, null]) {
    player.configure({ video: null, audio });
    expect(port.onmessage).not.toBeNull();
  }
});

test("a stream without sound, and one whose sound ends, go by the clock", () => {
  const silent = simulate({ seconds: 600, hasSound: false, senderPpm: 200 });
  expect(silent.shown.length).toBeGreaterThan(0.99 * 25 * 600);
  expect(Math.max(...delaysFrom(silent.shown, 5))).toBeLessThan(150);
  const ended = simulate({ seconds: 60, lateMs: (atS, { track }) => (track === "audio" && atS > 20 ? null : 0) });
  expect(ended.shown.length).toBeGreaterThan(0.98 * 25 * 60);
  expect(ended.figures.audioUnderruns).toBeLessThan(3);
});

test("hidden, nothing is decoded and sound goes on; shown again, pictures come with the next key frame", () => {
  let decoded = 0;
  const { shown, figures } = simulate({
    seconds: 40,
    during: (atS, player) => {
      if (atS === 10) player.isHidden = true;
      if (atS === 20) decoded = player.figures().decoded;
      // In the middle of a group.
      if (atS === 31) player.isHidden = false;
    },
  });
  expect(decoded).toBeLessThan(10 * 25 + 20 * 50 + 20);
  expect(after(shown, 10.1).filter(({ atS }) => atS < 31.9)).toEqual([]);
  expect(after(shown, 32).length).toBeGreaterThan(7 * 25);
  expect(figures.dropped.hidden).toBeGreaterThan(20 * 25);
  expect(figures.audioUnderruns).toBeLessThan(3);
});

test("what came while it was hidden is no lateness, however the clocks drifted", () => {
  let lateness = 0;
  simulate({
    seconds: 3_620,
    hasSound: false,
    senderPpm: -200,
    during: (atS, player) => {
      player.isHidden = atS >= 10 && atS < 3_610;
      if (atS > 3_611) lateness = Math.max(lateness, player.figures().latenessMs);
    },
  });
  expect(lateness).toBeLessThan(100);
});

test("what cannot be decoded costs its group, and the caller hears of it; many such keep nobody busy", () => {
  const once = simulate({
    seconds: 20,
    isUndecodable: ({ track, group, index }) => track === "video" && group === 3 && index === 10,
  });
  expect(once.events).toEqual([{ type: "first-picture" }, { type: "undecodable", track: "video" }]);
  expect(once.shown.length).toBeGreaterThan(25 * 18);
  const always = simulate({ seconds: 60, isUndecodable: ({ track }) => track === "audio" });
  const refused = always.events.filter(({ type }) => type === "undecodable").length;
  expect(refused).toBeGreaterThan(10);
  expect(refused).toBeLessThanOrEqual(4 * 60);
  expect(always.shown.length).toBeGreaterThan(0.98 * 25 * 60);
});

test("every picture is given back", () => {
  const { player, open } = simulate({ seconds: 30, lateMs: (atS) => 600 * random(Math.floor(atS)) });
  player.close();
  expect(open.size).toBe(0);
});

test("a frame that no frame can be is counted and harms nothing", () => {
  const { shown, figures } = simulate({
    seconds: 20,
    during: (_, player) => {
      const frame = { track: "video", group: 1e6, index: 0, timestampUs: 0, data: new Uint8Array(1) } as const;
      const receivedAtMs = 0 as never;
      for (const bad of [
        { timestampUs: Number.NaN },
        { group: -1 },
        { index: 0.5 },
        { data: new Uint8Array(0) },
        { data: new Uint8Array(5 << 20) },
      ])
        player.push({ ...frame, receivedAtMs, ...bad });
      player.push({ ...frame, receivedAtMs });
    },
  });
  expect(figures.dropped).toMatchObject({ malformed: 100, "off-timeline": 20 });
  expect(shown.length).toBeGreaterThan(0.98 * 25 * 20);
});

test("of each picture it says how long it was decoded, waited and drawn, on the computer's clock", () => {
  const { shown, figures } = simulate({ seconds: 20 });
  const rows = Array.from({ length: figures.pictures.length / PICTURE_TIMES }, (_, row) => [
    ...figures.pictures.subarray(row * PICTURE_TIMES, (row + 1) * PICTURE_TIMES),
  ]);
  const last = shown.slice(-rows.length);
  expect(rows.length).toBe(128);
  for (const [at, [timestampUs, taken = 0, decoded = 0, due = 0, drawn = 0]] of rows.entries()) {
    const { capturedMs, atS } = last[at] ?? expect.unreachable();
    expect([timestampUs, decoded - taken]).toEqual([1_000 * capturedMs, expect.closeTo(3, 3)]);
    expect([due, drawn].map((time) => time - performance.timeOrigin)).toEqual(
      Array(2).fill(expect.closeTo(1_000 * atS, 2)),
    );
    expect(due).toBeGreaterThanOrEqual(decoded);
  }
});
