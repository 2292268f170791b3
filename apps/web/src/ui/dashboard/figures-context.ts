import { type Figures, idOf, type Region, type Statistic } from "@sealcast/metrics";
import { createContext, useContext } from "react";
import type { Live } from "../../session/measuring/measuring.ts";

/** What the dashboard shows: of now, or of a file. */
export interface ShownFigures {
  readonly figures: Figures;
  /** Null: a file. */
  readonly live: Live | null;
  /** What the other end is called, where it has no name. */
  readonly other?: string | undefined;
}

export const ShownContext = createContext<ShownFigures | null>(null);

export function useShown(): ShownFigures {
  const shown = useContext(ShownContext);
  if (shown === null) throw new Error("Used outside the dashboard");
  return shown;
}

/** A figure's latest value, NaN where there is none. */
export function useLast(): (region: Region, subject: string, name: string, statistic?: Statistic) => number {
  const { figures } = useShown();
  return (region, subject, name, statistic = "value") => figures.last(idOf({ region, subject, name, statistic }));
}

export function useFact(): (region: Region, subject: string, name: string) => string | null {
  const { figures } = useShown();
  return (region, subject, name) => figures.fact(idOf({ region, subject, name, statistic: "value" }));
}
