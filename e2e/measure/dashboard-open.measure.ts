import { cpus, loadavg } from "node:os";
import { type CDPSession, chromium as engine } from "@playwright/test";
import { camera, chromium } from "../stage/browser.ts";
import { Dashboard } from "../stage/dashboard.ts";
import type { ChromiumPerson } from "../stage/person.ts";
import { expect, test } from "../stage/test.ts";
import { untapped } from "./untapped.ts";

/** What the dashboard keeps is full after ten. `MINUTES=2` in the environment is enough for a first look. */
const MINUTES = Number(process.env.MINUTES ?? 10);
const SAMPLE_MS = 30_000;
const READINGS = 4;
/** With it closed on both sides, before it is open and after: what the two differ in anyway. */
const CLOSED_MS = 30_000 * MINUTES;

/** What counts as nothing, where the same run's own scatter (two standard errors) is not more. */
const NOTHING = {
  heap: 10_240,
  buffers: 10_240,
  embedder: 10_240,
  pageAndWorkers: 65_536,
  nodes: 2,
  listeners: 2,
  notShown: 0.01,
};
/** Scatter in which this much would not be seen says that the machine was too busy to tell. */
const TOO_MUCH = 4;

test("dashboard: ten minutes with it open, memory and dropped frames, beside the side without it", async ({
  server,
}) => {
  test.setTimeout((4 * MINUTES + 15) * 60_000);
  const browser = await engine.launch(chromium(camera(360)).launchOptions);
  const [ada, ben] = [await untapped("Ada", browser), await untapped("Ben", browser)];
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  const sides = [await Side.of(ada, "Ben"), await Side.of(ben, "Ada")] as const;
  const before = await sampled(sides, CLOSED_MS);
  await Dashboard.open(ada);
  await expect(ada.page.getByTestId("end-to-end")).toBeVisible({ timeout: 60_000 });
  const filling = await sampled(sides, 60_000 * MINUTES);
  const full = await sampled(sides, 60_000 * MINUTES);
  await ada.page.getByRole("button", { name: "Close dashboard" }).click();
  const after = await sampled(sides, CLOSED_MS);
  await browser.close();
  const found: Record<string, Found> = { ...growth(full), notShown: lostMore([before, after], [filling, full]) };
  const machine = `${cpus().length} cores, ${cpus()[0]?.model}`;
  const told = { what: "dashboardOpen", minutes: MINUTES, machine, loadAverage: loadavg()[0], found };
  console.log(
    JSON.stringify({ ...told, before: tell(before), filling: tell(filling), full: tell(full), after: tell(after) }),
  );
  for (const [name, nothing] of Object.entries(NOTHING)) expectNothing(name, found[name], nothing);
});

/** One side of the call. */
class Side {
  readonly #person: ChromiumPerson;
  readonly #of: string;
  readonly #session: CDPSession;

  private constructor(person: ChromiumPerson, of: string, session: CDPSession) {
    this.#person = person;
    this.#of = of;
    this.#session = session;
  }

  /** `of`: whose video it receives. */
  static async of(person: ChromiumPerson, of: string): Promise<Side> {
    const session = await person.context.newCDPSession(person.page);
    // Of the thread's own time: what it waits for other processes is no work of the page's.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    return new Side(person, of, session);
  }

