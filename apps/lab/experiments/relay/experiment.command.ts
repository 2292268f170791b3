import { randomBytes } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { latenciesOf, type Sighting } from "@sealcast/latency/figures";
import { joinCall, openCall, pressControl, Server, startLiveKit } from "@sealcast/testbed";
import { smallCamera, untreatedSound } from "@sealcast/testbed/page";
import { cpuSeconds, HAS_MANY_CORES, type Lab, launch, pagesOf } from "../../command/bench.ts";
import type { CommandBench, Experiment, Row } from "../../command/experiment.ts";
import { pause, until } from "../../command/until.ts";
import { balanced } from "../../src/shared/balance.ts";
import { withCpu } from "../../src/shared/cpu.ts";
import { quantile, round } from "../../src/shared/statistics.ts";
import { identityOf, type RelayArm, type RelayPicture } from "./relay.ts";

const ARMS: readonly RelayArm[] = ["plain", "LiveKit's encryption", "ours"];
/** `bitsPerSecond`: livekit-client's for this size. */
const PICTURE: RelayPicture = {
  ...{ width: 1280, height: 720, bitsPerSecond: 1_700_000 },
  frameRate: HAS_MANY_CORES ? 30 : 10,
};
const PEOPLE = { full: HAS_MANY_CORES ? [2, 4, 6, 8, 12] : [2, 3], quick: [2] };
const TIMES = { full: { warmUp: 6_000, ms: 15_000, rounds: 2 }, quick: { warmUp: 3_000, ms: 4_000, rounds: 1 } };
/** Of a call in the app itself, whose own choice of sizes comes on top. */
const IN_APP = {
  /** Milliseconds: what is sent both ways while a call moves to the relay is not what it takes there. */
  settle: 30_000,
  people: 6,
  picture: HAS_MANY_CORES ? PICTURE : { height: 180, frameRate: 5 },
  /** The others' microphones are off, as most are in a call of six. */
  speaking: 2,
  /** What a page paints, which is not what is measured, takes most where there is no graphics card. */
  window: { viewport: { width: 800, height: 600 } },
  /** Milliseconds between two people's joining: at once, they would be more than few cores bear. */
  pause: 5_000,
};

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

/** A call in the app: of each person's page. */
interface AppCall {
  readonly arm: "the app, in the mesh" | "the app, over LiveKit";
  /** Of one core. */
  readonly cpu: number;
  /** Shown in a second, of all that a page shows. */
  readonly pictures: number;
}

