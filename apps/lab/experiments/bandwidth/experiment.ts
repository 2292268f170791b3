import { balanced } from "../../src/shared/balance.ts";
import { FILMED } from "../../src/shared/camera.ts";
import type { Bench, OurFigure, Results, Row } from "../../src/shared/experiment.ts";
import { figureKey } from "../../src/shared/papers.ts";
import { search } from "../../src/shared/search.ts";
import { median, round } from "../../src/shared/statistics.ts";
import {
  type Burst,
  type BurstTimes,
  lagPercent,
  type NodeCipher,
  type PacketLoad,
  type PageCipher,
  type Point,
  type PointRun,
} from "./bandwidth.ts";
import { AUDIO, BANDWIDTHS, critical, described, PAPER_MOST, PAPER_ROWS, SWEPT, TEXT, VIDEO } from "./paper.ts";

const PAGE = "Chromium, one worker";
const NODE = "Node's OpenSSL";
const PAGE_CIPHERS = ["Blank", "AES-256-GCM", "AES-128-GCM", "XChaCha20-Poly1305"] as const;
const NODE_CIPHERS = ["Blank", "AES-256-GCM", "AES-128-GCM", "DES-CBC (broken)", "RC4 (broken)"] as const;
/** Further behind at the end, a cipher has not kept up. */
const MOST_LAG_PERCENT = 5;
/** Of a critical bandwidth. */
const PRECISION = 0.03;
const SEARCHES = 3;
/** Enough bytes that a round is no shorter than a busy moment of the machine. */
const ROUNDS = { text: 5, audio: 51, video: 101, sweep: 5, frames: 5 };
const FRAMES = 100;
const KEPT = "kept";
const MISSED = "missed";

/** A Node process that has the paper's ciphers. One request at a time. */
export interface NodeCiphers {
  burst(burst: Burst<NodeCipher>): Promise<BurstTimes>;
  point(point: Point<NodeCipher>): Promise<PointRun>;
}

/** A cipher somewhere, and all that is measured of it. */
interface Arm {
  readonly where: string;
  readonly cipher: PageCipher | NodeCipher;
  /** What is sent in the sweep. */
  readonly load: PacketLoad;
  burst(burst: Omit<Burst<never>, "type" | "cipher">): Promise<BurstTimes>;
  point(point: Pick<Point<never>, "mbitPerS" | "ms">): Promise<PointRun>;
  readonly swept: Swept[];
  /** Of each search. */
  readonly critical: number[];
}

interface Swept {
  readonly mbitPerS: number;
  readonly run: PointRun;
}

/** What a burst took, in all. */
interface Burnt extends BurstTimes {
  readonly arm: Arm;
  readonly name: string;
  readonly packets: number;
}

/**
 * T = Te + Tt + Td. Sealing as fast as it goes gives Te, opening gives Td; in the sweep packets come at a bandwidth,
 * which gives Te + Tt, and the critical bandwidth is the largest that a cipher keeps up with. `criticalMbitAesGcm` and
 * `teVideoMs` are the product's AES-256-GCM in Chromium; `criticalMbitDes` and `criticalMbitRc4` are Node's OpenSSL, in
 * which AES-GCM stands too, so that the two can be compared.
 */
export async function bandwidth(bench: Bench, openssl: NodeCiphers | null): Promise<Results> {
  await bench.ask("record", { ...FILMED, frames: bench.quick ? FRAMES / 4 : FRAMES });
  const arms = everyArm(bench, openssl);
  const bursts = await measureBursts(bench, arms);
  await sweep(bench, arms);
  await findCritical(bench, arms);
  const rows = [
    ...bursts.map(burstRow),
    ...arms.flatMap((arm) => sweepRows(arm, bursts)),
    ...arms.filter(isCipher).map(criticalRow),
  ];
  return { rows, summary: summary(arms, bursts), ours: arms.flatMap(beside) };
}

