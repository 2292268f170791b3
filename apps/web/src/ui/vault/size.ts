import { useLingui } from "@lingui/react/macro";

const UNITS = ["kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Writes a size in bytes, in the largest unit that it fills, from kilobytes on. */
export function useSize(): (bytes: number) => string {
  const { i18n } = useLingui();
  return (bytes) => {
    const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1000)) / 3), UNITS.length);
    const value = bytes / 1000 ** step;
    const digits = value < 10 ? 1 : 0;
    return i18n.number(value, { style: "unit", unit: UNITS[step - 1] ?? "kilobyte", maximumFractionDigits: digits });
  };
}
