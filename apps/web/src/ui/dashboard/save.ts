import { type Report, toCsv, toDump, toJson } from "@sealcast/metrics";
import { download } from "../download.ts";

export type Format = "csv" | "json" | "dump";

const forms: Record<Format, { write: (report: Report) => string; type: string; name: string }> = {
  csv: { write: toCsv, type: "text/csv", name: "sealcast-report.csv" },
  json: { write: toJson, type: "application/json", name: "sealcast-report.json" },
  dump: { write: toDump, type: "application/json", name: "webrtc-internals-dump.json" },
};

/** Has the browser save the report. */
export function save(report: Report, format: Format): void {
  download(fileOf(report, format));
}

/** Offers the report to another app; false where the browser cannot. */
export async function share(report: Report): Promise<boolean> {
  const data = { files: [fileOf(report, "json")] };
  if (!("canShare" in navigator) || !navigator.canShare(data)) return false;
  // Rejects where the person thinks better of it.
  await navigator.share(data).catch(() => undefined);
  return true;
}

function fileOf(report: Report, format: Format): File {
  const { write, type, name } = forms[format];
  return new File([write(report)], name, { type });
}
