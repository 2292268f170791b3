import { Trans } from "@lingui/react/macro";
import { type Figures, figuresOf, GAP_MS } from "@sealcast/metrics";
import { useEffect, useId, useRef, useState } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import styles from "./chart.module.css";
import { useShown } from "./figures-context.ts";
import { type Unit, useUnits } from "./units.ts";

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
  unit: Unit;
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
  unit: Unit;
  least: number;
  /** The step under the pointer. */
  onPoint: (step: number | null) => void;
}

function Plot({ lines, unit, least, onPoint }: PlotProps) {
  const { figures } = useShown();
  const write = useUnits();
  const place = useRef<HTMLDivElement>(null);
  const draw = useRef(() => {});
  const latest = useRef({ figures, write, onPoint });
  latest.current = { figures, write, onPoint };

  // biome-ignore lint/correctness/useExhaustiveDependencies: lines make another chart by its key
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const made = new UPlot(
      optionsOf(current, {
        lines,
        least,
        written: (value) => latest.current.write(value, unit),
        pointed: (step) => latest.current.onPoint(step),
      }),
      [[]],
      current,
    );
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
      // The shape of uPlot's own objects keeps the functions of a destroyed chart, and those a whole recording.
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

interface Plotted {
  lines: readonly Line[];
  least: number;
  written: (value: number) => string;
  pointed: (step: number | null) => void;
}

function optionsOf(place: HTMLElement, { lines, least, written, pointed }: Plotted): UPlot.Options {
  const quiet = () => getComputedStyle(place).color;
  const grid = { stroke: () => getComputedStyle(place).borderBlockEndColor, width: 1 };
  return {
    width: place.clientWidth,
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
        stroke: () => colourOf(place, number),
        width: 2,
        dash: DASHES[number] ?? [],
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => pointed(cursor.idx ?? null)] },
  };
}

/** Canvases know no custom properties: the colour is that of the words below. */
function colourOf(place: HTMLElement, number: number): string {
  const words = place.parentElement?.querySelector(`[data-line="${number}"]`);
  return words ? getComputedStyle(words).borderInlineStartColor : getComputedStyle(place).color;
}
