import { Trans } from "@lingui/react/macro";
import { type Figures, figuresOf, GAP_MS } from "@sealcast/metrics";
import { useEffect, useId, useRef, useState } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import styles from "./chart.module.css";
import { useShown } from "./figures-context.ts";
import { type FigureUnit, useUnits } from "./units.ts";

const HEIGHT = 150;
/** Lines differ by more than their colour. */
const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3], [4, 4], [1, 4]];

const NO_FIGURES = figuresOf({
  ...{ made: "", browser: "", cores: 0 },
  ...{ times: new Float64Array(), series: new Map(), facts: new Map() },
});

export interface Line {
  /** The figure's. */
  readonly id: string;
  readonly label: string;
}

interface ChartProps {
  title: string;
  unit: FigureUnit;
  lines: readonly Line[];
  /** The axis goes at least so far. */
  least?: number;
}

/** Figures over time. Below it their latest values, or those under the pointer: all that it shows, in words. */
export function Chart({ title, unit, lines, least = 0 }: ChartProps) {
  const id = useId();
  const { figures } = useShown();
  const write = useUnits();
  const [at, setAt] = useState<number | null>(null);
  const { times } = figures;
  const shown = lines.slice(0, DASHES.length);
  const value = (id: string) => (at === null ? figures.last(id) : (figures.of(id)?.[at] ?? Number.NaN));
  const second = Math.round((times[at ?? times.length - 1] ?? 0) / 1_000);
  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <Plot key={shown.map(({ id }) => id).join()} lines={shown} unit={unit} least={least} onPoint={setAt} />
      <p className={styles.values} data-testid="latest">
        <span className={styles.when}>{at === null ? <Trans>Latest:</Trans> : <Trans>At {second} s:</Trans>}</span>
        {shown.map(({ id, label }, number) => (
          <span key={id} className={styles.value} data-line={number}>
            {label} <strong>{write(value(id), unit)}</strong>
          </span>
        ))}
      </p>
    </figure>
  );
}

interface PlotProps {
  lines: readonly Line[];
  unit: FigureUnit;
  least: number;
  /** The step under the pointer. */
  onPoint: (step: number | null) => void;
}

function Plot({ lines, unit, least, onPoint }: PlotProps) {
  const { figures } = useShown();
  const write = useUnits();
  const place = useRef<HTMLDivElement>(null);
  const draw = useRef(() => {});
  const latest = useRef<Latest>({ figures, write, onPoint });
  latest.current = { figures, write, onPoint };

  // biome-ignore lint/correctness/useExhaustiveDependencies: lines make another chart by its key
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const made = new UPlot(optionsOf(current.clientWidth, { lines, least, unit, latest }), [[]], current);
    const resized = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height: HEIGHT }));
    resized.observe(current);
    // A chart that nobody sees is not drawn: people's pictures need the time.
    let seen = false;
    draw.current = () => {
      if (seen) made.setData(dataOf(latest.current.figures, lines));
    };
    const scrolled = new IntersectionObserver((entries) => {
      seen = entries.at(-1)?.isIntersecting === true;
      draw.current();
    });
    scrolled.observe(current);
    return () => {
      scrolled.disconnect();
      resized.disconnect();
      made.destroy();
      draw.current = () => {};
      // The browser may keep a destroyed chart and its options: by them it is to keep no recording.
      latest.current = { ...latest.current, figures: NO_FIGURES };
    };
  }, []);

  useEffect(() => draw.current());

  return <div ref={place} className={styles.plot} aria-hidden="true" />;
}

function dataOf(figures: Figures, lines: readonly Line[]): UPlot.AlignedData {
  const { times } = figures;
  const columns = lines.map(({ id }) => column(times, figures.of(id) ?? new Float64Array()));
  return [Array.from(times, (time) => time / 1_000), ...columns];
}

/** What uPlot draws a line over is undefined, where it is to end null: not every figure comes every second. */
function column(times: Float64Array, values: Float64Array): (number | null | undefined)[] {
  let known = 0;
  const drawn: (number | null | undefined)[] = Array.from(values, (value) =>
    Number.isFinite(value) ? value : undefined,
  );
  for (const [at, value] of drawn.entries()) {
    if (value === undefined) continue;
    if ((times[at] ?? 0) - (times[known] ?? 0) > GAP_MS) drawn.fill(null, known + 1, at);
    known = at;
  }
  return drawn;
}

/** What a chart shows as of the last step. */
interface Latest {
  figures: Figures;
  write: (value: number, unit: FigureUnit) => string;
  onPoint: (step: number | null) => void;
}

interface Plotted {
  lines: readonly Line[];
  least: number;
  unit: FigureUnit;
  latest: { readonly current: Latest };
}

/** They hold no element: those of a destroyed chart would keep the whole panel. */
function optionsOf(width: number, { lines, least, unit, latest }: Plotted): UPlot.Options {
  const quiet = ({ root }: UPlot) => getComputedStyle(root).color;
  const grid = {
    stroke: ({ root }: UPlot) => getComputedStyle(root.parentElement ?? root).borderBlockEndColor,
    width: 1,
  };
  const written = (value: number) => latest.current.write(value, unit);
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false } },
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(least, (most ?? 0) * 1.1) || 1] } },
    axes: [
      { stroke: quiet, grid, ticks: grid, size: 28, values: (_, splits) => splits.map((split) => `${split} s`) },
      { stroke: quiet, grid, ticks: grid, size: 92, values: (_, splits) => splits.map(written) },
    ],
    series: [
      {},
      ...lines.map((_, number) => ({
        stroke: ({ root }: UPlot) => colourOf(root, number),
        width: 2,
        dash: DASHES[number] ?? [],
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => latest.current.onPoint(cursor.idx ?? null)] },
  };
}

/** Canvases know no custom properties: the colour is that of the words below. */
function colourOf(root: HTMLElement, number: number): string {
  const words = root.closest("figure")?.querySelector(`[data-line="${number}"]`);
  return getComputedStyle(words ?? root)[words ? "borderInlineStartColor" : "color"];
}
