import { randomBytes } from "node:crypto";
import { latenciesOf, type Sighting } from "@sealcast/latency/figures";
import { joinCall, openCall, Server, startLiveKit } from "@sealcast/testbed";
import { cpuSeconds, type Lab, launch, pagesOf } from "../../command/bench.ts";
import type { CommandBench, Experiment, Row } from "../../command/experiment.ts";
import { pause, until } from "../../command/until.ts";
import { balanced } from "../../src/shared/balance.ts";
import { withCpu } from "../../src/shared/cpu.ts";
import { quantile, round } from "../../src/shared/statistics.ts";
import { identityOf, type RelayArm } from "./relay.ts";

const ARMS: readonly RelayArm[] = ["plain", "LiveKit's encryption", "ours"];
const PEOPLE = { full: [2, 4, 6, 8, 12], quick: [2, 6] };
const TIMES = { full: { warmUp: 8_000, ms: 20_000, rounds: 2 }, quick: { warmUp: 3_000, ms: 4_000, rounds: 1 } };
/** As many as the summary compares. */
const SIX = 6;

/** Some seconds of a call. */
interface RelayCall {
  readonly arm: RelayArm;
  readonly simulcast: boolean;
  readonly people: number;
  readonly pictures: readonly Sighting[];
  readonly freezes: number;
  readonly fpsLeast: number;
  /** Of one core, by a person's page. */
  readonly cpu: number;
  /** Null where the picture has one size, or more than two see it. */
  readonly stillMs: number | null;
}

/**
 * Calls through one LiveKit server on this computer, each arm in turn and back again. All send 720p as VP8 and see one
 * other person in 720p and the rest in 180p, or in 720p where there is one size. Latency is from the stamp, drawn when
 * the first page gets a picture, to the moment in which the second one's video presents it. CPU is of pages with their workers,
 * without LiveKit's. The mesh is the product's own call of as many people, with its screens and its choice of sizes.
 */
export const relay: Experiment = {
  async run(bench) {
    const livekit = await startLiveKit();
    if (livekit === null) throw new Error("There is no livekit-server: npm run servers builds one.");
    try {
      const { rounds } = bench.quick ? TIMES.quick : TIMES.full;
      const arms = ARMS.flatMap((arm) => [true, false].map((simulcast) => ({ arm, simulcast })));
      const calls: RelayCall[] = [];
      for (const people of bench.quick ? PEOPLE.quick : PEOPLE.full)
        for (const order of balanced(arms, people === 2 ? rounds : 1))
          for (const { arm, simulcast } of order) {
            const made = await callThrough(livekit, bench, { arm, simulcast, people });
            calls.push(made);
            bench.say(JSON.stringify(row([made], made)));
          }
      const mesh = await meshCpu(bench, SIX);
      const rows = PEOPLE.full.flatMap((people) =>
        arms.flatMap((of) => {
          const those = calls.filter((call) => isOf(call, { ...of, people }));
          return those.length > 0 ? [row(those, { ...of, people })] : [];
        }),
      );
      return { rows: [...rows, meshRow(mesh)], summary: summary(calls, mesh) };
    } finally {
      await livekit.program.stop();
    }
  },
};

type Kind = Pick<RelayCall, "arm" | "simulcast" | "people">;

const isOf = (call: RelayCall, { arm, simulcast, people }: Kind): boolean =>
  call.arm === arm && call.simulcast === simulcast && call.people === people;

async function callThrough(
  livekit: NonNullable<Awaited<ReturnType<typeof startLiveKit>>>,
  bench: CommandBench,
  { arm, simulcast, people }: Kind,
): Promise<RelayCall> {
  const { warmUp, ms } = bench.quick ? TIMES.quick : TIMES.full;
  const { pages, cpu, close } = await pagesOf(people);
  const room = randomBytes(8).toString("hex");
  const key = Uint8Array.from(randomBytes(32));
  try {
    for (const [leaf, page] of pages.entries()) {
      const token = livekit.token(identityOf(leaf), room);
      await page.ask("relayJoin", { arm, url: livekit.url, token, leaf, people, key, simulcast });
    }
    await until("everybody sees everybody", () => missing(pages));
    await pause(warmUp);
    const [, second] = pages;
    if (second === undefined) throw new Error("there are two");
    const [percent, { pictures, freezes, fpsLeast }] = await withCpu(cpu, () => second.ask("relayWatch", ms));
    const stillMs = simulcast && people === 2 ? await second.ask("relaySwitch") : null;
    await Promise.all(pages.map((page) => page.ask("relayEnd")));
    return { arm, simulcast, people, pictures, freezes, fpsLeast, cpu: percent / 100 / people, stillMs };
  } finally {
    await close();
  }
}

