import type { Browser, BrowserContext, Page } from "@playwright/test";
import { beforeMediaWorkers, joinCall, openCall } from "@sealcast/testbed";
import { tapFrames } from "@sealcast/testbed/worker";
import { asker } from "../../command/ask.ts";
import type { AskPage } from "../../src/shared/ask.ts";
import type { PageProbe, PageTerms, TrackSeen, WorkerSeen } from "./membership.ts";
import { watchMedia } from "./probe.in-worker.ts";
import { watchPage } from "./probe.page.ts";

/** Someone in a call of the product, in a browser profile of their own, with probes in page and workers. */
export class ProductMember {
  readonly name: string;
  readonly terms: PageTerms;
  readonly #context: BrowserContext;
  readonly #page: Page;
  readonly #ask: AskPage<PageProbe>;

  private constructor(name: string, terms: PageTerms, context: BrowserContext, page: Page) {
    this.name = name;
    this.terms = terms;
    this.#context = context;
    this.#page = page;
    this.#ask = asker(page, "probe");
  }

  static async open(browser: Browser, name: string, terms: PageTerms): Promise<ProductMember> {
    const context = await browser.newContext({ locale: "en-US" });
    await context.addInitScript(watchPage, terms);
    await beforeMediaWorkers(context, `(${watchMedia})(${terms.hostile}, ${tapFrames});`);
    return new ProductMember(name, terms, context, await context.newPage());
  }

  /** Founds a call. */
  async found(home: string): Promise<void> {
    await openCall(this.#page, home);
    await this.enter();
  }

  /** Opens the lobby of a call, and waits until its devices are there. */
  async visit(link: string): Promise<void> {
    await this.#page.goto(link);
    await this.#page.getByRole("combobox", { name: "Camera" }).waitFor();
  }

  /** Joins from the lobby. */
  enter(): Promise<void> {
    return joinCall(this.#page, this.name);
  }

  async remove(name: string): Promise<void> {
    await this.#page.getByRole("button", { name: "People" }).click();
    const entry = this.#page.getByRole("dialog").getByRole("listitem", { name, exact: true });
    await entry.getByRole("button", { name: "Remove from call" }).click();
    await entry.getByRole("button", { name: `Remove ${name}` }).click();
    await this.#page.getByRole("button", { name: "Close" }).click();
  }

  async inviteLink(): Promise<string> {
    await this.#page.getByRole("button", { name: "Copy invite link" }).click();
    return this.#ask("copied");
  }

  clickedAt(words: string): Promise<number> {
    return this.#ask("clickedAt", words);
  }

  lastOpenedAt(): Promise<number> {
    return this.#ask("lastOpenedAt");
  }

  seen(): Promise<WorkerSeen[]> {
    return this.#ask("seen", false);
  }

  /** Every transform that opens, with its frames since the last `forget` where they are asked for. */
  async tracks(withFrames: boolean): Promise<TrackSeen[]> {
    return (await this.#ask("seen", withFrames)).flatMap(({ tracks }) => tracks);
  }

  forget(): Promise<void> {
    return this.#ask("forget");
  }

  hangUp(): Promise<void> {
    return this.#ask("hangUp");
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}
