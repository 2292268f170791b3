import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { type Browser, type BrowserContextOptions, type CDPSession, chromium } from "@playwright/test";
import { executablePath, fakeDevices, flags } from "@sealcast/testbed";
import type { LabPage } from "../src/shared/lab.ts";
import type { Machine } from "../src/shared/results.ts";
import { asker } from "./ask.ts";
import type { CommandBench } from "./experiment.ts";
import { film, makeRawClip, RAW_CLIP } from "./raw-clip.ts";
import { PAGE, visit } from "./site.ts";

const camera = fakeDevices(RAW_CLIP);

/** All that is measured is on this computer: with fewer, calls and streams are smaller. */
export const HAS_MANY_CORES = availableParallelism() >= 8;

/** A page that asks for its memory gets it at once, not when the browser next cleans up. */
const EAGER = "--enable-blink-features=ForceEagerMeasureMemory";

/** A browser on the lab's page. */
export interface Lab extends Pick<CommandBench, "ask" | "cpuSeconds"> {
  close(): Promise<void>;
}

/** Runs `work` with a browser on the lab's page, and closes both. */
export async function withBench<T>(
  terms: Pick<CommandBench, "quick" | "say" | "measured" | "link">,
  work: (bench: CommandBench, machine: Machine) => Promise<T>,
): Promise<T> {
  const browser = await launch();
  try {
    await makeRawClip(browser);
    const bench = { ...(await labIn(browser)), cores: cpus().length, film, browser, ...terms };
    return await work(bench, machine(browser));
  } finally {
    await browser.close();
  }
}

interface Elsewhere {
  /** What starts the browser, elsewhere perhaps. */
  readonly executable?: string | undefined;
  /** Its page comes from the server there, to which it may open sockets. */
  readonly url?: string;
  /** Flags, which come last. */
  readonly more?: readonly string[];
}

/** One more browser. The caller closes it. */
export async function openLab({ executable, url, more }: Elsewhere = {}): Promise<Lab> {
  const browser = await launch(executable, more);
  return { ...(await labIn(browser, url)), close: () => browser.close() };
}

/** The page's site is no server, so the browser asks whether it may reach servers of this computer. */
const ASKING: BrowserContextOptions = { permissions: ["camera", "microphone", "local-network-access"] };

/** That number of pages in a browser of their own, and what they use of the processor together. The caller closes them. */
export async function pagesOf(
  count: number,
): Promise<{ pages: Pick<Lab, "ask">[]; cpu: Pick<Lab, "cpuSeconds">; close(): Promise<void> }> {
  const browser = await launch();
  const pages: Omit<Lab, "close">[] = [];
  while (pages.length < count) pages.push(await labIn(browser, undefined, ASKING));
  const [cpu] = pages;
  if (cpu === undefined) throw new RangeError("no pages");
  return { pages, cpu, close: () => browser.close() };
}

/** A browser with the clip for a camera, and no page yet. The caller closes it. `more`: flags, which come last. */
export function launch(executable = executablePath, more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: executable, args: [...flags, ...camera, EAGER, ...more] });
}

async function labIn(browser: Browser, url?: string, terms?: BrowserContextOptions): Promise<Omit<Lab, "close">> {
  const page = await browser.newPage(terms);
  if (url === undefined) await visit(page, PAGE);
  else await page.goto(url);
  const session = await browser.newBrowserCDPSession();
  return { ask: asker<LabPage>(page, "lab"), cpuSeconds: () => cpuSeconds(session, ["renderer"]) };
}

/** Seconds of CPU that a browser's processes of these types have used so far; all its processes where none is named. */
export async function cpuSeconds(session: CDPSession, types?: readonly string[]): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const those = processInfo.filter(({ type }) => types?.includes(type) ?? true);
  return those.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** What figures are to be read beside. */
export function machine(browser?: Browser): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? null,
    cores: cores.length,
    memoryGB: Math.round(totalmem() / 1e9),
    system: `${type()} ${release()}`,
    browser: browser === undefined ? null : `Chromium ${browser.version()}`,
    node: process.versions.node,
    flags: browser === undefined ? [] : [...flags, ...camera.filter((flag) => !flag.includes(RAW_CLIP)), EAGER],
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}
