import { type LiveLink, parseLiveLink } from "@sealcast/keys/live-link";
import { latenciesOf } from "@sealcast/latency/figures";
import {
  freePort,
  liveRelayAuthUrl,
  liveRelayEnvironment,
  type MoqRelay,
  newSecret,
  readProcess,
  Server,
  startMoqRelays,
} from "@sealcast/testbed";
import type { CommandBench, Experiment, Results, Row } from "../../command/experiment.ts";
import { pause, until } from "../../command/until.ts";
import { median, quantile, round } from "../../src/shared/statistics.ts";
import { LiveHostPage, LiveViewerPage } from "../live-fanout/live.command.ts";
import { HeadlessViewer, loadSubscriber } from "./headless-viewer.command.ts";

/** Without a page, as far as this machine carries them. */
const VIEWERS = { full: 200, quick: 40 };
const PAGES = 4;
/** Who comes in a second, before it is seen whether more can. */
const ARRIVALS = 10;
/** Of its time that the process of those without a page may take: past it they fall behind, and a host would seem to sign late. */
const BUSY = 0.7;
const SETTLED_MS = 2_000;
const MEASURED_MS = { full: 20_000, quick: 6_000 };
/** Linux counts a process's time in hundredths of a second. */
const TICKS = 100;

interface Stage {
  readonly bench: CommandBench;
  readonly server: Server;
  readonly relays: readonly [MoqRelay, MoqRelay];
  readonly host: LiveHostPage;
  /** The last one is the last to have come. */
  readonly crowd: HeadlessViewer[];
  come(): Promise<HeadlessViewer>;
}

/** Some seconds of the stream. */
interface Watch {
  /** Of one core. */
  readonly hostCpu: number;
  readonly relayCpu: number;
  /** Of each picture of the first page, milliseconds. */
  readonly latencies: readonly number[];
  /** Of each frame that those without a page opened. */
  readonly opened: readonly number[];
  /** Frames that did not come to one of them, or were refused. */
  readonly lost: number;
}

/**
 * One host's page, which goes over two moq-relays that pass streams on to each other, all at the first of them: four pages that watch the largest
 * picture, and viewers without a page who take the smallest, open every frame and hold it against its signature: as many as one core of this
 * computer, which all is on, has time for. CPU
 * of the host is all of its browser's, with the four pages and one viewer without a page, and with all; the relay's is that of the
 * first one. Latency is from the stamp, drawn when the host's page gets a picture, to the first page's screen; of those without a page from
 * the host's encoder until a frame is opened. A failover is the longest time without a frame, of any of them, after the first relay
 * is killed.
 */
export const liveWide: Experiment = {
  async run(bench) {
    const secret = newSecret();
    const port = await freePort();
    const relays = await startMoqRelays({ authUrl: liveRelayAuthUrl(`http://127.0.0.1:${port}`, secret), secret });
    if (relays === null) throw new Error("There is no moq-relay: npm run servers builds one.");
    const environment = { ...liveRelayEnvironment(relays, secret), MESH_VIEWERS: "1" };
    const server = await Server.start({ port, environment });
    try {
      return await streamed({ bench, server, relays });
    } finally {
      await server.stop();
      await Promise.all(relays.map(({ program }) => program.stop("SIGKILL")));
    }
  },
};

async function streamed(base: Pick<Stage, "bench" | "server" | "relays">): Promise<Results> {
  const host = await LiveHostPage.open(base.server.url, "once");
  const pages: LiveViewerPage[] = [];
  const crowd: HeadlessViewer[] = [];
  try {
    const [Subscriber, { room, link }] = [await loadSubscriber(), await linkOf(host.link)];
    const come = async () => new HeadlessViewer(base.server.port, room, link, Subscriber);
    const stage = { ...base, host, crowd, come };
    // Takes the one connection there is, and none but the place is wanted of it.
    const holder = await come();
    crowd.push(holder);
    await holder.join(false);
    while (pages.length < PAGES) {
      const page = await LiveViewerPage.open(base.bench.browser, host.link);
      if (pages.length > 0) await page.stopDrawing();
      pages.push(page);
    }
    return await measured(stage, pages);
  } finally {
    for (const viewer of crowd) viewer.close();
    for (const page of pages) await page.close();
    await host.close();
  }
}

async function linkOf(address: string): Promise<{ room: string; link: LiveLink }> {
  const { pathname, hash } = new URL(address);
  const room = pathname.split("/").at(-1) ?? "";
  const link = await parseLiveLink(room, hash.slice(1));
  if (!link.ok) throw new Error("the host's link is damaged");
  return { room, link };
}

