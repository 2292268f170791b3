import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, CDPSession, Page } from "@playwright/test";
import { goLive, openStream, root } from "@sealcast/testbed";
import { smallCamera } from "@sealcast/testbed/page";
import { asker } from "../../command/ask.ts";
import { cpuSeconds, launch } from "../../command/bench.ts";
import { pause } from "../../command/until.ts";
import type { AskPage } from "../../src/shared/ask.ts";
import type { HostProbe, ViewerProbe, Watched, Way } from "./live-fanout.ts";

const PROBE = join(root, "apps/lab/dist/probe/live-probe.js");
/** No larger than it has to be for video to come at a height of 720. */
const WINDOW = { width: 800, height: 500 };
const PATIENCE_MS = 60_000;
/** A new tab starts processes, and so did the viewer before: a link is opened when they have come to rest. */
const SETTLED_MS = 2_000;

type Camera = Parameters<typeof smallCamera>[0];

interface HostTerms {
  /** What starts the browser, elsewhere perhaps. */
  readonly executable?: string;
  /** What the camera gives; what the product asks for otherwise. */
  readonly camera?: Camera;
}

/** The host of a live stream of the product, with a browser of their own. */
export class LiveHostPage {
  /** For viewers. */
  readonly link: string;
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #ask: AskPage<HostProbe>;

  private constructor(page: Page, session: CDPSession, ask: AskPage<HostProbe>, link: string) {
    this.link = link;
    this.#page = page;
    this.#session = session;
    this.#ask = ask;
  }

  /** Goes live. */
  static async open(home: string, way: Way, { executable, camera }: HostTerms = {}): Promise<LiveHostPage> {
    const browser = await launch(executable);
    try {
      const page = await probed(browser, `liveProbe.host("${way}")`, { camera });
      const ask = asker<HostProbe>(page, "probe");
      await openStream(page, home);
      await goLive(page);
      await page.getByRole("button", { name: /^copy\b/i }).click();
      const session = await browser.newBrowserCDPSession();
      return new LiveHostPage(page, session, ask, await ask("copied"));
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  /** Seconds of CPU that all of the browser's processes have used so far: page, workers, network, camera, drawing. */
  cpuSeconds(): Promise<number> {
    return cpuSeconds(this.#session);
  }

  ownEncoders(): Promise<number> {
    return this.#ask("ownEncoders");
  }

  /** Removes the viewer who came last. @returns when that was about to be confirmed, `performance.now` */
  async removeLast(): Promise<number> {
    await this.#page
      .getByRole("listitem", { name: /^Viewer / })
      .last()
      .getByRole("button", { name: "Remove" })
      .click();
    const confirm = this.#page.getByRole("button", { name: /^Remove viewer / });
    await confirm.waitFor();
    const since = performance.now();
    await confirm.click();
    return since;
  }

  async close(): Promise<void> {
    await this.#page.context().browser()?.close();
  }
}

/** Someone who watches, in a browser profile of their own: nothing is cached. */
export class LiveViewerPage {
  /** Milliseconds from the opening of the page. */
  readonly firstPictureMs: number;
  readonly #page: Page;
  readonly #ask: AskPage<ViewerProbe>;

  private constructor(page: Page, ask: AskPage<ViewerProbe>, firstPictureMs: number) {
    this.firstPictureMs = firstPictureMs;
    this.#page = page;
    this.#ask = ask;
  }

  /** Done when the viewer sees the first picture. */
  static async open(browser: Browser, link: string): Promise<LiveViewerPage> {
    const page = await probed(browser, "liveProbe.viewer()", { viewport: WINDOW });
    await pause(SETTLED_MS);
    await page.goto(link);
    const ask = asker<ViewerProbe>(page, "probe");
    return new LiveViewerPage(page, ask, await withPatience("a viewer's first picture", ask("firstPicture")));
  }

  turnSoundOn(): Promise<void> {
    return this.#page.getByRole("button", { name: "Turn sound on" }).click();
  }

  stopDrawing(): Promise<void> {
    return this.#ask("stopDrawing");
  }

  height(): Promise<number> {
    return this.#ask("height");
  }

  watch(ms: number): Promise<Watched> {
    return this.#ask("watch", ms);
  }

  close(): Promise<void> {
    return this.#page.context().close();
  }
}

interface PageTerms extends Pick<BrowserContextOptions, "viewport"> {
  readonly camera?: Camera | undefined;
}

async function probed(browser: Browser, start: string, { camera, ...options }: PageTerms = {}): Promise<Page> {
  const context = await browser.newContext({ locale: "en-US", ...options });
  if (camera !== undefined) await context.addInitScript(smallCamera, camera);
  const probe = await readFile(PROBE, "utf8");
  await context.addInitScript(`${probe}\n${start};`);
  return context.newPage();
}

async function withPatience<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`)), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
