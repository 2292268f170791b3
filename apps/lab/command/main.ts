import { parseArgs } from "node:util";
import { bandwidth } from "../experiments/bandwidth/experiment.command.ts";
import { batch } from "../experiments/batch/experiment.command.ts";
import { callLatency } from "../experiments/call-latency/experiment.command.ts";
import { capacity } from "../experiments/capacity/experiment.ts";
import { effects } from "../experiments/effects/experiment.command.ts";
import { encoders } from "../experiments/encoders/experiment.command.ts";
import { framePath } from "../experiments/frame-path/experiment.ts";
import { leakage } from "../experiments/leakage/experiment.command.ts";
import { liveFanout } from "../experiments/live-fanout/experiment.command.ts";
import { liveKeys } from "../experiments/live-keys/experiment.command.ts";
import { liveWide } from "../experiments/live-wide/experiment.command.ts";
import { measuringCost } from "../experiments/measuring-cost/experiment.ts";
import { membership } from "../experiments/membership/experiment.command.ts";
import { recordingCost } from "../experiments/recording-cost/experiment.command.ts";
import { relay } from "../experiments/relay/experiment.command.ts";
import { selective } from "../experiments/selective/experiment.command.ts";
import { signallingLoad } from "../experiments/signalling-load/experiment.command.ts";
import { signatures } from "../experiments/signatures/experiment.ts";
import { threads } from "../experiments/threads/experiment.command.ts";
import { vault } from "../experiments/vault/experiment.command.ts";
import { catalogue, described, type ExperimentName } from "../src/shared/catalogue.ts";
import { writtenMachine } from "../src/shared/report.ts";
import { joined, type Machine, MeasuredValues, type ResultsFile } from "../src/shared/results.ts";
import { runAll } from "./all.ts";
import { machine, withBench } from "./bench.ts";
import type { Experiment, LinkTerms, Results } from "./experiment.ts";
import { commitOf, record, report } from "./record.ts";
import { table } from "./table.ts";

/** What runs each experiment of the catalogue. */
const experiments: Readonly<Record<ExperimentName, Experiment>> = {
  bandwidth,
  batch,
  "call-latency": callLatency,
  capacity: { run: capacity },
  effects,
  encoders,
  "frame-path": { run: framePath },
  leakage,
  "live-fanout": liveFanout,
  "live-keys": liveKeys,
  "live-wide": liveWide,
  "measuring-cost": { run: measuringCost },
  membership,
  "recording-cost": recordingCost,
  relay,
  selective,
  "signalling-load": signallingLoad,
  signatures: { run: signatures },
  threads,
  vault,
};

const LOOPBACK: LinkTerms = { mbitPerS: null, delayMs: 0, lossPercent: 0 };
const MOST_RUNS = 20;
const MOST_DELAY_MS = 2_000;