async function missing(pages: readonly Pick<Lab, "ask">[]): Promise<string> {
  const shown = await Promise.all(pages.map((page) => page.ask("relayShown").catch(() => ({ others: 0, height: 0 }))));
  const less = shown.filter(({ others, height }) => others < pages.length - 1 || height < 720).length;
  return less === 0 ? "" : `${less} of ${pages.length} do not, or not in 720p`;
}

/** Of one core, by a person's page in the product's own call of that size. */
async function meshCpu(bench: CommandBench, people: number): Promise<number> {
  const { warmUp, ms } = bench.quick ? TIMES.quick : TIMES.full;
  const [product, browser] = [await Server.start(), await launch()];
  try {
    let link = "";
    for (let leaf = 0; leaf < people; leaf++) {
      const page = await (await browser.newContext({ locale: "en-US" })).newPage();
      if (link === "") link = await openCall(page, product.url);
      else await page.goto(link);
      await joinCall(page, identityOf(leaf));
    }
    const pages = browser.contexts().flatMap((context) => context.pages());
    await until("everybody sees everybody in the mesh", async () => {
      const counts = await Promise.all(pages.map((page) => page.evaluate<number>(PLAYING)));
      const less = counts.filter((count) => count < people).length;
      return less === 0 ? "" : `${less} of ${people} do not`;
    });
    await pause(warmUp);
    const session = await browser.newBrowserCDPSession();
    const [percent] = await withCpu({ cpuSeconds: () => cpuSeconds(session, ["renderer"]) }, () => pause(ms));
    return percent / 100 / people;
  } finally {
    await browser.close();
    await product.stop();
  }
}

/** In the page: how many videos show something. */
const PLAYING = "[...document.querySelectorAll('video')].filter(({ videoHeight }) => videoHeight > 0).length";

function row(calls: readonly RelayCall[], { arm, simulcast, people }: Kind): Row {
  const took = calls.flatMap(({ pictures }) => latenciesOf(pictures));
  const all = calls.flatMap(({ pictures }) => pictures);
  const still = calls.flatMap(({ stillMs }) => stillMs ?? []);
  return {
    arm,
    simulcast: simulcast ? "on" : "off",
    people,
    p50Ms: round(quantile(took, 0.5), 1),
    p95Ms: round(quantile(took, 0.95), 1),
    pictures: took.length,
    readFailures: all.filter(({ stamp }) => stamp === null).length,
    freezes: calls.reduce((sum, { freezes }) => sum + freezes, 0),
    fpsLeast: round(Math.min(...calls.map(({ fpsLeast }) => fpsLeast)), 1),
    cpuPerPerson: round(cpuOf(calls), 3),
    stillOnSwitchMs: still.length === 0 ? null : round(Math.max(...still), 0),
  };
}

function meshRow(cpu: number): Row {
  const none = { simulcast: "", p50Ms: null, p95Ms: null, pictures: null, readFailures: null, freezes: null };
  return { arm: "mesh", ...none, people: SIX, fpsLeast: null, cpuPerPerson: round(cpu, 3), stillOnSwitchMs: null };
}

const cpuOf = (calls: readonly RelayCall[]): number =>
  quantile(
    calls.map(({ cpu }) => cpu),
    0.5,
  );

/** Latency is of two people, with several sizes: what a call through the relay is. */
function summary(calls: readonly RelayCall[], mesh: number): Record<string, number> {
  const of = (arm: RelayArm, people: number) => calls.filter((call) => isOf(call, { arm, people, simulcast: true }));
  const p50 = (arm: RelayArm) => Number(row(of(arm, 2), { arm, people: 2, simulcast: true }).p50Ms);
  return {
    oursP50Ms: p50("ours"),
    livekitE2eeP50Ms: p50("LiveKit's encryption"),
    plainP50Ms: p50("plain"),
    ratioToLivekitE2ee: round(p50("ours") / p50("LiveKit's encryption"), 3),
    freezeOnSwitchMs: round(Math.max(...of("ours", 2).map(({ stillMs }) => stillMs ?? Number.NaN)), 0),
    cpuMesh6: round(mesh, 3),
    cpuRelay6: round(cpuOf(of("ours", SIX)), 3),
  };
}
