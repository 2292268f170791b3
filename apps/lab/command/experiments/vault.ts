import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type { VaultArm, VaultPassed } from "../../src/shared/vault.ts";
import type { BlowfishPass, BlowfishPassed } from "../blowfish-child.ts";
import type { Bench, Experiment, Row } from "../experiment.ts";

/** "ParallelFS" over ext4: 19.2 MB/s written, 37.1 read, plain 123.2 and 155.1; means of 20 runs from 5 to 50 MB. */
const PAPER = { sealed: { write: 19.2, read: 37.1 }, plain: { write: 123.2, read: 155.1 } };
const MB = 1e6;
const SIZES_MB = [5, 10, 20, 30, 40, 50];
const LARGE_MB = 1000;
const RUNS = 20;
const LARGE_RUNS = 3;
/** Seen from dist/command, where this runs. */
const CHILD = join(import.meta.dirname, "blowfish-child.js");

interface Arm {
  readonly name: string;
  readonly run: (bytes: number) => Promise<VaultPassed>;
}

/** MB a second, of each run. */
interface Rates {
  readonly write: number[];
  readonly read: number[];
}

export const vault: Experiment = {
  about:
    "The paper's file system: files sealed and opened by one worker and by all, in the clear, and with its Blowfish",

  async run(bench) {
    const blowfish = new Blowfish();
    const all = Math.max(2, cpus().length);
    try {
      const arms = [
        ...inPage(bench, all),
        { name: "Blowfish-128-CTR, RSA-2048 (broken; Node, ext4)", run: (bytes: number) => blowfish.pass(bytes) },
      ];
      const rows: Row[] = [];
      const rates = new Map<string, Rates>();
      for (const megabytes of bench.quick ? [20] : [...SIZES_MB, LARGE_MB]) {
        bench.say(`${megabytes} MB`);
        const runs = bench.quick ? 3 : megabytes === LARGE_MB ? LARGE_RUNS : RUNS;
        for (const [name, rate] of await measure(arms, megabytes * MB, runs)) {
          rows.push(row(name, megabytes, rate));
          rates.set(name, joined(rates.get(name), rate));
        }
      }
      return { rows, summary: summary(rates, all) };
    } finally {
      blowfish.close();
    }
  },
};

function inPage({ ask }: Bench, all: number): Arm[] {
  const arms: [string, VaultArm][] = [
    ["plain", { type: "plain" }],
    ["sealed, 1 worker", { type: "sealed", workers: 1 }],
    [`sealed, ${all} workers`, { type: "sealed", workers: all }],
  ];
  return arms.map(([name, arm]) => ({ name, run: (bytes) => ask("vaultPass", { arm, bytes }) }));
}

/** All arms in turn in each round, so that each round has them under the same conditions. The first round does not count. */
async function measure(arms: readonly Arm[], bytes: number, runs: number): Promise<Map<string, Rates>> {
  const rates = new Map(arms.map(({ name }): [string, Rates] => [name, { write: [], read: [] }]));
  for (let round = 0; round <= runs; round++) {
    for (const { name, run } of arms) {
      const { writeMs, readMs } = await run(bytes);
      if (round === 0) continue;
      rates.get(name)?.write.push(bytes / MB / (writeMs / 1000));
      rates.get(name)?.read.push(bytes / MB / (readMs / 1000));
    }
  }
  return rates;
}

function row(name: string, megabytes: number, { write, read }: Rates): Row {
  const paper = name === "plain" ? PAPER.plain : PAPER.sealed;
  return {
    arm: name,
    megabytes,
    writeMBps: round(mean(write), 1),
    readMBps: round(mean(read), 1),
    paperWriteMBps: paper.write,
    paperReadMBps: paper.read,
  };
}

function summary(rates: ReadonlyMap<string, Rates>, all: number): Record<string, number> {
  const of = (name: string): Rates => rates.get(name) ?? { write: [], read: [] };
  const [plain, one, many] = [of("plain"), of("sealed, 1 worker"), of(`sealed, ${all} workers`)];
  return {
    writeMBps: round(mean(many.write), 0),
    readMBps: round(mean(many.read), 0),
    parallelWriteGain: round(gain(many.write, one.write), 2),
    parallelReadGain: round(gain(many.read, one.read), 2),
    plainWriteMBps: round(mean(plain.write), 0),
    plainReadMBps: round(mean(plain.read), 0),
  };
}

/** Of the pairs of each round, the median. */
function gain(many: readonly number[], one: readonly number[]): number {
  const gains = many.map((rate, i) => rate / (one[i] ?? rate)).sort((a, b) => a - b);
  return gains[Math.floor(gains.length / 2)] ?? Number.NaN;
}

function joined(before: Rates | undefined, { write, read }: Rates): Rates {
  return { write: [...(before?.write ?? []), ...write], read: [...(before?.read ?? []), ...read] };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** The paper's cipher, in a Node process whose OpenSSL has it. Its files lie in a directory that `close` removes. */
class Blowfish {
  readonly #child: ChildProcess = fork(CHILD, { execArgv: ["--openssl-legacy-provider"] });
  readonly #directory = mkdtempSync(join(tmpdir(), "sealcast-lab-"));

  pass(bytes: number): Promise<BlowfishPassed> {
    return new Promise((resolve, reject) => {
      this.#child.removeAllListeners();
      this.#child.once("message", (passed) => resolve(passed as BlowfishPassed));
      this.#child.once("exit", () => reject(new Error("Node's OpenSSL failed: see the lines above")));
      const pass: BlowfishPass = { directory: this.#directory, bytes };
      this.#child.send(pass);
    });
  }

  close(): void {
    this.#child.removeAllListeners();
    this.#child.kill();
    rmSync(this.#directory, { recursive: true });
  }
}
