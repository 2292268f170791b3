import { useLingui } from "@lingui/react/macro";
import { clock } from "./clock.ts";

const SIZES = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Writes sizes and durations. */
export function useUnits(): { size: (bytes: number) => string; duration: (seconds: number) => string } {
  const { i18n } = useLingui();
  return {
    size(bytes) {
      const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), SIZES.length - 1);
      const unit = SIZES[step] ?? "byte";
      const value = bytes / 1000 ** step;
      return i18n.number(value, { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 });
    },
    duration: clock,
  };
}
