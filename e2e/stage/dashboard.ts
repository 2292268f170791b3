import { readFile } from "node:fs/promises";
import type { Locator } from "@playwright/test";
import type { Latency } from "@sealcast/latency/playwright";
import { clipPrints, closest, printVideo } from "./clip.ts";
import { SHOWN } from "./expect.ts";
import type { ChromiumPerson } from "./person.ts";
import { expect } from "./test.ts";

/** The dashboard looks at a frame this long after it was shown. */
const SETTLED_MS = 3_000;

const ISOLATES = /[\u2068\u2069]/g;

export const REGIONS = ["Latency", "CPU", "Encryption", "Network"] as const;

/** What someone's dashboard shows, live or of a file. */
export class Dashboard {
  readonly person: ChromiumPerson;

  constructor(person: ChromiumPerson) {
    this.person = person;
  }

  /** Opens it in a call or stream. */
  static async open(person: ChromiumPerson): Promise<Dashboard> {
    await person.press("Dashboard");
    await expect(person.page.getByRole("complementary", { name: "Dashboard" })).toBeVisible();
    return new Dashboard(person);
  }

  /** Opens an exported file on a page of its own. */
  static async read(person: ChromiumPerson, home: string, path: string): Promise<Dashboard> {
    await person.page.goto(`${home}/dashboard`);
    await person.page.getByLabel("Report", { exact: true }).setInputFiles(path);
    return new Dashboard(person);
  }

  region(name: (typeof REGIONS)[number]): Locator {
    return this.person.page.getByRole("region", { name, exact: true });
  }

  /** Chooses whose latency is shown. */
  async follow(track: string): Promise<void> {
    await this.region("Latency").getByLabel("Track").selectOption(isolated(track));
  }

  /** The latest figures of a chart, in words, by what they are of. NaN for a dash. */
  async figures(region: (typeof REGIONS)[number], chart: string): Promise<Record<string, number>> {
    const latest = this.region(region).getByRole("figure", { name: chart }).getByTestId("latest");
    const spans = (await latest.locator("[data-line]").allTextContents()).map((words) => words.replace(ISOLATES, ""));
    return Object.fromEntries(
      spans.map((words) => [words.replace(/ [\d,.–]+ ?(ms|%|kbit\/s|a second)?$/, ""), numberIn(words)]),
    );
  }

  /** Median milliseconds from end to end; NaN before it is known. */
  async endToEnd(): Promise<number> {
    return numberIn((await this.region("Latency").getByTestId("end-to-end").textContent()) ?? "");
  }

  /**
   * Round by round, over the same seconds, since its figure holds the last five: what it says at p50, and what is in the
   * picture itself.
   */
  async besideBlockCode(blockCode: () => Promise<Latency>, rounds: number) {
    await expect.poll(() => this.endToEnd(), { timeout: 30_000 }).toBeGreaterThan(0);
    const compared: { blockCodeP50Ms: number; dashboardP50Ms: number; differenceMs: number; readFailures: number }[] =
      [];
    while (compared.length < rounds) {
      const { p50, readFailures } = await blockCode();
      const until = Date.now() + SETTLED_MS;
      await expect.poll(() => Date.now() > until, { timeout: 10_000, intervals: [100] }).toBe(true);
      const said = await this.endToEnd();
      const differenceMs = Math.round(10 * (said - p50)) / 10;
      compared.push({ blockCodeP50Ms: p50, dashboardP50Ms: said, differenceMs, readFailures });
    }
    return compared;
  }

  /** A stage's cells: how it was measured, its mean and its quantiles. */
  async stage(name: string): Promise<{ measured: string; mean: number; p50: number }> {
    const row = this.region("Latency")
      .getByRole("row")
      .filter({ has: this.person.page.getByRole("rowheader", { name, exact: true }) });
    const [, measured = "", mean = "", p50 = ""] = await row
      .getByRole("cell", { includeHidden: true })
      .allTextContents();
    return { measured, mean: numberIn(mean), p50: numberIn(p50) };
  }

