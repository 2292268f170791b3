import type { OurFigure, Row } from "../../src/shared/experiment.ts";
import { figureKey, paperFigure } from "../../src/shared/papers.ts";
import type { SelectiveKey } from "./selective.ts";

export type Percent = 25 | 50 | 75 | 100;
export const PERCENTS: readonly Percent[] = [25, 50, 75, 100];

/** Key sizes of the paper's, in characters of 4 bits. */
type PaperKey = 8 | 16 | 32;
export type PaperFigures = Readonly<Record<PaperKey, readonly [at25: number, at50: number, at75: number]>>;

/** The paper's tables of each key and rate. */
export const PAPER = {
  encMs: byKey("enc"),
  decMs: byKey("dec"),
  memoryMb: byKey("memory"),
  wlanMs: byKey("wlan"),
  slowMs: byKey("slow"),
};

/** The sender's CPU in the paper: at 50 %, with its longest key. */
export const PAPER_CPU = {
  lowest: [null, paperFigure("cpu", "key 32", "lowest")],
  highest: [null, paperFigure("cpu", "key 32", "highest")],
} as const;

function byKey(table: string): PaperFigures {
  const of = (key: PaperKey, percent: Percent) => paperFigure(table, `key ${key}`, `${percent} %`) ?? Number.NaN;
  const figures = (key: PaperKey) => [of(key, 25), of(key, 50), of(key, 75)] as const;
  return { 8: figures(8), 16: figures(16), 32: figures(32) };
}

/** One for each of PERCENTS; null, or left out at the end, where there is none. */
export type PolicyFigures = readonly (number | null)[];

/** The paper's longest key stands beside both of ours: it is as long as AES-128's, in a scheme named after AES-256. */
const LONGEST: PaperKey = 32;
const NOT_OFFERED: readonly { key: string; paperKey: PaperKey }[] = [
  { key: "32 bits", paperKey: 8 },
  { key: "64 bits", paperKey: 16 },
];

/** A table of the paper's beside ours; first the keys that we do not offer. */
export function besides(
  what: string,
  paper: PaperFigures,
  ours: Readonly<Partial<Record<SelectiveKey, PolicyFigures>>>,
  note = "",
): Row[] {
  return [
    ...NOT_OFFERED.flatMap(({ key, paperKey }) =>
      rows(what, key, [null, null, null], paper[paperKey], "no key so short is offered"),
    ),
    ...Object.entries(ours).flatMap(([key, figures]) => rows(what, key, figures, paper[LONGEST], note)),
  ];
}

/** Figures of ours beside the paper's longest key, at the rates that it tried. */
export function oursOf(table: string, arm: string, figures: PolicyFigures): OurFigure[] {
  return figures.slice(0, PERCENTS.length - 1).flatMap((value, i) => {
    const figure = figureKey(table, `key ${LONGEST}`, `${PERCENTS[i]} %`);
    return value === null ? [] : [{ figure, arm, value }];
  });
}

/** Each rate's figure in a row of its own. */
export function rows(what: string, key: string, ours: PolicyFigures, paper: PolicyFigures = [], note = ""): Row[] {
  return ours.map((figure, i) => ({
    what,
    key,
    percent: PERCENTS[i] ?? null,
    ours: figure,
    paper: paper[i] ?? null,
    note,
  }));
}
