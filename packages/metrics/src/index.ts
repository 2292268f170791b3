export { Clocks, type Relation } from "./clocks.ts";
export { parseCsv, toCsv } from "./csv.ts";
export { parseDump, toDump } from "./dump.ts";
export { type Figure, figureOf, idOf, type Region, STAGES, type Stage, type Statistic } from "./figure.ts";
export { Histogram, type HistogramSnapshot } from "./histogram.ts";
export { parseJson, toJson } from "./json.ts";
export { type Figures, figuresOf, GAP_MS, Recording } from "./recording.ts";
export type { ParsedReport, Report, ReportFault } from "./report.ts";
export { RollingWindow, type Spread, spreadOf } from "./rolling.ts";
