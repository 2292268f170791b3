import { Trans } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { written } from "../shared/report.ts";
import type { ResultsFile } from "../shared/results.ts";
import styles from "./lab.module.css";

const HEIGHT = 180;
const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3], [4, 4], [1, 4]];
/** As many colours as the style sheet has. */
const COLOURS = 6;
/** A wider spread than this is drawn on a logarithmic axis. */
const WIDE = 20;

interface Props {
  measured: ResultsFile["measured"];
  unit: string;
}

/** The values of each arm as they come. Below it the latest of each: all that it shows, in words. */
export function LivePlot({ measured, unit }: Props) {
  const values = measured.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isLog = least > 0 && most / least > WIDE;
  return (
    <figure className={styles.live}>
      <figcaption>
        <Trans>Measured so far, {unit}</Trans>
      </figcaption>
      <Lines key={`${measured.length} ${isLog}`} measured={measured} isLog={isLog} />
      <ul className={styles.latest}>
        {measured.map(({ arm, values }, number) => (
          <li key={arm} data-line={number % COLOURS}>
            {arm} <strong>{written(values.at(-1) ?? null)}</strong>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Lines({ measured, isLog }: { measured: ResultsFile["measured"]; isLog: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: other arms or another axis make another plot by its key
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const made = new UPlot(optionsOf(current, measured.length, isLog), [[]], current);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height: HEIGHT }));
    resized.observe(current);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, []);

  useEffect(() => plot.current?.setData(dataOf(measured)));

  return <div ref={place} className={styles.lines} aria-hidden="true" />;
}

/** Each arm's first value stands at 1. */
function dataOf(measured: ResultsFile["measured"]): UPlot.AlignedData {
  const length = Math.max(...measured.map(({ values }) => values.length));
  const numbers = Array.from({ length }, (_, i) => i + 1);
  return [numbers, ...measured.map(({ values }) => numbers.map((_, i) => values[i] ?? null))];
}

function optionsOf(place: HTMLElement, arms: number, isLog: boolean): UPlot.Options {
  const axis = {
    stroke: getComputedStyle(place).color,
    grid: { stroke: getComputedStyle(place).borderBlockEndColor, width: 1 },
  };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false }, y: isLog ? { distr: 3 } : {} },
    axes: [
      { ...axis, size: 28 },
      { ...axis, size: 72 },
    ],
    series: [
      {},
      ...Array.from({ length: arms }, (_, number) => ({
        stroke: () => colourOf(place, number % COLOURS),
        width: 2,
        dash: DASHES[number % DASHES.length] ?? [],
        points: { show: true, size: 5 },
      })),
    ],
  };
}

/** Canvases know no custom properties: the colour is that of the words below. */
function colourOf(place: HTMLElement, number: number): string {
  const words = place.closest("figure")?.querySelector(`[data-line="${number}"]`) ?? place;
  return getComputedStyle(words).borderInlineStartColor;
}
