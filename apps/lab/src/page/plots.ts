import * as Plot from "@observablehq/plot";
import { described } from "../shared/catalogue.ts";
import type { ComparedFigure } from "../shared/report.ts";
import type { ResultsFile } from "../shared/results.ts";

/** Pixels, labels aside. */
const WIDTH = 430;
const ROW = 28;
/** Labels take what the longest needs, and no more than this: a phone shows points beside them. */
const LABELS = 330;
const LETTER = 6.5;
/** Of a label's line, before it is broken: ems. */
const LINE = 28;
/** A wider spread than this is drawn on a logarithmic axis. */
const WIDE = 20;

/** An SVG element of its own: it can be shown, or written to a file. */
export type Drawn = ReturnType<typeof Plot.plot>;

/** The values of each arm, and their median. */
export function measuredPlot({ experiment, measured }: Pick<ResultsFile, "experiment" | "measured">): Drawn {
  const points = measured.flatMap(({ arm, values }) => values.map((value) => ({ arm, value })));
  const { unit = "", title = "" } = described(experiment) ?? {};
  const values = points.flatMap(({ value }) => value ?? []);
  return drawn(
    title,
    unit,
    values,
    measured.map(({ arm }) => arm),
    [
      Plot.dot(points, { x: "value", y: "arm", strokeOpacity: 0.6 }),
      Plot.tickX(points, Plot.groupY({ x: "median" }, { x: "value", y: "arm", strokeWidth: 3 })),
    ],
  );
}

/** How many times the paper's figure each of ours is; the line is the paper's. Figures of one table. */
export function comparedPlot(figures: readonly ComparedFigure[]): Drawn {
  const points = figures.flatMap(({ row, column, ours, ratio }) =>
    ratio === null || ratio <= 0 ? [] : [{ label: `${row}, ${column}: ${ours?.arm}`, ratio }],
  );
  const title = figures[0]?.table.title ?? "";
  const values = [1, ...points.map(({ ratio }) => ratio)];
  return drawn(
    title,
    "ours ÷ the paper’s",
    values,
    points.map(({ label }) => label),
    [Plot.ruleX([1], { strokeWidth: 2 }), Plot.dot(points, { x: "ratio", y: "label", fill: "currentColor", r: 4 })],
  );
}

/** Text of a file, black on white wherever it is shown. */
export function svgOf(plot: Drawn): string {
  const file = plot.cloneNode(true) as Drawn;
  file.style.color = "black";
  file.style.background = "white";
  return new XMLSerializer().serializeToString(file);
}

function drawn(
  title: string,
  unit: string,
  values: readonly number[],
  labels: readonly string[],
  marks: Plot.Markish[],
): Drawn {
  const marginLeft = Math.min(LABELS, 20 + LETTER * Math.max(0, ...labels.map(({ length }) => length)));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isLog = least > 0 && most / least > WIDE;
  const plot = Plot.plot({
    ariaLabel: title,
    // Smaller it could not be read: it scrolls.
    style: { maxWidth: "none" },
    width: marginLeft + WIDTH,
    height: 60 + ROW * labels.length,
    marginLeft,
    x: { label: unit, grid: true, type: isLog ? "log" : "linear", zero: !isLog && least >= 0 },
    y: { label: null },
    marks: [Plot.axisY({ label: null, lineWidth: LINE, tickSize: 0 }), ...marks],
  });
  plot.setAttribute("role", "img");
  // Groups have no role that may be named.
  for (const group of plot.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
  return plot;
}