/**
 * Calls through one LiveKit server on this computer, each arm in turn and back again. All send 720p as VP8, 30 pictures a second
 * or 10 where there are fewer than eight cores, and see one other person in 720p and the rest in 180p, or all in 720p where there
 * is one size. Latency is from the stamp, drawn when the first page gets a picture, to the moment in which the second one's video
 * presents it. CPU is of pages with their workers, without LiveKit's. Beside it, calls of six in the app itself,
 * with its screens and its choice of sizes, in the mesh and over LiveKit: of 180p with 5 pictures a second where there are fewer cores.
 * Two have their microphones on, and sound is sent as it is: treating it costs the same both ways.
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
      const apps = [
        await appCall(bench, livekit, "the app, in the mesh"),
        await appCall(bench, livekit, "the app, over LiveKit"),
      ] as const;
      const rows = PEOPLE.full.flatMap((people) =>
        arms.flatMap((of) => {
          const those = calls.filter((call) => isOf(call, { ...of, people }));
          return those.length > 0 ? [row(those, { ...of, people })] : [];
        }),
      );
      return { rows: [...rows, ...apps.map(appRow)], summary: summary(calls, ...apps) };
    } finally {
      await livekit.program.stop();
    }
  },
};

type LiveKitNode = NonNullable<Awaited<ReturnType<typeof startLiveKit>>>;
type Kind = Pick<RelayCall, "arm" | "simulcast" | "people">;

const isOf = (call: RelayCall, { arm, simulcast, people }: Kind): boolean =>
  call.arm === arm && call.simulcast === simulcast && call.people === people;

async function callThrough(
  livekit: LiveKitNode,
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
      await page.ask("relayJoin", { arm, url: livekit.url, token, leaf, people, key, simulcast, picture: PICTURE });
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
  const less = shown.filter(({ others, height }) => others < pages.length - 1 || height < PICTURE.height).length;
  return less === 0 ? "" : `${less} of ${pages.length} do not, or not in ${PICTURE.height}p`;
}

async function appCall(bench: CommandBench, livekit: LiveKitNode, arm: AppCall["arm"]): Promise<AppCall> {
  const { ms } = bench.quick ? TIMES.quick : TIMES.full;
  const isRelayed = arm === "the app, over LiveKit";
  const environment = isRelayed ? { ...livekit.environment, MESH_PEOPLE: "2" } : {};
  const [server, browser] = [await Server.start({ environment }), await launch()];
  try {
    const pages = await callInApp(browser, server.url);
    await until(`everybody sees everybody in ${arm}`, async () => {
      const counts = await Promise.all(pages.map((page) => page.evaluate<number>(PLAYING)));
      const less = counts.filter((count) => count < IN_APP.people).length;
      return less === 0 ? "" : `${less} of ${IN_APP.people} do not`;
    });
    await until(`${arm}: as many are there as should be`, async () => {
      const there = (await livekit.participants()).length;
      return there === (isRelayed ? IN_APP.people : 0) ? "" : `${there} are`;
    });
    await pause(IN_APP.settle);
    const session = await browser.newBrowserCDPSession();
    const before = await shownBy(pages);
    const [percent] = await withCpu({ cpuSeconds: () => cpuSeconds(session, ["renderer"]) }, () => pause(ms));
    const pictures = (1_000 * ((await shownBy(pages)) - before)) / ms / IN_APP.people;
    const call = { arm, cpu: percent / 100 / IN_APP.people, pictures };
    bench.say(JSON.stringify(appRow(call)));
    return call;
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function callInApp(browser: Browser, home: string): Promise<Page[]> {
  const pages: Page[] = [];
  let link = "";
  for (let leaf = 0; leaf < IN_APP.people; leaf++) {
    const context = await browser.newContext({ locale: "en-US", ...IN_APP.window });
    await context.addInitScript(smallCamera, IN_APP.picture);
    await context.addInitScript(untreatedSound);
    const page = await context.newPage();
    if (link === "") link = await openCall(page, home);
    else await page.goto(link);
    if (leaf >= IN_APP.speaking) await pressControl(page, "Microphone");
    await joinCall(page, identityOf(leaf));
    pages.push(page);
    await pause(IN_APP.pause);
  }
  return pages;
}

/** In the page: how many videos show something, and how many pictures all of them have shown. */
const PLAYING = "[...document.querySelectorAll('video')].filter(({ videoHeight }) => videoHeight > 0).length";
const SHOWN =
  "[...document.querySelectorAll('video')].reduce((sum, video) => sum + video.getVideoPlaybackQuality().totalVideoFrames, 0)";

async function shownBy(pages: readonly Page[]): Promise<number> {
  const counts = await Promise.all(pages.map((page) => page.evaluate<number>(SHOWN)));
  return counts.reduce((sum, count) => sum + count, 0);
}

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
    picturesPerS: null,
    stillOnSwitchMs: still.length === 0 ? null : round(Math.max(...still), 0),
  };
}

function appRow({ arm, cpu, pictures }: AppCall): Row {
  const none = { simulcast: "", p50Ms: null, p95Ms: null, pictures: null, readFailures: null, freezes: null };
  const figures = { cpuPerPerson: round(cpu, 3), picturesPerS: round(pictures, 1) };
  return { arm, ...none, people: IN_APP.people, fpsLeast: null, ...figures, stillOnSwitchMs: null };
}

const cpuOf = (calls: readonly RelayCall[]): number =>
  quantile(
    calls.map(({ cpu }) => cpu),
    0.5,
  );

/** Latency is of two people, with several sizes: what a call through the relay is. */
function summary(calls: readonly RelayCall[], mesh: AppCall, relayed: AppCall): Record<string, number> {
  const of = (arm: RelayArm, people: number) => calls.filter((call) => isOf(call, { arm, people, simulcast: true }));
  const p50 = (arm: RelayArm) => Number(row(of(arm, 2), { arm, people: 2, simulcast: true }).p50Ms);
  return {
    oursP50Ms: p50("ours"),
    livekitE2eeP50Ms: p50("LiveKit's encryption"),
    plainP50Ms: p50("plain"),
    ratioToLivekitE2ee: round(p50("ours") / p50("LiveKit's encryption"), 3),
    freezeOnSwitchMs: round(Math.max(...of("ours", 2).map(({ stillMs }) => stillMs ?? Number.NaN)), 0),
    [`cpuMesh${IN_APP.people}`]: round(mesh.cpu, 3),
    [`cpuRelay${IN_APP.people}`]: round(relayed.cpu, 3),
    ratioOfCpuPerPictureRelayToMesh: round(relayed.cpu / relayed.pictures / (mesh.cpu / mesh.pictures), 3),
  };
}
