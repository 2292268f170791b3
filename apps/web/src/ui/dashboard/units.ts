import { useLingui } from "@lingui/react/macro";

export type FigureUnit = "ms" | "share" | "bit/s" | "bytes" | "count" | "1/s";

/** Writes a value with its unit; a dash where there is none. */
export function useUnits(): (value: number, unit: FigureUnit) => string {
  const { t, i18n } = useLingui();
  const number = (value: number, digits: number) => i18n.number(value, { maximumFractionDigits: digits });
  return (value, unit) => {
    if (!Number.isFinite(value)) return "–";
    switch (unit) {
      case "ms": {
        const time = number(value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
        return t`${time} ms`;
      }
      case "share":
        return i18n.number(value, { style: "percent", maximumFractionDigits: value < 0.1 ? 2 : 1 });
      case "bit/s": {
        const rate = number(value / 1_000, value < 10_000 ? 1 : 0);
        return t`${rate} kbit/s`;
      }
      case "bytes": {
        const size = number(value / 1_048_576, 1);
        return t`${size} MiB`;
      }
      case "1/s": {
        const rate = number(value, 1);
        return t`${rate} a second`;
      }
      case "count":
        return number(value, 0);
    }
  };
}