  /** What is so by now. */
  async sample(began: number): Promise<Sample> {
    const pageAndWorkers = await this.#person.page.evaluate(weighed);
    const at = Date.now() - began;
    const left = await this.#left();
    const { metrics } = await this.#session.send("Performance.getMetrics");
    const metric = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return {
      ...{ at, pageAndWorkers, ...left },
      nodes: metric("Nodes"),
      listeners: metric("JSEventListeners"),
      busyMs: Math.round(1_000 * metric("TaskDuration")),
      ...(await this.#person.page.evaluate(countPictures)),
      ...(await this.#person.video(this.#of).evaluate(countShown)),
    };
  }

  /** Of memory, what is left after its garbage was collected: the least of some, since there is always work under way. */
  async #left() {
    const left = {
      heap: Number.POSITIVE_INFINITY,
      buffers: Number.POSITIVE_INFINITY,
      embedder: Number.POSITIVE_INFINITY,
    };
    for (let reading = 0; reading < READINGS; reading++) {
      await this.#session.send("HeapProfiler.collectGarbage");
      const usage = await this.#session.send("Runtime.getHeapUsage");
      left.heap = Math.min(left.heap, usage.usedSize);
      left.buffers = Math.min(left.buffers, usage.backingStorageSize);
      left.embedder = Math.min(left.embedder, usage.embedderHeapUsedSize);
    }
    return left;
  }
}

/** A side's samples: of the one with the dashboard, and of the other. */
type Pair<T> = readonly [T, T];
type Sample = Record<string, number>;

/** Each side's samples over this time. */
async function sampled(sides: Pair<Side>, ms: number): Promise<Pair<Sample[]>> {
  const samples: Pair<Sample[]> = [[], []];
  const began = Date.now();
  for (let next = began; next <= began + ms; next = Math.max(next + SAMPLE_MS, Date.now())) {
    await expect.poll(() => Date.now() >= next, { timeout: 0, intervals: [100] }).toBe(true);
    const [one, other] = await Promise.all(sides.map((side) => side.sample(began)));
    for (const [which, sample] of [one, other].entries()) if (sample) samples[which]?.push(sample);
  }
  return samples;
}

/** A figure and how far it scatters: its standard error. */
interface Found {
  of: number;
  error: number;
}

/** How much more the first found is than the second. */
function beyond(one: Found, other: Found): Found {
  return { of: one.of - other.of, error: Math.hypot(one.error, other.error) };
}

/** What grows with the dashboard open, a minute, beyond what grows on the other side. */
function growth([withIt, without]: Pair<Sample[]>): Record<string, Found> {
  const names = Object.keys(NOTHING).filter((name) => name !== "notShown");
  return Object.fromEntries(names.map((name) => [name, beyond(slopeOf(withIt, name), slopeOf(without, name))]));
}

/** By how much the share of pictures that are not shown rose when the dashboard was open, beyond the other side's rise. */
function lostMore(closed: readonly Pair<Sample[]>[], open: readonly Pair<Sample[]>[]): Found {
  const shares = (times: readonly Pair<Sample[]>[], which: 0 | 1) =>
    meanOf(times.flatMap((pair) => lostIn(pair[which])));
  const rise = (which: 0 | 1) => beyond(shares(open, which), shares(closed, which));
  return beyond(rise(0), rise(1));
}

/** From each sample to the next, the share of pictures that the browser did not come to show. */
function lostIn(samples: readonly Sample[]): number[] {
  return samples.slice(1).map((sample, at) => {
    const over = (name: string) => (sample[name] ?? Number.NaN) - (samples[at]?.[name] ?? Number.NaN);
    return over("notShown") / (over("shown") + over("notShown"));
  });
}

function expectNothing(name: string, { of, error }: Found = { of: Number.NaN, error: Number.NaN }, nothing: number) {
  expect(2 * error, `${name}: the machine is too busy to tell`).toBeLessThan(TOO_MUCH * nothing);
  expect(of, `${name}: more with the dashboard`).toBeLessThan(Math.max(nothing, 2 * error));
}

/** Of both sides: how each figure went, and pictures that came, that the decoder dropped, that were shown or not. */
function tell(sides: Pair<Sample[]>): object[] {
  return sides.map((samples) => {
    const names = Object.keys(samples[0] ?? {}).filter((name) => name !== "at");
    const aMinute = names.map((name) => [name, Math.round(slopeOf(samples, name).of)]);
    const all = names.map((name) => [name, samples.map((sample) => sample[name])]);
    return { lost: meanOf(lostIn(samples)).of, aMinute: Object.fromEntries(aMinute), samples: Object.fromEntries(all) };
  });
}

/** Least squares, a minute. */
function slopeOf(samples: readonly Sample[], name: string): Found {
  const points = samples.map(({ at = Number.NaN, [name]: value = Number.NaN }) => [at / 60_000, value] as const);
  const [middle, height] = [meanOf(points.map(([x]) => x)).of, meanOf(points.map(([, y]) => y)).of];
  const sum = (of: (x: number, y: number) => number) =>
    points.reduce((all, [x, y]) => all + of(x - middle, y - height), 0);
  const slope = sum((x, y) => x * y) / sum((x) => x * x);
  const left = sum((x, y) => (y - slope * x) ** 2) / (points.length - 2);
  return { of: slope, error: Math.sqrt(left / sum((x) => x * x)) };
}

function meanOf(values: readonly number[]): Found {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const left = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { of: mean, error: Math.sqrt(left / values.length) };
}

/** Runs in the page: bytes of it and its workers, array buffers included. Known when the browser next collects garbage. */
async function weighed(): Promise<number> {
  const { bytes } = await (
    performance as unknown as { measureUserAgentSpecificMemory(): Promise<{ bytes: number }> }
  ).measureUserAgentSpecificMemory();
  return bytes;
}

/** Runs in the page: pictures that came out of the decoder, and that the browser dropped before or after it. */
async function countPictures(): Promise<{ decoded: number; dropped: number }> {
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  const reports = await Promise.all(connections.map(async (connection) => [...(await connection.getStats()).values()]));
  const videos = reports.flat().filter(({ type, kind }) => type === "inbound-rtp" && kind === "video");
  const sum = (of: string) => videos.reduce((sum, video) => sum + (video[of] ?? 0), 0);
  return { decoded: sum("framesDecoded"), dropped: sum("framesDropped") };
}

/** Runs in the page. */
function countShown(video: Element): { shown: number; notShown: number } {
  const { totalVideoFrames, droppedVideoFrames } = (video as HTMLVideoElement).getVideoPlaybackQuality();
  return { shown: totalVideoFrames - droppedVideoFrames, notShown: droppedVideoFrames };
}
