import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { watchPage } from "../src/page/membership-probe.ts";
import type { AskPage } from "../src/shared/ask.ts";
import type { PageProbe, PageTerms, TrackSeen, WorkerSeen } from "../src/shared/membership.ts";
import { watchMedia } from "../src/worker/membership-probe.ts";
import { asker } from "./ask.ts";

/** Seen from dist/command, where this runs. */
const SERVER = join(import.meta.dirname, "../../../../server/dist/main.js");

/** The product's own server, serving its built client. */
export class ProductServer {
  readonly url: string;
  readonly #server: ChildProcess;

  private constructor(server: ChildProcess, port: number) {
    this.#server = server;
    this.url = `http://localhost:${port}`;
  }

  /** On any free port. `within`: what stands before a command that is to run in another network. */
  static async start(within: readonly string[] = []): Promise<ProductServer> {
    const [command = "", ...args] = [...within, process.execPath, SERVER];
    const env = { ...process.env, PORT: "0", LOG_LEVEL: "info" };
    const server = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    // Its first line says where it listens.
    for await (const line of createInterface(server.stdout)) return new ProductServer(server, JSON.parse(line).port);
    throw new Error("the server ended before it listened");
  }

  async stop(): Promise<void> {
    const exit = once(this.#server, "exit");
    this.#server.kill();
    await exit;
  }
}

/** Somebody in a call of the product, in a browser profile of their own, with probes in page and workers. */
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
    await context.route(/media[^/]*\.worker[^/]*\.js$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `(${watchMedia})(${terms.hostile});\n${await response.text()}` });
    });
    return new ProductMember(name, terms, context, await context.newPage());
  }

  /** Founds a call. */
  async found(home: string): Promise<void> {
    await this.#page.goto(home);
    await this.#page.getByRole("button", { name: "Start a call" }).click();
    await this.enter();
  }

  /** Opens the lobby of a call, and waits until its devices are there. */
  async visit(link: string): Promise<void> {
    await this.#page.goto(link);
    await this.#page.getByRole("combobox", { name: "Camera" }).waitFor();
  }

  /** Joins from the lobby. */
  async enter(): Promise<void> {
    await this.#page.getByRole("textbox", { name: "Your name" }).fill(this.name);
    await this.#page.getByRole("button", { name: "Join now" }).click();
    await this.#page.getByRole("button", { name: "Leave call" }).waitFor();
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
