import { cpus, loadavg } from "node:os";
import { type Browser, type CDPSession, chromium as engine } from "@playwright/test";
import { camera, chromium } from "../stage/browser.ts";
import { Dashboard } from "../stage/dashboard.ts";
import { keepConnections, Person } from "../stage/person.ts";
import { expect, test } from "../stage/test.ts";

/** `MINUTES=2` in the environment is enough for a first look. */
const MINUTES = Number(process.env.MINUTES ?? 10);
const SAMPLE_MS = 30_000;
/** Before that, code is compiled and parts of the page are drawn for the first time. */
const WARM_MS = 60_000;
/** With it closed on both sides, to know what the two differ in anyway. */
const CLOSED_MS = 60_000;

test("dashboard: ten minutes with it open, memory and dropped frames, beside the side without it", async ({
  server,
}) => {
  test.setTimeout((MINUTES + 15) * 60_000);
  // With this, memory is told at once rather than with the next collection of garbage.
  const args = [...camera(360), "--enable-blink-features=ForceEagerMeasureMemory"];
  const browser = await engine.launch(chromium(args).launchOptions);
  const [ada, ben] = [await untapped("Ada", browser), await untapped("Ben", browser)];
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  const [withIt, without] = [await Side.of(ada, "Ben"), await Side.of(ben, "Ada")];
  const closed = await sampled([withIt, without], CLOSED_MS);
  await Dashboard.open(ada);
  await expect(ada.page.getByTestId("end-to-end")).toBeVisible({ timeout: 60_000 });
  const open = await sampled([withIt, without], 60_000 * MINUTES);
  const machine = `${cpus().length} cores, ${cpus()[0]?.model}`;
  const told = { what: "dashboardOpen", minutes: MINUTES, machine, loadAverage: loadavg()[0] };
  console.log(JSON.stringify({ ...told, before: closed.map(dropsIn), withIt: tell(open[0]), without: tell(open[1]) }));
  await browser.close();
});

/** Somebody without the taps that other tests put into workers, which keep what they see. */
async function untapped(name: string, browser: Browser): Promise<Person> {
  const context = await browser.newContext();
  await context.addInitScript(keepConnections);
  return new Person(name, context, await context.newPage());
}

/** One side of the call. */
class Side {
  readonly #person: Person;
  readonly #of: string;
  readonly #session: CDPSession;

  private constructor(person: Person, of: string, session: CDPSession) {
    this.#person = person;
    this.#of = of;
    this.#session = session;
  }

  /** `of`: whose picture it receives. */
  static async of(person: Person, of: string): Promise<Side> {
    const session = await person.context.newCDPSession(person.page);
    await session.send("Performance.enable");
    return new Side(person, of, session);
  }

  /** Of memory, what is left after its garbage was collected. */
  async sample(at: number): Promise<Sample> {
    await this.#session.send("HeapProfiler.collectGarbage");
    const { metrics } = await this.#session.send("Performance.getMetrics");
    const metric = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return {
      at,
      heap: metric("JSHeapUsedSize"),
      nodes: metric("Nodes"),
      listeners: metric("JSEventListeners"),
      busyMs: Math.round(1_000 * metric("TaskDuration")),
      pageAndWorkers: await this.#person.page.evaluate(weighed),
      ...(await this.#person.page.evaluate(countPictures)),
      ...(await this.#person.video(this.#of).evaluate(countShown)),
    };
  }
}

type Sample = Record<string, number>;

/** For so long, each side's samples. */
async function sampled(sides: readonly [Side, Side], ms: number): Promise<[Sample[], Sample[]]> {
  const samples: [Sample[], Sample[]] = [[], []];
  const began = Date.now();
  for (let next = began; samples[0].length <= ms / SAMPLE_MS; next = Date.now() + SAMPLE_MS) {
    await expect.poll(() => Date.now() >= next, { timeout: 0, intervals: [100] }).toBe(true);
    for (const [which, side] of sides.entries()) samples[which]?.push(await side.sample(Date.now() - began));
  }
  return samples;
}

/** Pictures that came, that the decoder dropped, that were shown, and that the browser did not come to show. */
function dropsIn(samples: readonly Sample[]): Sample {
  const over = (of: string) => (samples.at(-1)?.[of] ?? Number.NaN) - (samples[0]?.[of] ?? Number.NaN);
  return Object.fromEntries(["decoded", "dropped", "shown", "notShown"].map((of) => [of, over(of)]));
}

/** Growth is a straight line's, fitted to all samples but the first ones. */
function tell(samples: readonly Sample[]): object {
  const warm = samples.filter(({ at = 0 }) => at >= WARM_MS);
  const names = Object.keys(samples[0] ?? {}).filter((name) => name !== "at");
  return {
    ...dropsIn(samples),
    aMinute: Object.fromEntries(names.map((name) => [name, Math.round(60_000 * slopeOf(warm, name))])),
    samples: Object.fromEntries(names.map((name) => [name, samples.map((sample) => sample[name])])),
  };
}

/** Least squares, by `at`. */
function slopeOf(samples: readonly Sample[], name: string): number {
  const mean = (of: string) => samples.reduce((sum, sample) => sum + (sample[of] ?? Number.NaN), 0) / samples.length;
  const [middle, height] = [mean("at"), mean(name)];
  const off = samples.map(({ at = 0, [name]: value = Number.NaN }) => [at - middle, value - height] as const);
  return off.reduce((sum, [x, y]) => sum + x * y, 0) / off.reduce((sum, [x]) => sum + x * x, 0);
}

/** Runs in the page: bytes of it and its workers, array buffers included. */
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
