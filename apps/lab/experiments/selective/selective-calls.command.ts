import { randomBytes } from "node:crypto";
import { latenciesOf } from "@sealcast/latency/figures";
import { type Lab, openLab } from "../../command/bench.ts";
import type { CommandBench } from "../../command/experiment.ts";
import { type ShapedLink, shapedLink } from "../../command/shaped.ts";
import { balanced } from "../../src/shared/balance.ts";
import { withCpu } from "../../src/shared/cpu.ts";
import { quantile } from "../../src/shared/statistics.ts";
import { PERCENTS, type Percent } from "./paper.ts";
import type { CallSeen, CallTerms } from "./selective.ts";

const LINES = 720;
const SLOW_MBIT_PER_S = 5;
const ROUNDS = 2;

/** Two pages and what is between them. */
interface Line {
  readonly name: LinkName;
  readonly sender: Lab;
  readonly receiver: Lab;
}

export type LinkName = "loopback" | "slow";

/** Some seconds of a call. */
export interface SelectiveCall {
  readonly link: LinkName;
  readonly percent: Percent;
  /** From the camera to the far page's screen, of each picture that came, in milliseconds. */
  readonly delays: readonly number[];
  readonly freezes: number;
  /** Of one core, by the sending page's process. */
  readonly cpuPercent: number;
}

/** Has two pages call each other: from then on video is sent. `tell` may change the description that an end gets of the other. */
export async function connect(
  { sender, receiver }: Pick<Line, "sender" | "receiver">,
  terms: CallTerms,
  tell = (sdp: string, _of: "near" | "far") => sdp,
): Promise<void> {
  const offer = await sender.ask("callOffer", terms);
  const answer = await receiver.ask("callAnswer", terms, tell(offer, "near"));
  await sender.ask("callAnswered", tell(answer, "far"));
}

/** Calls over each link with each rate, in turn. `missing`: why there is no slow link. */
export async function measureCalls(bench: CommandBench): Promise<{ calls: SelectiveCall[]; missing: string | null }> {
  const shaped = shapedLink(SLOW_MBIT_PER_S);
  const missing = "missing" in shaped ? shaped.missing : null;
  const lines: Line[] = [];
  try {
    lines.push(await open("loopback"));
    if ("browsers" in shaped) lines.push(await open("slow", shaped.browsers));
    else bench.say(`No link of ${SLOW_MBIT_PER_S} Mbit/s: ${shaped.missing}`);
    return { calls: await callEach(bench, lines), missing };
  } finally {
    for (const { sender, receiver } of lines) await Promise.all([sender.close(), receiver.close()]);
    if ("browsers" in shaped) shaped.close();
  }
}

async function open(name: LinkName, [near, far]: Partial<ShapedLink["browsers"]> = []): Promise<Line> {
  const [sender, receiver] = await Promise.all([openLab({ executable: near }), openLab({ executable: far })]);
  return { name, sender, receiver };
}

async function callEach(bench: CommandBench, lines: readonly Line[]): Promise<SelectiveCall[]> {
  const arms = lines.flatMap((line) => PERCENTS.map((percent) => ({ line, percent })));
  const calls: SelectiveCall[] = [];
  for (const [round, order] of balanced(arms, bench.quick ? 1 : ROUNDS).entries()) {
    bench.say(`Calls, round ${round + 1}`);
    for (const { line, percent } of order) calls.push(await call(bench, line, percent));
  }
  return calls;
}

async function call(bench: CommandBench, line: Line, percent: Percent): Promise<SelectiveCall> {
  const { name, sender, receiver } = line;
  const terms = { arm: "sealed", percent, key: Uint8Array.from(randomBytes(32)) } as const;
  const times = bench.quick ? { warmUp: 2_000, ms: 3_000 } : { warmUp: 6_000, ms: 8_000 };
  await connect(line, terms);
  await receiver.ask("callWatch", times.warmUp);
  const [cpuPercent, seen] = await withCpu(sender, () => receiver.ask("callWatch", times.ms));
  await Promise.all([sender.ask("callEnd"), receiver.ask("callEnd")]);
  const took = latenciesOf(seen.pictures);
  check(seen, took);
  const sealed = Math.round(100 * (1 - seen.readable / seen.opened));
  const ms = (q: number) => quantile(took, q).toFixed(1);
  bench.say(
    `${name}, ${percent} %: ${ms(0.5)} ms (p95 ${ms(0.95)}), ${seen.freezes} freezes, ${sealed} % of frames came sealed`,
  );
  return { link: name, percent, delays: took, freezes: seen.freezes, cpuPercent };
}

/** A call whose picture shrank or did not come says nothing of latency. */
function check({ height, decoded }: CallSeen, took: readonly number[]): void {
  if (height !== LINES) throw new Error(`the picture came with ${height} lines, not ${LINES}`);
  if (took.length < decoded / 4) throw new Error(`of ${decoded} pictures, the stamps of ${took.length} could be read`);
}
