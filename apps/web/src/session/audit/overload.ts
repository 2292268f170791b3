import type { FanOutReport } from "@sealcast/media";
import type { Sample } from "./browser-counters.ts";
import { isRenewed, type Samples } from "./encryption-audit.ts";

/** Samples, half a second apart, that are looked at, and how many of them have to show it. */
const WINDOW = 8;
const MOST = 4;
/** Frames in a second. One or two come late on any computer. */
const MANY_LATE = 5;

/** Finds a computer that is too busy: frames wait too long in media workers and are left out, or workers do not answer. */
export class Overload {
  readonly #recent: boolean[] = [];
  #isOn = false;

  /** Whether video is being skipped here since this computer does not keep up. Lasts until four seconds went well. */
  examine({ samples, fanOuts }: Pick<Samples, "samples" | "fanOuts">): boolean {
    const late = samples.reduce((sum, [now, before]) => sum + lateSince(now, before), 0);
    const isSilent = samples.some(([{ report }]) => report === null);
    this.#recent.push(isSilent || late >= MANY_LATE || lateIn(fanOuts.now) > lateIn(fanOuts.before));
    if (this.#recent.length > WINDOW) this.#recent.shift();
    const busy = this.#recent.filter(Boolean).length;
    this.#isOn = busy >= MOST || (this.#isOn && busy > 0);
    return this.#isOn;
  }
}

function lateSince(now: Sample, before: Sample | null): number {
  return before === null || before.report === null || isRenewed(now, before) ? 0 : now.late - before.late;
}

/** Of pictures that are encoded once for several people: what could not be sealed in time. */
function lateIn(fanOuts: readonly FanOutReport[]): number {
  const refused = fanOuts.flatMap(({ encoders }) => encoders.flatMap(({ refused }) => refused));
  return refused.reduce((sum, { why, count }) => sum + (why === "late" ? count : 0), 0);
}
