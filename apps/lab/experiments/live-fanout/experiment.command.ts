import type { Browser } from "@playwright/test";
import { latenciesOf } from "@sealcast/latency/figures";
import { Server } from "@sealcast/testbed";
import { launch } from "../../command/bench.ts";
import type { CommandBench, Experiment, Row } from "../../command/experiment.ts";
import { type ShapedLink, shapedLink } from "../../command/shaped.ts";
import { pause, until } from "../../command/until.ts";
import { mean, median, quantile, round } from "../../src/shared/statistics.ts";
import { LiveHostPage, LiveViewerPage } from "./live.command.ts";
import type { Watched, Way } from "./live-fanout.ts";

/** With one viewer the product itself gives the link an encoder of its own. */
const VIEWERS = {
  full: { once: [0, 1, 2, 4, 8, 12], each: [2, 4, 8, 12] },
  quick: { once: [1, 4, 8], each: [4] },
};
const LINES = 720;
/** Links begin slowly: with small pictures, or none. Not measured, for this long at most. */
const BEGINNING_MS = 10_000;
/** A join takes all of a small machine, so the first viewer's sound comes late and is held back more: that takes this long to pass. */
const TIMES = { full: { warmUp: 20_000, ms: 6_000 }, quick: { warmUp: 1_000, ms: 3_000 } };
const SLOW_MBIT_PER_S = 1;
/** Besides the slow viewer: with them, the picture is encoded once. */
const FAST_VIEWERS = 2;
/** Until a link's estimate has found what it carries. */
const FINDING_MS = { full: 12_000, quick: 6_000 };
const WAYS = { once: "one for all links", each: "one for each link" } satisfies Record<Way, string>;

/** Some seconds of a live stream. */
interface Step {
  readonly way: Way;
  /** All of the host's browser's, CPU seconds a second. */
  readonly cpu: number;
  readonly seen: readonly Watched[];
  /** From the stamp to the screen, of every picture of the first viewer, milliseconds. */
  readonly delays: readonly number[];
  /** From the opening of the page to its first picture, of those who came for this step, milliseconds. */
  readonly joins: readonly number[];
}

interface Slow {
  readonly slow: Watched;
  readonly others: readonly Watched[];
}

/**
 * The host has one Chromium, all viewers another one. CPU is all of the host's, so with camera, stamps and self-view;
 * without any viewer it is what these cost. The camera plays pictures that were decoded before, as a real one gives them;
 * a stamp costs two copies of its picture. The first viewer draws the picture and plays the sound. The others stop drawing
 * after their first picture, which a computer without a graphics card does as dearly as decoding, and on viewers' own
 * computers is none of the host's matter: they receive, open, verify and decode, and stay as muted as a page opens.
 * Latency is from the stamp, drawn when the host's page gets a picture, to the first viewer's screen. Frames per second and
 * lines are those of the viewer who has the least: shown at the first, decoded at the others. Links' own encoders are held
 * to 720 lines. `lipSyncMs` is how far the picture is ahead of the sound by the first viewer's browser, negative where it
 * is behind; where the picture is encoded once the browser knows when its stand-in was written, a few milliseconds after
 * the camera gave it.
 */
export const liveFanout: Experiment = {
  async run(bench) {
    const { once, each } = bench.quick ? VIEWERS.quick : VIEWERS.full;
    const steps = await withProduct([], async ({ url }) => [
      ...(await stream(bench, url, "once", once)),
      ...(await stream(bench, url, "each", each)),
    ]);
    const shaped = shapedLink(SLOW_MBIT_PER_S);
    const missing = "missing" in shaped ? shaped.missing : null;
    if (missing !== null) bench.say(`No link of ${SLOW_MBIT_PER_S} Mbit/s: ${missing}`);
    const slow = "missing" in shaped ? null : await slowViewer(bench, shaped).finally(() => shaped.close());
    return { rows: [...steps.map(row), ...slowRows(slow, missing)], summary: summary(steps, slow) };
  },
};