  /** A track's row of the proof: what the browser counted, what was sealed or opened, what went readable, what was refused. */
  async proof(
    track: string,
  ): Promise<{ browser: number; sealed: number; readable: number; codec: string; epoch: string }> {
    const header = this.person.page.getByRole("rowheader", { name: isolated(track), exact: true });
    const row = this.region("Encryption").getByTestId("proof").getByRole("row").filter({ has: header });
    const [browser = "", sealed = "", readable = "", , codec = "", epoch = ""] = await row
      .getByRole("cell")
      .allTextContents();
    return { browser: numberIn(browser), sealed: numberIn(sealed), readable: numberIn(readable), codec, epoch };
  }

  /** Listens in on the picture that goes to someone: nothing is to be seen of it, and something once frames are left readable. */
  async eavesdrop(to: string): Promise<void> {
    const region = this.region("Encryption");
    await region.getByRole("button", { name: "Listen in" }).click();
    await expect.poll(async () => (await this.#overheard()).heard, SHOWN).toBeGreaterThan(20);
    expect((await this.#overheard()).readable).toBe(0);
    expect(await this.#likeness("What an eavesdropper sees"), "what they see, against the clip").toBeLessThan(0.6);
    await expect.poll(() => this.#likeness("The picture"), SHOWN).toBeGreaterThan(0.9);
    await region.getByRole("radio", { name: "Key frames only" }).check();
    await expect.poll(async () => (await this.#overheard()).readable, SHOWN).toBeGreaterThan(20);
    await expect.poll(async () => (await this.#overheard()).pictures, SHOWN).toBeGreaterThan(5);
    await expect(region.getByTestId("policy-cost")).toContainText(/of one core/);
    await expect.poll(async () => (await this.proof(`Picture, to ${to}`)).readable, SHOWN).toBeGreaterThan(0);
    await region.getByRole("button", { name: "Stop listening in" }).click();
    await expect(region.getByTestId("overheard")).toHaveCount(0);
  }

  async #overheard(): Promise<{ heard: number; readable: number; pictures: number }> {
    const words = (await this.region("Encryption").getByTestId("overheard").textContent()) ?? "";
    const [heard = 0, readable = 0, pictures = 0] = words.match(/\d+/g)?.map(Number) ?? [];
    return { heard, readable, pictures };
  }

  /** How much the one or the other of the eavesdropper's two pictures looks like the clip. */
  async #likeness(name: "What an eavesdropper sees" | "The picture"): Promise<number> {
    const { page } = this.person;
    const panel = page.getByRole("complementary", { name: "Dashboard" });
    const picture = name === "The picture" ? panel.getByLabel(name, { exact: true }) : panel.getByRole("img", { name });
    const print = await picture.evaluate(printVideo);
    const clip = await clipPrints((what, given) => page.evaluate(what as (given: unknown) => never, given as unknown));
    return print === null ? 0 : closest(print, clip).likeness;
  }

  /** Saves a report, and gives its path and what is in it. */
  async export(button: string): Promise<{ path: string; text: string }> {
    const { page } = this.person;
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: button }).click();
    const download = await downloading;
    const path = `${await download.path()}`;
    return { path, text: await readFile(path, "utf8") };
  }
}

/** A track's name, or words that begin with it, as the dashboard writes them: with the person's name isolated. */
export function isolated(track: string): string {
  return track.replace(/, (to|from) ([^,]+)/, ", $1 \u2068$2\u2069");
}

/** The last number in words; NaN where there is none. */
function numberIn(words: string): number {
  const [found] = /[\d,]+(\.\d+)?(?=[^\d]*$)/.exec(words.split("p50")[0] ?? "") ?? [];
  return found === undefined ? Number.NaN : Number(found.replaceAll(",", ""));
}
