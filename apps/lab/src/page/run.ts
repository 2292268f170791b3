import type { AskPage } from "../shared/ask.ts";
import type { PageExperimentName } from "../shared/catalogue.ts";
import type { Results } from "../shared/experiment.ts";
import type { LabPage } from "../shared/lab.ts";
import { joined, type Machine, MeasuredValues, type ResultsFile } from "../shared/results.ts";
import { experiments } from "./experiments.ts";
import { film } from "./film-camera.ts";

export interface Terms {
  readonly quick: boolean;
  readonly runs: number;
  /** The lab's clip, or this computer's camera and microphone. */
  readonly camera: "film" | "device";
}

export interface Progress {
  /** From 1 on. */
  readonly run: number;
  readonly line: string;
  readonly measured: ResultsFile["measured"];
}

export interface Done {
  readonly file: ResultsFile;
  /** A PNG in Base64. */
  readonly picture: string | null;
}

interface Surroundings {
  /** Where the bench's frame goes. */
  readonly place: HTMLElement;
  /** Ends all that is under way. */
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
}

/**
 * Runs an experiment in this page, each run on a bench of its own. Rejects with what went wrong; with the signal's reason
 * where it was cancelled.
 */
export async function runInPage(name: PageExperimentName, terms: Terms, around: Surroundings): Promise<Done> {
  const [date, since] = [new Date().toISOString(), performance.now()];
  const measured = new MeasuredValues();
  const results: Results[] = [];
  while (results.length < terms.runs) {
    const report = (line: string) => around.progress({ run: results.length + 1, line, measured: measured.arms });
    results.push(await onBench(name, terms, around, { report, measured }));
  }
  const seconds = Math.round((performance.now() - since) / 1000);
  const of = { experiment: name, date, commit: null, quick: terms.quick, seconds, machine: machine() };
  return { file: joined(of, results, measured), picture: results.at(-1)?.picture ?? null };
}

interface Reporting {
  readonly report: (line: string) => void;
  readonly measured: MeasuredValues;
}

async function onBench(
  name: PageExperimentName,
  { quick, camera }: Terms,
  { place, signal }: Surroundings,
  { report, measured }: Reporting,
): Promise<Results> {
  let last = "";
  const say = (line: string) => {
    last = line;
    report(line);
  };
  const frame = frameOf(camera);
  try {
    const bench = {
      ask: await opened(frame, place, signal),
      ...{ cores: navigator.hardwareConcurrency, quick, say, film },
      measured(arm: string, value: number) {
        measured.add(arm, value);
        report(last);
      },
      // A page is not told what CPU it uses.
      cpuSeconds: async () => Number.NaN,
    };
    return await experiments[name](bench);
  } finally {
    // With it go its workers and connections.
    frame.remove();
  }
}

function frameOf(camera: Terms["camera"]): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.src = `bench.html?camera=${camera}`;
  frame.title = "Bench";
  frame.tabIndex = -1;
  frame.allow = "camera; microphone; autoplay";
  return frame;
}

/** A bench page, once it is loaded. What is asked of it rejects when something fails there, or the signal says so. */
async function opened(frame: HTMLIFrameElement, place: HTMLElement, signal: AbortSignal): Promise<AskPage<LabPage>> {
  signal.throwIfAborted();
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    frame.addEventListener("load", () => {
      frame.contentWindow?.addEventListener("error", ({ message }) => reject(new Error(message)));
      frame.contentWindow?.addEventListener("unhandledrejection", ({ reason }) => reject(reason));
    });
  });
  // Nothing may be asked when it ends.
  ended.catch(() => undefined);
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  place.append(frame);
  await Promise.race([loaded, ended]);
  const { lab } = frame.contentWindow as unknown as { lab?: Record<string, (...of: never[]) => unknown> };
  if (lab === undefined) throw new Error("The bench could not be loaded. Load this page again.");
  const ask = (name: string, ...argument: never[]) => Promise.race([ended, lab[name]?.(...argument)]);
  return ask as never;
}

interface MoreOfNavigator {
  readonly deviceMemory?: number;
  readonly userAgentData?: {
    readonly brands: readonly { brand: string; version: string }[];
    readonly platform: string;
  };
}

/** What a page can know of it. */
export function machine(): Machine {
  const { deviceMemory, userAgentData } = navigator as MoreOfNavigator;
  const brand = userAgentData?.brands.find(({ brand }) => brand === "Chromium");
  return {
    cpu: null,
    cores: navigator.hardwareConcurrency,
    memoryGB: deviceMemory ?? null,
    system: userAgentData?.platform ?? navigator.platform,
    browser: brand === undefined ? navigator.userAgent : `${brand.brand} ${brand.version}`,
    node: null,
    flags: [],
    load: null,
  };
}