function everyArm(bench: Bench, openssl: NodeCiphers | null): Arm[] {
  const inPage = (cipher: PageCipher, load: PacketLoad): Arm => ({
    ...{ where: PAGE, cipher, load, swept: [], critical: [] },
    burst: (burst) => bench.ask("packetBurst", { type: "burst", cipher, ...burst }),
    point: (point) => bench.ask("packetPoint", { type: "point", cipher, load, ...point }),
  });
  const inNode = (cipher: NodeCipher, openssl: NodeCiphers): Arm => ({
    ...{ where: NODE, cipher, load: SWEPT.load, swept: [], critical: [] },
    burst: (burst) => openssl.burst({ type: "burst", cipher, ...burst }),
    point: (point) => openssl.point({ type: "point", cipher, load: SWEPT.load, ...point }),
  });
  return [
    ...PAGE_CIPHERS.map((cipher) => inPage(cipher, SWEPT.load)),
    inPage("Sealer and Opener", "frames"),
    ...(openssl === null ? [] : NODE_CIPHERS.map((cipher) => inNode(cipher, openssl))),
  ];
}

async function measureBursts(bench: Bench, arms: readonly Arm[]): Promise<Burnt[]> {
  const bursts: Burnt[] = [];
  const frames = { name: "frames", packets: FRAMES, load: "frames" } as const;
  for (const arm of arms) {
    bench.say(`Te and Td: ${arm.cipher}, ${arm.where}`);
    for (const { name, packets, load } of arm.load === "frames" ? [frames] : [TEXT, AUDIO, VIDEO, SWEPT]) {
      const rounds = bench.quick ? 1 : ROUNDS[name];
      bursts.push({ arm, name, packets, ...(await arm.burst({ load, packets, rounds })) });
    }
  }
  return bursts;
}

/** Over the paper's bandwidths, and on until no cipher has kept up twice in a row: once may be a busy moment. */
async function sweep(bench: Bench, arms: readonly Arm[]): Promise<void> {
  const orders = balanced(arms, BANDWIDTHS.length);
  for (const [number, mbitPerS] of BANDWIDTHS.entries()) {
    bench.say(`Sweep: ${mbitPerS} Mbit/s`);
    for (const arm of orders[number] ?? []) {
      const run = await keeping(bench, arm, mbitPerS);
      arm.swept.push({ mbitPerS, run });
      bench.measured(`${arm.cipher}, ${arm.where}`, lagPercent(run));
    }
    const keepsUp = ({ swept }: Arm) => swept.slice(-2).some(isKept);
    if (mbitPerS > PAPER_MOST && !arms.filter(isCipher).some(keepsUp)) return;
  }
}

/** With a second chance: a busy moment of the machine is not a limit of the cipher. */
async function keeping(bench: Bench, arm: Arm, mbitPerS: number): Promise<PointRun> {
  const run = await at(bench, arm, mbitPerS);
  return isKept({ run }) ? run : at(bench, arm, mbitPerS);
}

function at(bench: Bench, arm: Arm, mbitPerS: number): Promise<PointRun> {
  return arm.point({ mbitPerS, ms: bench.quick ? 60 : 200 });
}

function isKept({ run }: Pick<Swept, "run">): boolean {
  return lagPercent(run) < MOST_LAG_PERCENT;
}

function isCipher({ cipher }: Arm): boolean {
  return cipher !== "Blank";
}

async function findCritical(bench: Bench, arms: readonly Arm[]): Promise<void> {
  const searches = bench.quick ? 1 : SEARCHES;
  const ciphers = arms.filter(isCipher);
  for (const [number, order] of balanced(ciphers, searches).entries()) {
    bench.say(`Critical bandwidths, search ${number + 1} of ${searches}`);
    for (const arm of order) arm.critical.push(await searched(bench, arm));
  }
}

