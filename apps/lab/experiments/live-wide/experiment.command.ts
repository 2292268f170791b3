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
import { HAS_MANY_CORES } from "../../command/bench.ts";
import { Child } from "../../command/child.ts";
import type { CommandBench, Experiment, Results, Row } from "../../command/experiment.ts";
import { pause } from "../../command/until.ts";
import { median, quantile, round } from "../../src/shared/statistics.ts";
import { LiveHostPage, LiveViewerPage } from "../live-fanout/live.command.ts";
import { ARRIVALS, type CrowdTask, type Seen } from "./headless-crowd.command.ts";

/** Without a page, as far as this machine carries them. */
const VIEWERS = { full: 200, quick: 40 };
const PAGES = 4;
/** With a few cores, five pages would leave viewers without a page no time: the host's camera gives less. */
const HOST = HAS_MANY_CORES ? {} : { camera: { height: 360, frameRate: 15 } };
/** Of its time that the process of those without a page takes or waits for a core: past it no more come, as they would fall behind. */
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
  /** Those without a page. */
  readonly crowd: Child<CrowdTask, Seen>;
}

/** Some seconds of the stream. */
interface Watch {
  /** Of one core. */
  readonly hostCpu: number;
  readonly relayCpu: number;
  /** Of each picture of the first page, milliseconds. */
  readonly latencies: readonly number[];
  /** By those without a page. */
  readonly seen: Seen;
}

/**
 * One host's page, which goes over two moq-relays that pass streams on to each other, all at the first of them: four pages that
 * watch the largest picture, and viewers without a page who take the smallest, open every frame and hold it against its signature:
 * as many as one core of this computer, which all is on, has time for. The camera gives 360 lines 15 times a second where there
 * are fewer than eight cores. CPU of the host is all of its browser's, with the four pages and one viewer without a page, and with
 * all; the relay's is that of the first one. What opening and verifying costs a viewer without a page is seen beside the same ones
 * at the other relay, who take frames and do neither. Latency is from the stamp, drawn when the host's page gets a picture, to the
 * first page's screen; of those without a page from the host's encoder until a frame is opened. A failover is the longest time
 * without a frame, of any of them, after the first relay is killed.
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
  const host = await LiveHostPage.open(base.server.url, "once", HOST);
  const crowd = new Child<CrowdTask, Seen>("viewers-child");
  const pages: LiveViewerPage[] = [];
  try {
    await crowd.do({ type: "begin", port: base.server.port, link: host.link });
    while (pages.length < PAGES) {
      const page = await LiveViewerPage.open(base.bench.browser, host.link);
      if (pages.length > 0) await page.stopDrawing();
      pages.push(page);
    }
    return await measured({ ...base, host, crowd }, pages);
  } finally {
    crowd.close();
    for (const page of pages) await page.close();
    await host.close();
  }
}

async function measured(stage: Stage, pages: readonly LiveViewerPage[]): Promise<Results> {
  await stage.crowd.do({ type: "arrive", count: 1 });
  const one = await watched(stage, pages);
  const count = await fill(stage);
  const all = await watched(stage, pages);
  if (all.seen.isForged) throw new Error("a viewer found frames that the host did not sign");
  const removal = await remove(stage);
  const failoverMs = await failover(stage);
  await stage.crowd.do({ type: "rest" });
  const plain = await watched(stage, pages);
  return {
    rows: [
      row("four pages and one without", one),
      row("four pages and all without", all),
      row("four pages, all without, which open nothing", plain),
    ],
    summary: {
      viewers: count,
      viewerCpu: round(all.seen.cpu / count, 5),
      plainViewerCpu: round(plain.seen.cpu / (count - 1), 5),
      relayCpuPerViewer: round((all.relayCpu - one.relayCpu) / (count - 1), 5),
      latencyP50Ms: round(quantile(all.latencies, 0.5), 1),
      latencyP95Ms: round(quantile(all.latencies, 0.95), 1),
      joinToPictureP50Ms: round(median(pages.map(({ firstPictureMs }) => firstPictureMs)), 0),
      lostFrames: all.seen.lost,
      ...removal,
      failoverMs: round(failoverMs, 0),
      hostCpu1: round(one.hostCpu, 2),
      hostCpuAll: round(all.hostCpu, 2),
    },
  };
}

function row(who: string, { hostCpu, relayCpu, latencies, seen }: Watch): Row {
  return {
    ...{ who, hostCpu: round(hostCpu, 2), relayCpu: round(relayCpu, 3), crowdCpu: round(seen.cpu, 2) },
    ...{ pageP50Ms: round(quantile(latencies, 0.5), 1), pageP95Ms: round(quantile(latencies, 0.95), 1) },
    ...{ openedP50Ms: round(quantile(seen.latencies, 0.5), 1) },
    ...{ openedP95Ms: round(quantile(seen.latencies, 0.95), 1), opened: seen.latencies.length, lost: seen.lost },
  };
}

/** Until no more can come; how many there are. */
async function fill({ bench, crowd }: Stage): Promise<number> {
  const most = bench.quick ? VIEWERS.quick : VIEWERS.full;
  for (let count = ARRIVALS; ; count = Math.min(count + ARRIVALS, most)) {
    await crowd.do({ type: "arrive", count });
    await crowd.do({ type: "forget" });
    await pause(SETTLED_MS);
    const { busy } = await crowd.do({ type: "see" });
    bench.say(`${count} without a page open frames, which takes ${Math.round(busy * 100)} % of a core.`);
    if (count === most || busy > BUSY) return count;
  }
}

/** Some seconds of the stream as it is. */
async function watched({ bench, host, relays, crowd }: Stage, pages: readonly LiveViewerPage[]): Promise<Watch> {
  const [page] = pages;
  if (page === undefined) throw new Error("there are pages");
  const ms = bench.quick ? MEASURED_MS.quick : MEASURED_MS.full;
  const relay = () => cpuOf(relays[0].program.pid);
  await crowd.do({ type: "forget" });
  const [hostBefore, relayBefore, since] = [await host.cpuSeconds(), relay(), performance.now()];
  const { pictures } = await page.watch(ms);
  const seconds = (performance.now() - since) / 1_000;
  const [hostCpu, relayCpu] = [(await host.cpuSeconds()) - hostBefore, relay() - relayBefore];
  return {
    ...{ hostCpu: hostCpu / seconds, relayCpu: relayCpu / seconds, latencies: latenciesOf(pictures) },
    seen: await crowd.do({ type: "see" }),
  };
}

/** Who came last is removed: from the click until all others have other keys, and until nothing more comes to who is removed. */
async function remove({ host, crowd }: Stage): Promise<{ rotationMs: number; removalMs: number }> {
  const done = crowd.do({ type: "removal" });
  const since = performance.timeOrigin + (await host.removeLast());
  const { rotatedAt, removedAt } = await done;
  return { rotationMs: round(rotatedAt - since, 0), removalMs: round(removedAt - since, 0) };
}

/** The longest time without a frame that anybody had. */
async function failover({ relays, crowd }: Stage): Promise<number> {
  const moved = crowd.do({ type: "move" });
  await relays[0].program.stop("SIGKILL");
  return (await moved).longestGapMs;
}

/** Seconds of a processor's time that a process has used so far. */
function cpuOf(pid: number | null): number {
  const [, fields = ""] = readProcess(String(pid), "stat").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / TICKS;
}