async function measured(stage: Stage, pages: readonly LiveViewerPage[]): Promise<Results> {
  const { crowd } = stage;
  await arrive(stage, 1);
  const one = await watched(stage, pages);
  const count = await fill(stage);
  const all = await watched(stage, pages);
  if (crowd.some(({ isForged }) => isForged)) throw new Error("a viewer found frames that the host did not sign");
  const removal = await remove(stage);
  const failoverMs = await failover(stage);
  return {
    rows: [row("four pages and one without", one), row("four pages and all without", all)],
    summary: {
      viewers: count,
      relayCpuPerViewer: round((all.relayCpu - one.relayCpu) / (count - 1), 5),
      latencyP50Ms: round(quantile(all.latencies, 0.5), 1),
      latencyP95Ms: round(quantile(all.latencies, 0.95), 1),
      joinToPictureP50Ms: round(median(pages.map(({ firstPictureMs }) => firstPictureMs)), 0),
      lostFrames: all.lost,
      ...removal,
      failoverMs: round(failoverMs, 0),
      hostCpu1: round(one.hostCpu, 2),
      hostCpuAll: round(all.hostCpu, 2),
    },
  };
}

function row(who: string, { hostCpu, relayCpu, latencies, opened, lost }: Watch): Row {
  return {
    ...{ who, hostCpu: round(hostCpu, 2), relayCpu: round(relayCpu, 3) },
    ...{ pageP50Ms: round(quantile(latencies, 0.5), 1), pageP95Ms: round(quantile(latencies, 0.95), 1) },
    ...{ openedP50Ms: round(quantile(opened, 0.5), 1), openedP95Ms: round(quantile(opened, 0.95), 1) },
    ...{ opened: opened.length, lost },
  };
}

/** Until no more can come; how many there are. */
async function fill(stage: Stage): Promise<number> {
  const most = stage.bench.quick ? VIEWERS.quick : VIEWERS.full;
  for (let count = ARRIVALS; ; count = Math.min(count + ARRIVALS, most)) {
    await arrive(stage, count);
    const before = performance.eventLoopUtilization();
    await pause(SETTLED_MS);
    const { utilization } = performance.eventLoopUtilization(before);
    stage.bench.say(`${count} without a page open frames, which takes ${Math.round(utilization * 100)} % of a core.`);
    if (count === most || utilization * (1 + ARRIVALS / count) > BUSY) return count;
  }
}

/** Until there are this many without a page, and all of them open frames. */
async function arrive({ crowd, come }: Stage, count: number): Promise<void> {
  while (crowd.length - 1 < count) {
    const viewer = await come();
    crowd.push(viewer);
    void viewer.join(true);
    await pause(1_000 / ARRIVALS);
  }
  await until("all viewers without a page open frames", async () => {
    const waiting = crowd.slice(1).filter(({ opened }) => opened === 0).length;
    return waiting === 0 ? "" : `${waiting} do not`;
  });
}

/** Some seconds of the stream as it is. */
async function watched({ bench, host, relays, crowd }: Stage, pages: readonly LiveViewerPage[]): Promise<Watch> {
  const [page] = pages;
  if (page === undefined) throw new Error("there are pages");
  const ms = bench.quick ? MEASURED_MS.quick : MEASURED_MS.full;
  const relay = () => cpuOf(relays[0].program.pid);
  for (const viewer of crowd) viewer.forget();
  const [hostBefore, relayBefore, since] = [await host.cpuSeconds(), relay(), performance.now()];
  const { pictures } = await page.watch(ms);
  const seconds = (performance.now() - since) / 1_000;
  const [hostCpu, relayCpu] = [(await host.cpuSeconds()) - hostBefore, relay() - relayBefore];
  return {
    ...{ hostCpu: hostCpu / seconds, relayCpu: relayCpu / seconds, latencies: latenciesOf(pictures) },
    opened: crowd.flatMap((viewer) => viewer.latencies),
    lost: crowd.reduce((sum, { lost, refused }) => sum + lost + refused, 0),
  };
}

/** The last one is removed: from the click until all others have other keys, and until nothing more comes to who is removed. */
async function remove({ host, crowd }: Stage): Promise<{ rotationMs: number; removalMs: number }> {
  const removed = crowd.pop();
  if (removed === undefined) throw new Error("there is someone to remove");
  const next = Math.max(...crowd.map(({ keys }) => keys.rotation)) + 1;
  const since = await host.removeLast();
  await Promise.all(crowd.map(({ keys }) => keys.reached(next)));
  const rotationMs = Math.max(...crowd.map(({ keys }) => keys.rotatedAt)) - since;
  await pause(3_000);
  removed.close();
  return { rotationMs: round(rotationMs, 0), removalMs: round(removed.lastAt - since, 0) };
}

/** The longest time without a frame that anybody had. */
async function failover({ relays, crowd }: Stage): Promise<number> {
  const viewers = crowd.slice(1);
  const before = viewers.map(({ opened }) => opened);
  for (const viewer of viewers) viewer.forget();
  await relays[0].program.stop("SIGKILL");
  await until("all are at the other relay", async () => {
    // What was on its way when the relay was killed is not what comes after.
    const waiting = viewers.filter(({ opened }, at) => opened < (before[at] ?? 0) + 50).length;
    return waiting === 0 ? "" : `${waiting} of ${viewers.length} are not`;
  });
  return Math.max(...viewers.map(({ longestGapMs }) => longestGapMs));
}

/** Seconds of a processor's time that a process has used so far. */
function cpuOf(pid: number | null): number {
  const [, fields = ""] = readProcess(String(pid), "stat").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / TICKS;
}
