import { figuresOf, idOf, parseJson, type Statistic } from "@sealcast/metrics";
import { expect, test } from "vitest";
import { reportOf } from "./report.ts";

const about = { made: "2026-01-02T03:04:05.000Z", browser: "A browser", cores: 2 };
const seen = (presented: number, latency: number) => ({ stamp: { time: presented - latency }, presented });

function opened(text: string) {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.why);
  const figures = figuresOf(parsed.report);
  const id = (name: string, statistic: Statistic) =>
    idOf({ region: "latency", subject: "received:camera:1", name, statistic });
  return {
    report: parsed.report,
    of: (statistic: Statistic) => [...(figures.of(id("end-to-end", statistic)) ?? [])],
    begins: figures.fact(id("begins", "value")),
  };
}

test("a report is one that the dashboard opens, a step a second, each over the last five", () => {
  const sightings = Array.from({ length: 12 }, (_, second) => seen(10_000 + 1_000 * second, 10 * (second + 1)));
  const { report, of, begins } = opened(reportOf(sightings, about));
  expect(report).toMatchObject(about);
  expect([...report.times]).toEqual(Array.from({ length: 12 }, (_, step) => 1_000 * (step + 1)));
  expect(of("p50")).toEqual([10, 10, 20, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  expect(of("p99")).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]);
  expect(begins).toBe("camera-track");
});

test("a second in which no picture came says what the last five said, and a longer gap nothing", () => {
  const { of } = opened(reportOf([seen(100, 7), seen(8_100, 9)], about));
  expect(of("p95")).toEqual([7, 7, 7, 7, 7, NaN, NaN, NaN, 9]);
});

test("a picture that is shown again later is not of that later second", () => {
  const first = seen(1_000, 20);
  const { of } = opened(reportOf([first, { ...first, presented: 9_000 }, seen(9_100, 30)], about));
  expect(of("p99").at(-1)).toBe(30);
});

test("where no stamp was read there is no report", () => {
  expect(() => reportOf([{ stamp: null, presented: 1 }], about)).toThrow("nothing to report");
});