async function withProduct<T>(within: readonly string[], work: (product: Server) => Promise<T>): Promise<T> {
  const product = await Server.start({ under: within });
  try {
    return await work(product);
  } finally {
    await product.stop();
  }
}

/** One stream, to which ever more viewers come. */
async function stream(bench: CommandBench, home: string, way: Way, counts: readonly number[]): Promise<Step[]> {
  const host = await LiveHostPage.open(home, way);
  const viewers: LiveViewerPage[] = [];
  const steps: Step[] = [];
  try {
    for (const count of counts) {
      const before = viewers.length;
      while (viewers.length < count) viewers.push(await come(bench.browser, host, viewers.length === 0));
      const joins = viewers.slice(before).map(({ firstPictureMs }) => firstPictureMs);
      await begun(host, way, viewers);
      const step = { ...(await measure(bench, host, viewers)), way, joins };
      steps.push(step);
      bench.say(JSON.stringify(row(step)));
    }
    return steps;
  } finally {
    for (const viewer of viewers) await viewer.close();
    await host.close();
  }
}

async function come(browser: Browser, host: LiveHostPage, first: boolean): Promise<LiveViewerPage> {
  const viewer = await LiveViewerPage.open(browser, host.link);
  await (first ? viewer.turnSoundOn() : viewer.stopDrawing());
  return viewer;
}

/** Waits until the stream is what the step is about, and as good as it gets. */
async function begun(host: LiveHostPage, way: Way, viewers: readonly LiveViewerPage[]): Promise<void> {
  const expected = way === "once" && viewers.length > 1 ? 0 : viewers.length;
  await until("the host encodes as it is to", async () => {
    const encoders = await host.ownEncoders();
    return encoders === expected ? "" : `${encoders} links of ${viewers.length} have an encoder, not ${expected}`;
  });
  const isWhole = async () => (await Promise.all(viewers.map((viewer) => viewer.height()))).every((of) => of >= LINES);
  for (const end = performance.now() + BEGINNING_MS; performance.now() < end && !(await isWhole()); ) await pause(500);
}

async function measure(
  bench: CommandBench,
  host: LiveHostPage,
  viewers: readonly LiveViewerPage[],
): Promise<Pick<Step, "cpu" | "seen" | "delays">> {
  const { warmUp, ms } = bench.quick ? TIMES.quick : TIMES.full;
  await pause(warmUp);
  const [before, since] = [await host.cpuSeconds(), performance.now()];
  const [seen] = await Promise.all([Promise.all(viewers.map((viewer) => viewer.watch(ms))), pause(ms)]);
  const cpu = (1_000 * ((await host.cpuSeconds()) - before)) / (performance.now() - since);
  return { cpu, seen, delays: seen.flatMap(({ pictures }) => latenciesOf(pictures)) };
}

/** A viewer behind the link, and the others and the server at the host's end of it. */
async function slowViewer(bench: CommandBench, { browsers: [near, far], within, address }: ShapedLink): Promise<Slow> {
  const browsers: Browser[] = [];
  const open = async (executable: string, ...flags: string[]) => {
    const browser = await launch(executable, flags);
    browsers.push(browser);
    return browser;
  };
  return withProduct(within, async ({ url }) => {
    const host = await LiveHostPage.open(url, "once", { executable: near });
    try {
      const [fast, slow] = [await open(near), await open(far, `--host-resolver-rules=MAP localhost ${address}`)];
      const viewers: LiveViewerPage[] = [];
      while (viewers.length < FAST_VIEWERS) viewers.push(await LiveViewerPage.open(fast, host.link));
      const viewer = await LiveViewerPage.open(slow, host.link);
      bench.say(`The viewer behind ${SLOW_MBIT_PER_S} Mbit/s has a picture`);
      await begun(host, "once", [...viewers, viewer]);
      await pause(bench.quick ? FINDING_MS.quick : FINDING_MS.full);
      const { ms } = bench.quick ? TIMES.quick : TIMES.full;
      const [seen, ...others] = await Promise.all([viewer, ...viewers].map((of) => of.watch(ms)));
      if (seen === undefined) throw new Error("there is a slow viewer");
      return { slow: seen, others };
    } finally {
      for (const browser of browsers) await browser.close();
      await host.close();
    }
  });
}

