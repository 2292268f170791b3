import { parseLiveLink } from "@sealcast/keys/live-link";
import { Server } from "@sealcast/testbed";
import { openLab } from "../../command/bench.ts";
import type { CommandBench, Experiment, Results } from "../../command/experiment.ts";
import { SERVED } from "../../command/site.ts";
import { SimulatedViewer } from "./simulated-viewer.command.ts";

const VIEWERS = { full: 2_000, quick: 200 };
/** All ask within this time, evenly spread. */
const ARRIVAL_MS = { full: 10_000, quick: 1_000 };
/** Sockets opened at a time: the server holds 500 that have not joined. */
const BATCH = 50;

export const liveKeys: Experiment = {
  async run(bench) {
    const server = await Server.start({ environment: SERVED });
    const lab = await openLab({ url: `${server.url}/bench.html` });
    try {
      return await measure(bench, lab, server.port);
    } finally {
      await lab.close();
      await server.stop();
    }
  },
};

async function measure(bench: CommandBench, lab: Pick<CommandBench, "ask">, port: number): Promise<Results> {
  const [count, within] = bench.quick ? [VIEWERS.quick, ARRIVAL_MS.quick] : [VIEWERS.full, ARRIVAL_MS.full];
  const { room, fragment } = await lab.ask("hostLive");
  const viewers = await gather(bench, count, port, room, fragment);
  try {
    await lab.ask("forgetLongTasks");
    await Promise.all([arrive(viewers, within), acceptAll(viewers)]);
    const answered = await lab.ask("liveState");
    bench.say(`All answered. Page's longest task so far: ${answered.longestTaskMs.toFixed(1)} ms.`);
    const rotationMs = await rotate(lab, viewers);
    const { longestTaskMs } = await lab.ask("liveState");
    return results(viewers, Math.max(longestTaskMs, answered.longestTaskMs), rotationMs);
  } finally {
    for (const viewer of viewers) viewer.close();
  }
}

async function gather(
  bench: CommandBench,
  count: number,
  port: number,
  room: string,
  fragment: string,
): Promise<SimulatedViewer[]> {
  const link = await parseLiveLink(room, fragment);
  if (!link.ok) throw new Error("the host's link is damaged");
  const viewers: SimulatedViewer[] = [];
  while (viewers.length < count) {
    const batch = Array.from({ length: BATCH }, () => new SimulatedViewer(port, room, link));
    await Promise.all(batch.map((viewer) => viewer.prepare()));
    viewers.push(...batch);
    if (viewers.length % 500 === 0) bench.say(`${viewers.length} viewers are there and have not asked yet.`);
  }
  return viewers;
}

async function arrive(viewers: readonly SimulatedViewer[], within: number): Promise<void> {
  const each = within / viewers.length;
  const since = performance.now();
  for (const [i, viewer] of viewers.entries()) {
    const wait = since + i * each - performance.now();
    if (wait > 1) await new Promise((done) => setTimeout(done, wait));
    viewer.ask();
  }
}

/** One after the other, as the answers come. */
async function acceptAll(viewers: readonly SimulatedViewer[]): Promise<void> {
  for (const viewer of viewers) {
    await viewer.answered();
    await viewer.accept();
  }
}

/** From the host's removing one viewer until the last of the others has the next key. */
async function rotate(lab: Pick<CommandBench, "ask">, viewers: readonly SimulatedViewer[]): Promise<number> {
  await lab.ask("allWatching", viewers.length);
  await Promise.all(viewers.map((viewer) => viewer.reached(0)));
  const next = (viewers[0]?.rotation ?? 0) + 1;
  const since = performance.now();
  await lab.ask("removeLast");
  await Promise.all(viewers.slice(0, -1).map((viewer) => viewer.reached(next)));
  return Math.max(...viewers.slice(0, -1).map(({ rotatedAt }) => rotatedAt)) - since;
}

function results(viewers: readonly SimulatedViewer[], longestTaskMs: number, rotationMs: number): Results {
  const waits = viewers.map(({ askedAt, answeredAt }) => answeredAt - askedAt).sort((a, b) => a - b);
  const at = (q: number) => Math.round(waits[Math.ceil(q * waits.length) - 1] ?? Number.NaN);
  const first = Math.min(...viewers.map(({ askedAt }) => askedAt));
  const answeredInMs = Math.round(Math.max(...viewers.map(({ answeredAt }) => answeredAt)) - first);
  const longestPageTaskMs = Number(longestTaskMs.toFixed(1));
  const rotationMs2000 = Math.round(rotationMs);
  return {
    rows: [{ viewers: viewers.length, answeredInMs, p50WaitMs: at(0.5), p95WaitMs: at(0.95), maxWaitMs: at(1) }],
    summary: { viewers: viewers.length, answeredInMs, longestPageTaskMs, rotationMs2000 },
  };
}
