import { describe, expect, test } from "vitest";
import {
  type Figure,
  FigureHistory,
  figureOf,
  figuresOf,
  idOf,
  parseCsv,
  parseDump,
  parseJson,
  type Report,
  toCsv,
  toDump,
  toJson,
} from "./index.ts";

const seal: Figure = { region: "latency", subject: "sent:camera:1", name: "seal", statistic: "p50" };
const stats: Figure = { region: "stats", subject: "link:1", name: "IT01V/framesDecoded", statistic: "value" };
const type: Figure = { ...stats, name: "IT01V" };
const about = { made: "2026-01-02T03:04:05.000Z", browser: "A browser", cores: 4 };

function recorded(steps = 3): Report {
  const recording = new FigureHistory();
  recording.state(type, "inbound-rtp");
  for (let step = 0; step < steps; step++) {
    recording.step(1_000 * step);
    if (step !== 1) recording.note(seal, step + 0.125);
    recording.note(stats, 30 * step);
  }
  return recording.report(about);
}

describe("a recording", () => {
  test("gives its steps in order, with gaps where nothing was known", () => {
    const { times, series, facts } = recorded();
    expect([...times]).toEqual([0, 1_000, 2_000]);
    expect(series.get(idOf(seal))).toEqual(Float64Array.of(0.125, Number.NaN, 2.125));
    expect(facts.get(idOf(type))).toBe("inbound-rtp");
  });

  test("has an empty step where it was not made any for a while", () => {
    const recording = new FigureHistory();
    for (const time of [0, 1_000, 6_000, 11_001]) {
      recording.step(time);
      recording.note(seal, time);
    }
    expect([...recording.times]).toEqual([0, 1_000, 6_000, 11_000, 11_001]);
    expect([...(recording.of(idOf(seal)) ?? [])]).toEqual([0, 1_000, 6_000, Number.NaN, 11_001]);
  });

  test("forgets what is older than ten minutes", () => {
    const { times, series } = recorded(605);
    expect(times.length).toBe(600);
    expect([times[0], times.at(-1)]).toEqual([5_000, 604_000]);
    expect(series.get(idOf(seal))?.at(-1)).toBe(604.125);
  });

  test("shows its figures while it goes on as its report does afterwards", () => {
    const recording = new FigureHistory();
    for (let step = 0; step < 700; step++) {
      recording.step(1_000 * step);
      if (step < 696) recording.note(seal, step);
      if (step < 300) recording.note(stats, step);
    }
    recording.state(type, "inbound-rtp");
    const after = figuresOf(recording.report(about));
    for (const figures of [recording, after]) {
      for (let time = 0; time < 2; time++) expect(figures.known).toEqual([seal, stats]);
      expect([figures.last(idOf(seal)), figures.last(idOf(stats)), figures.last("x")]).toEqual([695, NaN, NaN]);
      expect([figures.fact(idOf(type)), figures.fact("x"), figures.of("x")]).toEqual(["inbound-rtp", null, null]);
      expect(figures.times).toEqual(recording.times);
      expect(figures.of(idOf(stats))).toEqual(recording.of(idOf(stats)));
    }
  });

  test("forgets figures and words of which nothing was said for ten minutes, and has room for others", () => {
    const recording = new FigureHistory();
    recording.step(0);
    for (let at = 0; at < 2_048; at++) recording.note({ ...seal, subject: `sent:camera:${at}` }, 1);
    recording.state(type, "inbound-rtp");
    for (let step = 1; step < 600; step++) recording.step(1_000 * step);
    expect([recording.known.length, recording.fact(idOf(type))]).toEqual([2_048, "inbound-rtp"]);
    recording.step(600_000);
    recording.note(stats, 1);
    expect([recording.known, recording.fact(idOf(type))]).toEqual([[stats], null]);
  });

  test("takes no more figures than it has room for", () => {
    const recording = new FigureHistory();
    recording.step(0);
    for (let at = 0; at < 2_100; at++) recording.note({ ...seal, subject: `worker:${at}` }, 1);
    for (let at = 0; at < 600; at++) recording.state({ ...seal, subject: `worker:${at}` }, "word");
    const { series, facts } = recording.report(about);
    expect([series.size, facts.size]).toEqual([2_048, 512]);
  });
});

describe("an exported report is read back", () => {
  test("as JSON, whole", () => expect(parseJson(toJson(recorded()))).toEqual({ ok: true, report: recorded() }));

  test("as CSV, with its figures", () => {
    const { times, series } = recorded();
    const figures = new Map([...series].filter(([id]) => id === idOf(seal)));
    expect(parseCsv(toCsv(recorded()))).toEqual({
      ok: true,
      report: { made: "", browser: "", cores: 0, times, series: figures, facts: new Map() },
    });
  });

  test("as a webrtc-internals dump, with what the browser said", () => {
    const { times, series } = recorded();
    const said = new Map([...series].filter(([id]) => id === idOf(stats)));
    const facts = new Map([[idOf(type), "inbound-rtp"]]);
    const { made, browser } = about;
    expect(parseDump(toDump(recorded()))).toEqual({
      ok: true,
      report: { made, browser, cores: 0, times, series: said, facts },
    });
  });
});

