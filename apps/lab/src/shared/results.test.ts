import { expect, test } from "vitest";
import { type Circumstances, joined, MeasuredValues, parseResults, type Results, writeResults } from "./results.ts";

const OF: Circumstances = {
  experiment: "threads",
  date: "2026-11-23T10:00:00.000Z",
  commit: "abcdef0",
  quick: true,
  seconds: 12,
  machine: { cpu: "CPU", cores: 2, memoryGB: 4, system: "Linux", browser: null, node: "20", flags: [], load: 0.5 },
};
const FIGURE = "chunks/1 thread/time";

function run(value: number): Results {
  return {
    rows: [{ arm: "one", ms: value }],
    summary: { ms: value, name: "software" },
    ours: [{ figure: FIGURE, arm: "AES-256-GCM", value }],
  };
}

test("of several runs each figure is the median, with the least and the most", () => {
  const file = joined(OF, [run(3), run(1), run(20)], new MeasuredValues());
  expect(file.runs).toBe(3);
  expect(file.summary).toEqual({ ms: 3, name: "software" });
  expect(file.spread).toEqual({ ms: { least: 1, most: 20 } });
  expect(file.ours).toEqual([{ figure: FIGURE, arm: "AES-256-GCM", value: 3, least: 1, most: 20 }]);
  expect(file.rows).toEqual([{ arm: "one", ms: 3 }]);
});

test("what could not be measured is null, and a file is read as it was written", () => {
  const measured = new MeasuredValues();
  measured.add("one", 1.234_567_89);
  measured.add("one", Number.NaN);
  const file = joined(OF, [run(Number.NaN)], measured);
  expect(file.summary.ms).toBeNull();
  expect(file.measured).toEqual([{ arm: "one", values: [1.23457, null] }]);
  expect(parseResults(writeResults(file), "threads.json")).toEqual(file);
});

test("a figure that no paper has is a mistake in the experiment", () => {
  const wrong = { ...run(1), ours: [{ figure: "chunks/3 threads/time", arm: "", value: 1 }] };
  expect(() => joined(OF, [wrong], new MeasuredValues())).toThrow("chunks/3 threads/time");
});

test("a damaged file is refused by its name, with what is wrong", () => {
  const file = joined(OF, [run(1)], new MeasuredValues());
  const damaged = writeResults({ ...file, runs: "one" as unknown as number });
  expect(() => parseResults(damaged, "threads.json")).toThrow(/threads\.json is no results file: runs/);
  expect(() => parseResults(" ".repeat(4_000_001), "threads.json")).toThrow("more than");
});
