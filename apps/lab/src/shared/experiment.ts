import type { AskPage } from "./ask.ts";
import type { LabPage } from "./lab.ts";

export type { OurFigure, Results, Row } from "./results.ts";

/** What an experiment that runs in one page works with: in the lab's own page as well as in a browser of the command. */
export interface Bench {
  /** Calls the bench page's `lab`. */
  readonly ask: AskPage<LabPage>;
  readonly cores: number;
  /** Short steps: to see that it works, not for figures. */
  readonly quick: boolean;
  /** Says how far it is. */
  say(line: string): void;
  /** Hands on a value of the experiment's plot as soon as it is measured. */
  measured(arm: string, value: number): void;
  /** Seconds of CPU that the page's process and its workers have used so far; NaN where nothing tells. */
  cpuSeconds(): Promise<number>;
  /** Film of 25 pictures a second, as a camera has them: JPEG. */
  film(): Promise<readonly Uint8Array<ArrayBuffer>[]>;
}
