import type { Browser } from "@playwright/test";
import type { LabPage } from "../src/shared/lab.ts";
import type { Ask } from "./ask.ts";

/** One row of an experiment's table. */
export type Row = Readonly<Record<string, string | number | null>>;

export interface Results {
  rows: Row[];
  summary: Readonly<Record<string, number | string>>;
}

/** What an experiment works with. */
export interface Bench {
  /** Calls the page's `lab`. */
  ask: Ask<LabPage>;
  /** For pages of the experiment's own. */
  browser: Browser;
  /** Seconds of CPU that the page's process and its workers have used so far. */
  cpuSeconds(): Promise<number>;
  /** Short steps: to see that it works, not for figures. */
  quick: boolean;
  /** For an experiment that takes one. */
  link: LinkTerms;
  /** Says how far it is. */
  say(line: string): void;
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
export type Alone = Pick<Bench, "quick" | "say">;

/** One with `takesLink` can be had over another link than loopback. */
export type Experiment = {
  /** What it measures, in a line. */
  readonly about: string;
} & (
  | { run(bench: Bench): Promise<Results>; readonly takesLink?: true }
  /** Without a browser, which would take part of the computer. */
  | { runAlone(bench: Alone): Promise<Results> }
);
