import { expect, test } from "vitest";
import { compared, csv, filled, plotNames, resultsPage } from "./report.ts";
import type { ResultsFile } from "./results.ts";

const FILE: ResultsFile = {
  experiment: "threads",
  date: "2026-11-23T10:00:00.000Z",
  commit: "abcdef0",
  quick: true,
  runs: 3,
  seconds: 12,
  machine: { cpu: "A CPU", cores: 2, memoryGB: 4, system: "Linux", browser: null, node: "20", flags: [], load: 7.5 },
  summary: { mbPerS1: 900.5, gpu: "none" },
  spread: { mbPerS1: { least: 800, most: 1000 } },
  ours: [{ figure: "chunks/2 threads/time", arm: "AES-256-GCM", value: 72, least: 70, most: 80 }],
  measured: [{ arm: "one", values: [1, 2] }],
  rows: [{ arm: 'raw, "one"', ms: 1.5, note: null }],
};

test("a paper's figure stands beside ours with the ratio, and those without one of ours stay", () => {
  const all = compared("parallel-threads", [FILE]);
  const two = all.filter(({ row, column }) => row === "2 threads" && column === "time");
  expect(two).toMatchObject([{ unit: "ms", paper: 720, ours: { value: 72 }, ratio: 0.1 }]);
  expect(all.find(({ row }) => row === "8 threads")).toMatchObject({ paper: 260, ours: null, ratio: null });
});

test("the results page has each run's machine, load and date, spreads, and the names of what was not measured", () => {
  const page = resultsPage([FILE]);
  expect(page).toContain(
    "| [threads](threads.json) | 2026-11-23 | abcdef0 | 3, quick | 12 | 7.5 | A CPU, 2 cores, 4 GB,",
  );
  expect(page).toContain("2 threads, time | ms | 720 | 72 | AES-256-GCM | 70 to 80 | 0.1 |");
  expect(page).toContain("| mbPerS1 | 900.5 | 800 to 1,000 |");
  expect(page).toMatch(/Not measured yet: .*`batch`/);
  expect(plotNames([FILE])).toEqual(["threads.svg", "chunks.svg"]);
});

test("CSV quotes what has commas and quotes", () => {
  expect(csv(FILE)).toBe('arm,ms,note\r\n"raw, ""one""",1.5,\r\n');
});

test("a marked figure of README.md is filled in from its results file", () => {
  const { text, problems } = filled("It seals 12 MB/s<!-- threads.mbPerS1 -->, within 30 s<!-- set -->.", [FILE]);
  expect(text).toBe("It seals 900.5 MB/s<!-- threads.mbPerS1 -->, within 30 s<!-- set -->.");
  expect(problems).toEqual([]);
});

test("a figure of time, rate or percent in README.md that has no mark is a problem", () => {
  for (const figure of [
    "49 ms",
    "7 µs",
    "0.12 s",
    "85 %",
    "5 Mbit/s",
    "390 MB/s",
    "5,000 messages a second",
    "3 minutes",
  ])
    expect(filled(`It is ${figure} here.`, [FILE]).problems, figure).toHaveLength(1);
  expect(filled("720p for 12 viewers, 256 MiB and 9 sizes", [FILE]).problems).toEqual([]);
});

test("a mark whose file or number is not there is a problem", () => {
  expect(filled("9 ms<!-- batch.ms -->", [FILE]).problems[0]).toContain("docs/results/batch.json");
  expect(filled("9 ms<!-- threads.gpu -->", [FILE]).problems[0]).toContain("no such number");
});
