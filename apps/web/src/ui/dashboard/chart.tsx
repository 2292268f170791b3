import { Trans } from "@lingui/react/macro";
import { useEffect, useId, useRef, useState } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import styles from "./chart.module.css";
import { useShown } from "./figures-context.ts";
import { type Unit, useUnits } from "./units.ts";

const HEIGHT = 150;
/** Lines differ by more than their colour. */
const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3], [4, 4], [1, 4]];

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
  const plot = useRef<UPlot | null>(null);
  const latest = useRef({ write, onPoint });
  latest.current = { write, onPoint };

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
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height: HEIGHT }));
    resized.observe(current);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, []);

  useEffect(() => {
    const seconds = [...figures.times].map((time) => time / 1_000);
    const columns = lines.map(({ id }) =>
      [...(figures.of(id) ?? [])].map((value) => (Number.isFinite(value) ? value : null)),
    );
    plot.current?.setData([seconds, ...columns]);
  });

  return <div ref={place} className={styles.plot} aria-hidden="true" />;
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
        spanGaps: true,
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
