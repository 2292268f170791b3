import type { SelectiveKey } from "../../src/shared/selective.ts";
import type { Row } from "../experiment.ts";

export type Percent = 25 | 50 | 75 | 100;
export const PERCENTS: readonly Percent[] = [25, 50, 75, 100];

/** Key sizes of the paper's, in characters of 4 bits. */
type PaperKey = 8 | 16 | 32;
export type PaperFigures = Readonly<Record<PaperKey, readonly [at25: number, at50: number, at75: number]>>;

/** Tables 1 to 3 of "Selective-Packet Encryption Scheme with Authentication for Real-time Video Streaming Session". */
export const PAPER = {
  encMs: { 8: [1.44, 2.25, 2.77], 16: [1.54, 2.26, 2.96], 32: [1.67, 2.42, 3.35] },
  decMs: { 8: [13.87, 25.3, 35.82], 16: [14.22, 24.63, 37.37], 32: [15.24, 26.72, 38.75] },
  memoryMb: { 8: [19.39, 22.52, 25.88], 16: [22.85, 24.39, 25.29], 32: [20.34, 24.49, 24.16] },
  wlanMs: { 8: [507.85, 504.11, 523.07], 16: [512.02, 517.52, 578.66], 32: [515.58, 518.5, 589.01] },
  slowMs: { 8: [521.69, 535.06, 542.53], 16: [524.03, 540.9, 589.34], 32: [519.66, 545.27, 612.88] },
} as const satisfies Record<string, PaperFigures>;

/** The sender's CPU in the paper: at 50 %, with its longest key. */
export const PAPER_CPU = { lowest: [null, 5.32], highest: [null, 14.53] } as const;

/** One for each of PERCENTS; null, or left out at the end, where there is none. */
export type Figures = readonly (number | null)[];

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
  ours: Readonly<Partial<Record<SelectiveKey, Figures>>>,
  note = "",
): Row[] {
  return [
    ...NOT_OFFERED.flatMap(({ key, paperKey }) =>
      rows(what, key, [null, null, null], paper[paperKey], "no key so short is offered"),
    ),
    ...Object.entries(ours).flatMap(([key, figures]) => rows(what, key, figures, paper[LONGEST], note)),
  ];
}

/** Each rate's figure in a row of its own. */
export function rows(what: string, key: string, ours: Figures, paper: Figures = [], note = ""): Row[] {
  return ours.map((figure, i) => ({
    what,
    key,
    percent: PERCENTS[i] ?? null,
    ours: figure,
    paper: paper[i] ?? null,
    note,
  }));
}
