import type { Stats } from "../peer/link-stats.ts";

/** Sums over a while: the difference of two totals, a few steps apart. */
export class Totals {
  readonly #steps: number;
  readonly #kept = new Map<string, number[]>();

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Of what will not come again. */
  forget(isOver: (name: string) => boolean): void {
    for (const name of this.#kept.keys()) if (isOver(name)) this.#kept.delete(name);
  }

  /** Once a step. By how much a total grew over the last steps; NaN at first, and where it begins again. */
  grew(name: string, total: number | undefined): number {
    const kept = this.#kept.get(name) ?? [];
    this.#kept.set(name, kept);
    const first = kept[0];
    if (total === undefined || !Number.isFinite(total) || total < (kept.at(-1) ?? 0)) {
      kept.length = 0;
      if (total === undefined || !Number.isFinite(total)) return Number.NaN;
    }
    kept.push(total);
    if (kept.length > this.#steps) kept.shift();
    return first === undefined || kept.length === 1 ? Number.NaN : total - first;
  }
}

/** The numbers in a connection's statistics, by `ID/member`, and each id's type. Nothing that names anybody. */
export function numbersOf(stats: readonly Stats[]): { type: string; id: string; members: [string, number][] }[] {
  return stats.filter(isTold).map((entry) => {
    const { id, type, timestamp, ...members } = entry;
    const numbers = Object.entries(members).filter((member): member is [string, number] => Number.isFinite(member[1]));
    return { type, id: id.replace(/[^A-Za-z0-9_-]/g, "").slice(0, 24), members: numbers };
  });
}

/** The pair that media takes: browsers keep others that were nominated before. */
export function pathOf(stats: readonly Stats[]): Stats | undefined {
  const chosen = stats.find(({ type }) => type === "transport")?.selectedCandidatePairId;
  return (
    stats.find(({ id }) => id === chosen) ?? stats.find(({ type, nominated }) => type === "candidate-pair" && nominated)
  );
}

const TOLD = [
  "inbound-rtp",
  "outbound-rtp",
  "remote-inbound-rtp",
  "remote-outbound-rtp",
  "media-source",
  "media-playout",
];

function isTold({ type, nominated }: Stats): boolean {
  return TOLD.includes(type) || (type === "candidate-pair" && nominated === true);
}
