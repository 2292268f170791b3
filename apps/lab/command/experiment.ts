import type { Browser } from "@playwright/test";
import type { Bench as PageBench, Results } from "../src/shared/experiment.ts";

export type { Results, Row } from "../src/shared/experiment.ts";

/** What an experiment works with. */
export interface CommandBench extends PageBench {
  /** For pages of the experiment's own. */
  readonly browser: Browser;
  /** For an experiment that takes one. */
  readonly link: LinkTerms;
}

/** What a call goes over. */
export interface LinkTerms {
  /** Each way; null: as fast as this computer is. */
  mbitPerS: number | null;
  /** Each way. */
  delayMs: number;
  lossPercent: number;
}

/** What an experiment without a page works with. */
export type PagelessBench = Pick<CommandBench, "quick" | "say">;

/** One with `takesLink` can be had over another link than loopback. What it measures is in the catalogue. */
export type Experiment =
  | { run(bench: CommandBench): Promise<Results>; readonly takesLink?: true }
  /** Without a browser, which would take part of the computer. */
  | { runAlone(bench: PagelessBench): Promise<Results> };
