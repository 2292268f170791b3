import { parseArgs } from "node:util";
import { machine, withBench } from "./bench.ts";
import type { Experiment, LinkTerms, Results } from "./experiment.ts";
import { bandwidth } from "./experiments/bandwidth.ts";
import { batch } from "./experiments/batch.ts";
import { callLatency } from "./experiments/call-latency.ts";
import { capacity } from "./experiments/capacity.ts";
import { encoders } from "./experiments/encoders.ts";
import { framePath } from "./experiments/frame-path.ts";
import { leakage } from "./experiments/leakage.ts";
import { liveFanout } from "./experiments/live-fanout.ts";
import { liveKeys } from "./experiments/live-keys.ts";
import { measuringCost } from "./experiments/measuring-cost.ts";
import { membership } from "./experiments/membership.ts";
import { recordingCost } from "./experiments/recording-cost.ts";
import { selective } from "./experiments/selective.ts";
import { signallingLoad } from "./experiments/signalling-load.ts";
import { signatures } from "./experiments/signatures.ts";
import { threads } from "./experiments/threads.ts";
import { vault } from "./experiments/vault.ts";
import { table } from "./table.ts";

const experiments: ReadonlyMap<string, Experiment> = new Map(
  Object.entries({
    bandwidth,
    batch,
    "call-latency": callLatency,
    capacity,
    encoders,
    "frame-path": framePath,
    leakage,
    "live-fanout": liveFanout,
    "live-keys": liveKeys,
    "measuring-cost": measuringCost,
    membership,
    "recording-cost": recordingCost,
    selective,
    "signalling-load": signallingLoad,
    signatures,
    threads,
    vault,
  }),
);

const LOOPBACK: LinkTerms = { mbitPerS: null, delayMs: 0, lossPercent: 0 };
const MOST_DELAY_MS = 2_000;

const usage = `Usage: npm run lab -- NAME [--quick] [--json]
       npm run lab -- call-latency [--rate MBIT | --delay MS --loss PERCENT]
       npm run lab -- --list

${list()}
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (typeof asked === "string") return refuse(asked);
  if (asked.list) return print(list());
  const [name = "", ...more] = asked.names;
  const experiment = experiments.get(name);
  if (name === "" || more.length > 0) return refuse("Name one experiment.");
  if (experiment === undefined) return refuse(`There is no experiment "${name}".`);
  const link = linkOf(asked);
  if (typeof link === "string") return refuse(link);
  if (link !== null && !("takesLink" in experiment)) return refuse(`"${name}" takes no --rate, --delay or --loss.`);
  return run(name, experiment, { ...asked, link: link ?? LOOPBACK });
}

interface Terms {
  quick: boolean;
  json: boolean;
  link: LinkTerms;
}

async function run(name: string, experiment: Experiment, { quick, json, link }: Terms) {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const start = (machine: string) =>
    say(`${experiment.about}\non ${machine}${quick ? "\nQuick: the figures are rough." : ""}`);
  const tell = (machine: string, results: Results) =>
    print(json ? JSON.stringify({ experiment: name, machine, ...results }) : readable(results));
  if ("runAlone" in experiment) {
    start(machine());
    return tell(machine(), await experiment.runAlone({ quick, say }));
  }
  return withBench({ quick, say, link }, async (bench, machine) => {
    start(machine);
    return tell(machine, await experiment.run(bench));
  });
}

function readable({ rows, summary }: Results): string {
  const lines = Object.entries(summary).map(([name, value]) => `${name}: ${value}`);
  return `\n${table(rows)}\n\n${lines.join("\n")}`;
}

/** What was asked for, or what is wrong with it. */
function parse(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    const text = { type: "string" } as const;
    const options = { quick: flag, json: flag, list: flag, rate: text, delay: text, loss: text };
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { ...values, names: positionals };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Null: none was asked for; a text: what is wrong with it. */
function linkOf(asked: { rate?: string; delay?: string; loss?: string }): LinkTerms | string | null {
  const { rate, delay, loss } = asked;
  if (rate === undefined && delay === undefined && loss === undefined) return null;
  if (rate !== undefined && (delay ?? loss) !== undefined) return "Give either --rate or --delay and --loss.";
  const mbitPerS = rate === undefined ? null : numberOf(rate.replace(/mbit$/, ""));
  const [delayMs, lossPercent] = [numberOf(delay ?? "0"), numberOf(loss ?? "0")];
  if (Number.isNaN(mbitPerS) || mbitPerS === 0) return "--rate is a number of Mbit/s, as 5mbit.";
  if (!(delayMs <= MOST_DELAY_MS)) return `--delay is a number of milliseconds up to ${MOST_DELAY_MS}.`;
  if (!(lossPercent <= 100)) return "--loss is a number of percent.";
  return { mbitPerS, delayMs, lossPercent };
}

function numberOf(text: string): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

function list(): string {
  return [...experiments].map(([name, { about }]) => `${name.padEnd(12)}${about}`).join("\n");
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n\n${usage}`);
  return 2;
}
