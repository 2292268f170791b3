import { type ParsedReport, parseCsv, parseDump, parseJson, type ReportFault } from "@sealcast/metrics";

/** Bytes: a text has no more characters than bytes. */
const MAX_FILE = 64 * 1024 * 1024;

/** Reads a file that someone chose, of whatever of the three forms it is. */
export async function read(file: File): Promise<ParsedReport> {
  if (file.size > MAX_FILE) return refused("too-large");
  // Rejects where the file is gone meanwhile, or may not be read.
  const text = await file.text().catch(() => "");
  const parsed = [parseJson, parseDump, parseCsv].map((parse) => parse(text));
  return (
    parsed.find(({ ok }) => ok) ??
    parsed.find((each) => !each.ok && each.why !== "not-a-report") ??
    refused("not-a-report")
  );
}

function refused(why: ReportFault): ParsedReport {
  return { ok: false, why };
}
