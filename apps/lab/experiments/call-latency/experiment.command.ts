import { randomBytes } from "node:crypto";
import { latenciesOf, type Sighting } from "@sealcast/latency/figures";
import { Relay } from "@sealcast/testbed";
import { type Lab, openLab } from "../../command/bench.ts";
import type { CommandBench, Experiment, LinkTerms, Row } from "../../command/experiment.ts";
import { shapedLink } from "../../command/shaped.ts";
import { balanced } from "../../src/shared/balance.ts";
import { withCpu } from "../../src/shared/cpu.ts";
import { quantile, round } from "../../src/shared/statistics.ts";
import type { CallArm, CallSeen } from "../selective/selective.ts";
import { connect } from "../selective/selective-calls.command.ts";

const ARMS: readonly CallArm[] = ["no transform", "pass-through", "sealed", "two layers"];
const LINES = 720;
const TIMES = { full: { warmUp: 8_000, ms: 30_000, rounds: 2 }, quick: { warmUp: 3_000, ms: 4_000, rounds: 2 } };

/** Some seconds of a call. */
interface Call {
  readonly arm: CallArm;
  readonly pictures: readonly Sighting[];
  readonly seen: Omit<CallSeen, "pictures">;
  readonly sealP95Us: number;
  /** Of one core, by both pages' processes. */
  readonly cpu: number;
}

/** Two pages and the network between them. */
interface Line {
  readonly sender: Lab;
  readonly receiver: Lab;
  readonly relay: Relay | null;
}

/**
 * A 720p call in one direction between two browsers, each arm in turn and back again. Latency is from the stamp, drawn when
 * the sending page gets a picture, to the moment in which the receiving page's video presents it. CPU is of the two pages'
 * processes with their workers: camera, stamps, encoder, network, decoder and drawing.
 */
export const callLatency: Experiment = {
  takesLink: true,

  async run(bench) {
    const { rounds } = bench.quick ? TIMES.quick : TIMES.full;
    const calls: Call[] = [];
    await withLine(bench.link, async (line) => {
      for (const order of balanced(ARMS, rounds))
        for (const arm of order) {
          const made = await call(bench, line, arm);
          calls.push(made);
          bench.say(JSON.stringify(row([made], arm)));
        }
    });
    return { rows: ARMS.map((arm) => row(calls, arm)), summary: summary(calls) };
  },
};

async function withLine(terms: LinkTerms, work: (line: Line) => Promise<void>): Promise<void> {
  const shaped = terms.mbitPerS === null ? null : shapedLink(terms.mbitPerS);
  if (shaped !== null && "missing" in shaped) throw new Error(`No link of ${terms.mbitPerS} Mbit/s: ${shaped.missing}`);
  const relay = terms.delayMs > 0 || terms.lossPercent > 0 ? await Relay.open(terms) : null;
  const [near, far] = shaped?.browsers ?? [];
  const [sender, receiver] = await Promise.all([openLab({ executable: near }), openLab({ executable: far })]);
  try {
    await work({ sender, receiver, relay });
  } finally {
    await Promise.all([sender.close(), receiver.close()]);
    relay?.close();
    shaped?.close();
  }
}

async function call(bench: CommandBench, line: Line, arm: CallArm): Promise<Call> {
  const { sender, receiver, relay } = line;
  const { warmUp, ms } = bench.quick ? TIMES.quick : TIMES.full;
  const terms = { arm, percent: 100, key: Uint8Array.from(randomBytes(32)) };
  await connect(line, terms, (sdp, of) => relay?.describe(sdp, of) ?? sdp);
  await receiver.ask("callWatch", warmUp);
  const both = { cpuSeconds: async () => (await sender.cpuSeconds()) + (await receiver.cpuSeconds()) };
  const [cpuPercent, { pictures, ...seen }] = await withCpu(both, () => receiver.ask("callWatch", ms));
  const sealP95Us = await sender.ask("callSealP95Us");
  await Promise.all([sender.ask("callEnd"), receiver.ask("callEnd")]);
  if (seen.height !== LINES) throw new Error(`${arm}: the picture came with ${seen.height} lines, not ${LINES}`);
  return { arm, pictures, seen, sealP95Us, cpu: cpuPercent / 100 };
}

function row(calls: readonly Call[], arm: CallArm): Row {
  const of = calls.filter((call) => call.arm === arm);
  const took = of.flatMap(({ pictures }) => latenciesOf(pictures));
  const each = (figure: (call: Call) => number) => quantile(of.map(figure), 0.5);
  return {
    arm,
    p50Ms: round(quantile(took, 0.5), 1),
    p95Ms: round(quantile(took, 0.95), 1),
    p99Ms: round(quantile(took, 0.99), 1),
    pictures: took.length,
    readFailures: of.reduce((sum, { pictures }) => sum + unread(pictures), 0),
    freezes: of.reduce((sum, { seen }) => sum + seen.freezes, 0),
    sealP95Us: round(
      each(({ sealP95Us }) => sealP95Us),
      0,
    ),
    openP95Us: round(
      each(({ seen }) => seen.transformP95Us),
      0,
    ),
    cpu: round(
      each(({ cpu }) => cpu),
      3,
    ),
  };
}

function summary(calls: readonly Call[]): Record<string, number> {
  const [plain, sealed] = [row(calls, "no transform"), row(calls, "sealed")];
  const ratio = (field: "p50Ms" | "cpu") => round(Number(sealed[field]) / Number(plain[field]), 3);
  return {
    plainP50Ms: Number(plain.p50Ms),
    sealedP50Ms: Number(sealed.p50Ms),
    ratioP50: ratio("p50Ms"),
    plainP95Ms: Number(plain.p95Ms),
    sealedP95Ms: Number(sealed.p95Ms),
    sealP95Us: Number(sealed.sealP95Us),
    openP95Us: Number(sealed.openP95Us),
    cpuRatio: ratio("cpu"),
    stampReadFailures: calls.reduce((sum, { pictures }) => sum + unread(pictures), 0),
  };
}

function unread(pictures: readonly Sighting[]): number {
  return pictures.filter(({ stamp }) => stamp === null).length;
}