const usage = `Usage: npm run lab -- NAME [--quick] [--json] [--runs N] [--record]
       npm run lab -- all [--quick]     every experiment, each recorded
       npm run lab -- call-latency [--rate MBIT | --delay MS --loss PERCENT]
       npm run lab -- report            writes docs/results/README.md and its plots again, of the results that are there
       npm run lab -- --list

--record keeps the results in docs/results. The page /lab runs in a browser what can run in one page: npm start.

${list()}
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (typeof asked === "string") return refuse(asked);
  if (asked.list) return print(list());
  const [name = "", ...more] = asked.names;
  if (name === "all") return all(asked);
  if (name === "report") return rewrite(asked);
  const description = described(name);
  if (name === "" || more.length > 0) return refuse("Name one experiment.");
  if (description === null) return refuse(`There is no experiment "${name}".`);
  const link = linkOf(asked);
  if (typeof link === "string") return refuse(link);
  const runs = numberOf(asked.runs);
  if (!Number.isInteger(runs) || runs < 1 || runs > MOST_RUNS)
    return refuse(`--runs is a number from 1 to ${MOST_RUNS}.`);
  if (link !== null && !("takesLink" in experiments[description.name]))
    return refuse(`"${name}" takes no --rate, --delay or --loss.`);
  if (link !== null && asked.record) return refuse("Only what runs over loopback is recorded.");
  return run(description, { ...asked, runs, link: link ?? LOOPBACK });
}

function all({ quick, json, record, runs, names, ...rest }: Asked): Promise<number> | number {
  const isMore =
    json || record || runs !== "1" || names.length > 1 || (rest.rate ?? rest.delay ?? rest.loss) !== undefined;
  if (isMore) return refuse('"all" takes --quick and nothing else.');
  return runAll(quick, say);
}

async function rewrite({ names }: Asked): Promise<number> {
  if (names.length > 1) return refuse('"report" takes nothing else.');
  const problems = await report();
  for (const problem of problems) say(problem);
  return problems.length;
}

interface Terms {
  quick: boolean;
  json: boolean;
  record: boolean;
  runs: number;
  link: LinkTerms;
}

type Asked = Exclude<ReturnType<typeof parse>, string>;

async function run({ name, title, measures }: Known, { json, ...terms }: Terms): Promise<number> {
  say(`${title}: ${measures}`);
  const file = await measure(name, terms);
  if (terms.record) {
    const problems = await record(file);
    say([`Kept in docs/results/${name}.json`, ...problems].join("\n"));
  }
  return print(json ? JSON.stringify(file) : readable(file));
}

type Known = NonNullable<ReturnType<typeof described>>;

/** One run after the other, each with a browser of its own. */
async function measure(experiment: ExperimentName, { quick, runs, link }: Omit<Terms, "json">): Promise<ResultsFile> {
  const [date, since] = [new Date().toISOString(), performance.now()];
  const measured = new MeasuredValues();
  const results: Results[] = [];
  let on: Machine | null = null;
  const begin = (machine: Machine) => {
    if (on === null) say(`on ${writtenMachine(machine)}${quick ? "\nQuick: the figures are rough." : ""}`);
    else say(`Run ${results.length + 1} of ${runs}`);
    on ??= machine;
  };
  while (results.length < runs) results.push(await once(experiments[experiment], { quick, link, measured, begin }));
  const seconds = Math.round((performance.now() - since) / 1000);
  return joined({ experiment, date, commit: commitOf(), quick, seconds, machine: on ?? machine() }, results, measured);
}

interface Run {
  readonly quick: boolean;
  readonly link: LinkTerms;
  readonly measured: MeasuredValues;
  readonly begin: (machine: Machine) => void;
}

function once(experiment: Experiment, { quick, link, measured, begin }: Run): Promise<Results> {
  if ("runAlone" in experiment) {
    begin(machine());
    return experiment.runAlone({ quick, say });
  }
  const terms = { quick, say, link, measured: (arm: string, value: number) => measured.add(arm, value) };
  return withBench(terms, (bench, machine) => {
    begin(machine);
    return experiment.run(bench);
  });
}

function readable({ rows, summary }: ResultsFile): string {
  const lines = Object.entries(summary).map(([name, value]) => `${name}: ${value ?? "-"}`);
  return `\n${table(rows)}\n\n${lines.join("\n")}`;
}

/** What was asked for, or what is wrong with it. */
function parse(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    const text = { type: "string" } as const;
    const runs = { type: "string", default: "1" } as const;
    const options = { quick: flag, json: flag, list: flag, record: flag, runs, rate: text, delay: text, loss: text };
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { ...values, names: positionals };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Null: none was asked for; a text: what is wrong with it. */
function linkOf(asked: Pick<Asked, "rate" | "delay" | "loss">): LinkTerms | string | null {
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
  return catalogue.map(({ name, measures }) => `${name.padEnd(16)}${measures}`).join("\n");
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n\n${usage}`);
  return 2;
}
