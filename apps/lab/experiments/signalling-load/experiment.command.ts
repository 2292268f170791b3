import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpus } from "node:os";
import { freePort, Server, startRedis } from "@sealcast/testbed";
import { Child } from "../../command/child.ts";
import type { Experiment, PagelessBench, Results, Row } from "../../command/experiment.ts";
import { SERVED } from "../../command/site.ts";
import { pause } from "../../command/until.ts";
import type { Task, Waits } from "./crowd.command.ts";

const FULL = { connections: 9_000, perSecond: 5_000, seconds: 30, viewers: 5_000, ends: 20, returning: 10_000 };
const QUICK = { connections: 900, perSecond: 500, seconds: 5, viewers: 500, ends: 3, returning: 900 };
/** From one end to the next. */
const END_EVERY_MS = 500;
/** For the server to have thrown away what connecting left behind. */
const SETTLE_MS = 5_000;
/** What the event loop's delay is sampled every, which the server's figure contains. */
const SAMPLED_EVERY_MS = 10;
const KIB = 1024;

/** More than the crowd has: the product's own limits lie below what is measured. */
const limits = { MAX_CONNECTIONS: "20000", MAX_SOCKETS: "16000" };

export const signallingLoad: Experiment = {
  async runAlone(bench) {
    const size = bench.quick ? QUICK : FULL;
    const crowd: CrowdProcess = new Child("crowd-child", onCore(0));
    try {
      const relayed = await calls(bench, crowd, size);
      const ended = await stream(bench, crowd, size);
      const returned = [];
      for (const signal of ["SIGKILL", "SIGTERM"] as const) returned.push(await restart(bench, crowd, size, signal));
      const shared = await overRedis(bench, crowd, size);
      const summary = { ...relayed.summary, ...shared.summary };
      return { rows: [...relayed.rows, ended, ...returned, ...shared.rows], summary };
    } finally {
      crowd.close();
    }
  },
};

type Size = typeof FULL;

/** All clients, in a process on the other core than the server. */
type CrowdProcess = Child<Task, Waits>;

/** Everybody comes into calls at once, is silent for a moment, and then speaks. */
async function calls(bench: PagelessBench, crowd: CrowdProcess, size: Size): Promise<Results> {
  const server = await MeasuredServer.start();
  const empty = await server.figures();
  bench.say(`${size.connections} members come.`);
  const storm = await crowd.do({ type: "join", ports: [server.port], count: size.connections });
  const stormed = await server.figures();
  await pause(SETTLE_MS);
  const idle = await server.figures();
  bench.say(`All are in after ${storm.seconds.toFixed(1)} s. They speak ${size.perSecond} times a second.`);
  const heard = await crowd.do({ type: "speak", perSecond: size.perSecond, seconds: size.seconds });
  const loaded = await server.figures();
  await crowd.do({ type: "leave" });
  await server.close();
  const rssPerConnectionKb = round((idle.rss - empty.rss) / size.connections / KIB, 1);
  const rows = [
    row("connect storm", size.connections, storm, empty, stormed),
    { ...row("relay", size.connections, heard, idle, loaded), rssPerConnectionKb },
  ];
  const seconds = loaded.at - idle.at;
  return {
    rows,
    summary: {
      connections: loaded.sockets,
      rssPerConnectionKb,
      inPerS: round((loaded.messagesIn - idle.messagesIn) / size.seconds),
      outPerS: round((loaded.messagesOut - idle.messagesOut) / size.seconds),
      coreShare: round((loaded.cpu - idle.cpu) / seconds, 3),
      loopDelayP99Ms: round(loaded.loopDelayP99Ms, 1),
    },
  };
}

/** A host ends the stream, and the server tells all viewers, over and over. */
async function stream(bench: PagelessBench, crowd: CrowdProcess, size: Size): Promise<Row> {
  const server = await MeasuredServer.start();
  await crowd.do({ type: "watch", port: server.port, count: size.viewers });
  bench.say(`${size.viewers} viewers are told ${size.ends} times that the stream has ended.`);
  const before = await server.figures();
  const waits = await crowd.do({ type: "end", times: size.ends, everyMs: END_EVERY_MS });
  const after = await server.figures();
  await crowd.do({ type: "leave" });
  await server.close();
  return row("end of a stream, to the last viewer", size.viewers, waits, before, after);
}

/** The server ends, with a word or without, and is started again at once. Waits are from its end, or from the word. */
async function restart(
  bench: PagelessBench,
  crowd: CrowdProcess,
  size: Size,
  signal: "SIGKILL" | "SIGTERM",
): Promise<Row> {
  const server = await MeasuredServer.start();
  await crowd.do({ type: "join", ports: [server.port], count: size.returning });
  await crowd.do({ type: "mark" });
  bench.say(`${size.returning} members lose their server (${signal}).`);
  const back = crowd.do({ type: "back" });
  await server.close(signal);
  const again = await MeasuredServer.start({ port: server.port });
  const started = await again.figures();
  const waits = await back;
  const after = await again.figures();
  await crowd.do({ type: "leave" });
  await again.close();
  return row(`back after ${signal}`, size.returning, waits, started, after);
}