function row({ way, cpu, seen, delays, joins }: Step): Row {
  return line({
    encoders: WAYS[way],
    viewers: seen.length,
    hostCpu: figure(cpu, 2),
    ...pictures(seen),
    latencyP50Ms: figure(quantile(delays, 0.5), 1),
    latencyP95Ms: figure(quantile(delays, 0.95), 1),
    joinToPictureP50Ms: figure(median(joins), 0),
    lipSyncMs: figure(median(seen.flatMap(({ ahead }) => ahead)), 1),
  });
}

function slowRows(slow: Slow | null, missing: string | null): Row[] {
  const name = `a viewer behind ${SLOW_MBIT_PER_S} Mbit/s`;
  if (slow === null) return [line({ encoders: WAYS.once, note: `${name}: skipped: ${missing}` })];
  return [
    line({ encoders: WAYS.once, viewers: 1, ...pictures([slow.slow]), note: name }),
    line({
      encoders: WAYS.once,
      viewers: slow.others.length,
      ...pictures(slow.others),
      note: `the others, beside ${name}`,
    }),
  ];
}

function line(figures: Row): Row {
  const none = { viewers: null, hostCpu: null, fpsLeast: null, fpsMean: null, linesLeast: null };
  const times = { latencyP50Ms: null, latencyP95Ms: null, joinToPictureP50Ms: null, lipSyncMs: null };
  return { encoders: "", ...none, ...times, note: "", ...figures };
}

function pictures(seen: readonly Watched[]): Row {
  return {
    fpsLeast: figure(least(seen), 1),
    fpsMean: figure(mean(seen.map(({ fps }) => fps)), 1),
    linesLeast: seen.length === 0 ? null : Math.min(...seen.map(({ height }) => height)),
  };
}

/** Latency and lip sync are of the picture that is encoded once: for 8 viewers, and whenever it was. */
function summary(steps: readonly Step[], slow: Slow | null): Record<string, number> {
  const of = (way: Way, viewers: number) => steps.find((step) => step.way === way && step.seen.length === viewers);
  const cpu = (way: Way, viewers: number) => round(of(way, viewers)?.cpu ?? Number.NaN, 2);
  const once = steps.filter(({ way, seen }) => way === "once" && seen.length > 1);
  const eight = of("once", 8);
  return {
    cpu1: cpu("once", 1),
    cpuOnce4: cpu("once", 4),
    cpuEach4: cpu("each", 4),
    cpuOnce8: cpu("once", 8),
    fpsOnce8: round(least(eight?.seen ?? []), 1),
    latencyP50Ms: round(quantile(eight?.delays ?? [], 0.5), 1),
    latencyP95Ms: round(quantile(eight?.delays ?? [], 0.95), 1),
    joinToPictureP50Ms: round(median(steps.filter(({ way }) => way === "once").flatMap(({ joins }) => joins)), 0),
    lipSyncMs: round(median(once.flatMap(({ seen }) => seen.flatMap(({ ahead }) => ahead))), 1),
    ...(slow === null ? {} : { slowFps: round(slow.slow.fps, 1), othersFps: round(least(slow.others), 1) }),
  };
}

/** Of the viewer who has the fewest. */
function least(seen: readonly Watched[]): number {
  return seen.length === 0 ? Number.NaN : Math.min(...seen.map(({ fps }) => fps));
}

/** Null: there is none, as without viewers. */
function figure(value: number, digits: number): number | null {
  return Number.isFinite(value) ? round(value, digits) : null;
}