/** From where the sweep ended: its first missed bandwidth may have been missed in a busy spell. */
async function searched(bench: Bench, arm: Arm): Promise<number> {
  const steps = search(lastKept(arm.swept), PRECISION);
  let step = steps.next();
  while (!step.done) step = steps.next(isKept({ run: await at(bench, arm, step.value) }));
  return step.value;
}

/**
 * The last bandwidth of a sweep that was kept, whatever was missed below: no cipher keeps a bandwidth by luck, while bad
 * luck can make it miss one. The first of the sweep where none was kept.
 */
export function lastKept(swept: readonly Swept[]): number {
  return swept.findLast(isKept)?.mbitPerS ?? BANDWIDTHS[0];
}

function burstRow({ arm, name, packets, bytes, sealMs, openMs }: Burnt): Row {
  return row(arm, `Te and Td, ${name}: ${packets} of ${Math.round(bytes / packets)} B`, {
    packets,
    teMs: round(sealMs, 3),
    tdMs: round(openMs, 3),
    tdMsPer10000: round(per10000(openMs, packets), 1),
    note: [TEXT, AUDIO, VIDEO].some((of) => of.name === name) ? "the paper shows Te as bars without figures" : "",
  });
}

/** All of the paper's 10,000 packets, whatever number came in the time that a point has. */
function sweepRows(arm: Arm, bursts: readonly Burnt[]): Row[] {
  const opened = bursts.find(({ arm: of, name }) => of === arm && (name === SWEPT.name || name === "frames"));
  return arm.swept.map(({ mbitPerS, run }) => {
    const teAndTt = per10000(run.tookMs, run.packets);
    const td = opened === undefined ? Number.NaN : per10000(opened.openMs, opened.packets);
    const scaled = run.packets < SWEPT.packets ? `fewer packets: Te + Tt of 10,000 by scale from ${run.packets}` : "";
    return row(arm, `Te + Tt and T of 10,000 ${described(arm.load)}`, {
      mbitPerS,
      packets: run.packets,
      teTtMs: round(teAndTt, 1),
      tMs: round(teAndTt + td, 1),
      lagPercent: round(lagPercent(run), 1),
      result: isKept({ run }) ? KEPT : MISSED,
      note: scaled,
    });
  });
}

function criticalRow(arm: Arm): Row {
  return row(arm, `critical bandwidth, ${described(arm.load)}`, {
    mbitPerS: median(arm.critical),
    paperMbitPerS: critical(arm.cipher),
    note: "",
  });
}

function beside({ where, cipher, load, critical }: Arm): OurFigure[] {
  const row = load === "frames" ? undefined : PAPER_ROWS[cipher];
  if (row === undefined) return [];
  return [{ figure: figureKey("critical", row, "bandwidth"), arm: `${cipher}, ${where}`, value: median(critical) }];
}

function row({ where, cipher }: Arm, what: string, figures: Row): Row {
  const none = { mbitPerS: null, paperMbitPerS: null, packets: null, teMs: null, tdMs: null, tdMsPer10000: null };
  return { what, where, cipher, ...none, teTtMs: null, tMs: null, lagPercent: null, result: "", ...figures };
}

function summary(arms: readonly Arm[], bursts: readonly Burnt[]): Record<string, number> {
  const of = (where: string, cipher: Arm["cipher"]) =>
    median(arms.find((arm) => arm.where === where && arm.cipher === cipher)?.critical ?? []);
  const video = bursts.find(
    ({ arm, name }) => arm.where === PAGE && arm.cipher === "AES-256-GCM" && name === VIDEO.name,
  );
  return {
    criticalMbitAesGcm: of(PAGE, "AES-256-GCM"),
    criticalMbitDes: of(NODE, "DES-CBC (broken)"),
    criticalMbitRc4: of(NODE, "RC4 (broken)"),
    teVideoMs: round(video?.sealMs ?? Number.NaN, 3),
  };
}

function per10000(ms: number, packets: number): number {
  return (10_000 * ms) / packets;
}
