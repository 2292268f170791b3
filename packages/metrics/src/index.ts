export { ClockOffset, type Relation } from "./clock-offset.ts";
export { parseCsv, toCsv } from "./csv.ts";
export { parseDump, toDump } from "./dump.ts";
export { type Figure, type FrameStage, figureOf, idOf, RELAYS, type Region, STAGES, type Statistic } from "./figure.ts";
export { FigureHistory, type Figures, figuresOf, GAP_MS } from "./figure-history.ts";
export { Histogram, type HistogramSnapshot } from "./histogram.ts";
export { parseJson, toJson } from "./json.ts";
export type { ParsedReport, Report, ReportFault } from "./report.ts";
export { RollingWindow, type Spread, spreadOf } from "./rolling.ts";