/** The same with two servers that share rooms, each call's members at both, and with one of the two killed. */
async function overRedis(bench: PagelessBench, crowd: CrowdProcess, size: Size): Promise<Results> {
  const redis = await startRedis();
  if (redis === null) {
    bench.say("Not over Redis: there is no redis-server here.");
    return { rows: [], summary: {} };
  }
  const environment = { ...redis.environment, REDIS_SECRET: randomBytes(32).toString("hex") };
  const [one, two] = [await MeasuredServer.start({ environment }), await MeasuredServer.start({ environment })];
  const ports = [one.port, two.port];
  const figures = async () => sumOf(await one.figures(), await two.figures());
  const empty = await figures();
  bench.say(`${size.connections} members come to two servers over Redis.`);
  const storm = await crowd.do({ type: "join", ports, count: size.connections });
  const stormed = await figures();
  await pause(SETTLE_MS);
  const idle = await figures();
  const heard = await crowd.do({ type: "speak", perSecond: size.perSecond, seconds: size.seconds });
  const loaded = await figures();
  await crowd.do({ type: "mark" });
  bench.say("One of the two is killed.");
  const alone = await two.figures();
  const back = crowd.do({ type: "again" });
  await one.close("SIGKILL");
  const waits = await back;
  const after = await two.figures();
  await crowd.do({ type: "leave" });
  await two.close();
  await redis.program.stop();
  const rssPerConnectionKb = round((idle.rss - empty.rss) / size.connections / KIB, 1);
  return {
    rows: [
      row("connect storm, two servers over Redis", size.connections, storm, empty, stormed),
      { ...row("relay, two servers over Redis", size.connections, heard, idle, loaded), rssPerConnectionKb },
      row("back after SIGKILL of one of two", size.connections, waits, alone, after),
    ],
    summary: {
      redisRssPerConnectionKb: rssPerConnectionKb,
      redisCoreShare: round((loaded.cpu - idle.cpu) / (loaded.at - idle.at), 3),
      redisBackS: round(waits.seconds, 1),
    },
  };
}

/** Two servers' figures as one's. */
function sumOf(one: Figures, two: Figures): Figures {
  return {
    at: two.at,
    cpu: one.cpu + two.cpu,
    rss: one.rss + two.rss,
    sockets: one.sockets + two.sockets,
    messagesIn: one.messagesIn + two.messagesIn,
    messagesOut: one.messagesOut + two.messagesOut,
    loopDelayP99Ms: Math.max(one.loopDelayP99Ms, two.loopDelayP99Ms),
  };
}

function row(phase: string, clients: number, waits: Waits, before: Figures, after: Figures): Row {
  return {
    phase,
    clients,
    seconds: round(waits.seconds, 1),
    p50Ms: round(waits.p50Ms, 1),
    p99Ms: round(waits.p99Ms, 1),
    maxMs: round(waits.maxMs, 1),
    perS: round(waits.count / waits.seconds),
    coreShare: round((after.cpu - before.cpu) / (after.at - before.at), 3),
    // The server's own: what clients cost, who sign to come in, is not in it.
    cpuUsEach: round(((after.cpu - before.cpu) / waits.count) * 1e6),
    loopDelayP99Ms: round(after.loopDelayP99Ms, 1),
    rssMb: round(after.rss / KIB / KIB),
    rssPerConnectionKb: null,
  };
}

interface Figures {
  /** Seconds by this process's clock. */
  readonly at: number;
  /** Seconds of CPU used so far. */
  readonly cpu: number;
  readonly rss: number;
  readonly sockets: number;
  readonly messagesIn: number;
  readonly messagesOut: number;
  /** Since the figures were last asked for. */
  readonly loopDelayP99Ms: number;
}

interface Start {
  /** A free one unless given. */
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The server on a core of its own, and what it tells Prometheus. */
class MeasuredServer {
  readonly #server: Server;
  readonly #metricsPort: number;

  private constructor(server: Server, metricsPort: number) {
    this.#server = server;
    this.#metricsPort = metricsPort;
  }

  static async start({ port, ...more }: Start = {}): Promise<MeasuredServer> {
    const metricsPort = await freePort();
    const environment = { ...SERVED, ...limits, ...more.environment, METRICS_PORT: String(metricsPort) };
    const asked = port === undefined ? {} : { port };
    return new MeasuredServer(await Server.start({ ...asked, environment, under: onCore(1) }), metricsPort);
  }

  get port(): number {
    return this.#server.port;
  }

  async figures(): Promise<Figures> {
    const text = await (await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`)).text();
    const figure = (name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
    return {
      at: performance.now() / 1000,
      cpu: figure("process_cpu_seconds_total"),
      rss: figure("process_resident_memory_bytes"),
      sockets: figure("sealcast_sockets"),
      messagesIn: figure("sealcast_messages_in_total"),
      messagesOut: figure("sealcast_messages_out_total"),
      loopDelayP99Ms: figure("nodejs_eventloop_lag_p99_seconds") * 1000 - SAMPLED_EVERY_MS,
    };
  }

  close(signal?: "SIGTERM" | "SIGKILL"): Promise<void> {
    return this.#server.stop(signal);
  }
}

/** What keeps a program on one core, where this computer has several and the tool for it. */
function onCore(core: number): string[] {
  const canPin = cpus().length > 1 && spawnSync("taskset", ["--version"]).status === 0;
  return canPin ? ["taskset", "-c", String(core)] : [];
}

function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}