test("a dump of Chromium's own gives numbers and nothing else", () => {
  const entry = (values: unknown) => ({
    startTime: about.made,
    endTime: about.made,
    statsType: "candidate-pair",
    values,
  });
  const dump = {
    UserAgent: "Chromium",
    PeerConnections: {
      "12-3": {
        url: "https://example.org/secret",
        updateLog: [{ type: "setLocalDescription", value: "v=0" }],
        stats: {
          "CP1-currentRoundTripTime": entry("[0.1,0.2]"),
          "CP1-state": entry('["succeeded"]'),
          "IT01V-[framesDecoded/s]": entry("[30]"),
          "I1-address": entry('["192.0.2.7"]'),
          "CP1-bad": { values: 7 },
        },
      },
    },
  };
  const parsed = parseDump(JSON.stringify(dump));
  expect(parsed.ok && [...parsed.report.series.keys()]).toEqual(["stats|link:1|CP1/currentRoundTripTime|value"]);
  expect(parsed.ok && toJson(parsed.report)).not.toMatch(/secret|192\.0\.2|v=0/);
});

describe("what is no report is refused by its fault", () => {
  const json = (change: object) => parseJson(JSON.stringify({ ...JSON.parse(toJson(recorded())), ...change }));
  test.each([
    ["no JSON", () => parseJson("{"), "not-a-report"],
    ["a list", () => parseJson("[]"), "not-a-report"],
    ["another format", () => json({ format: "x" }), "not-a-report"],
    ["a later version", () => json({ version: 2 }), "other-version"],
    ["no step", () => json({ times: [], series: {} }), "empty"],
    ["times that fall", () => json({ times: [0, 2_000, 1_000] }), "not-a-report"],
    ["times that are none", () => json({ times: [0, null, 1_000] }), "not-a-report"],
    ["a series that is too short", () => json({ series: { [idOf(seal)]: [1] } }), "not-a-report"],
    ["a series of words", () => json({ series: { [idOf(seal)]: ["1", "2", "3"] } }), "not-a-report"],
    ["an unknown figure", () => json({ series: { x: [1, 2, 3] } }), "not-a-report"],
    ["no series", () => json({ series: null }), "not-a-report"],
    ["a fact that is no word", () => json({ facts: { [idOf(type)]: 7 } }), "not-a-report"],
    ["a long fact", () => json({ facts: { [idOf(type)]: "x".repeat(121) } }), "not-a-report"],
    ["a control character", () => json({ browser: "\u0007" }), "not-a-report"],
    [
      "more steps than there are",
      () => json({ times: Array.from({ length: 6_001 }, (_, at) => at), series: {} }),
      "not-a-report",
    ],
    ["a large text", () => parseJson(" ".repeat(64 * 1024 * 1024 + 1)), "too-large"],
    ["no table", () => parseCsv("a,b\n1,2\n"), "not-a-report"],
    ["a table of words", () => parseCsv(`time_ms,${idOf(seal)}\n0,x\n`), "not-a-report"],
    ["a ragged table", () => parseCsv(`time_ms,${idOf(seal)}\n0\n`), "not-a-report"],
    ["a table of unknown figures", () => parseCsv("time_ms,x\n0,1\n"), "not-a-report"],
    ["an empty table", () => parseCsv(`time_ms,${idOf(seal)}\n`), "empty"],
    ["a large table", () => parseCsv(" ".repeat(64 * 1024 * 1024 + 1)), "too-large"],
    ["no dump", () => parseDump("{}"), "not-a-report"],
    ["an empty dump", () => parseDump('{"PeerConnections":{}}'), "empty"],
    ["a large dump", () => parseDump(" ".repeat(64 * 1024 * 1024 + 1)), "too-large"],
  ])("%s", (_, parse, why) => expect(parse()).toEqual({ ok: false, why }));

  test("a dump over days", () => {
    const at = (startTime: string) => ({ startTime, statsType: "x", values: "[1]" });
    const stats = { "a-b": at("2026-01-01T00:00:00Z"), "a-c": at("2026-01-03T00:00:00Z") };
    expect(parseDump(JSON.stringify({ PeerConnections: { 1: { stats } } }))).toEqual({ ok: false, why: "too-large" });
  });
});

test("a figure's id is read back, and nothing else is one", () => {
  expect(figureOf(idOf(stats))).toEqual(stats);
  for (const id of ["", "latency|a|b", "x|a|b|p50", "latency|a|b|p42", "latency|a b|b|p50", "latency|a|<b>|p50"])
    expect(figureOf(id)).toBeNull();
});
