import type { Row } from "./experiment.ts";

/** Rows as text in columns, numbers to the right. */
export function table(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? "-")))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const isNumber = names.map((name) => rows.every((row) => typeof row[name] !== "string"));
  const cell = (text: string, i: number) => (isNumber[i] ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0));
  return lines.map((line) => line.map(cell).join("  ").trimEnd()).join("\n");
}
