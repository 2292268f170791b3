import { existsSync } from "node:fs";
import { keepConnections, keepWorkers, smallCamera } from "@sealcast/testbed/page";
import puppeteer, { type Browser, type BrowserContext, type Page } from "puppeteer-core";
import { expect } from "./expect.ts";
import { Participant } from "./participant.ts";
import { test as base, countPage, SLOW } from "./test.ts";

const path = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

/** Why tests with Firefox are skipped; null where there is one. `FIREFOX` names another one, "" none. */
export const noFirefox = existsSync(path) ? null : "No Firefox was found or could be installed.";

/** With fewer, the camera's own marks are too much of a picture that is to be one colour. */
const CAMERA_LINES = 360;

/** A camera that shows changing colours, a microphone that hums, consent to both, and calls on this machine alone. */
const preferences = {
  "media.navigator.streams.fake": true,
  "media.navigator.permission.disabled": true,
  "media.autoplay.default": 0,
  "media.autoplay.blocking_policy": 0,
  "media.peerconnection.ice.loopback": true,
  "media.peerconnection.ice.obfuscate_host_addresses": false,
};

/** Someone at a Firefox. Playwright cannot drive a Firefox as its makers ship it; puppeteer can, over WebDriver BiDi. */
export class FirefoxPerson extends Participant {
  readonly page: Page;
  readonly context: BrowserContext;

  constructor(name: string, context: BrowserContext, page: Page) {
    super(name);
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
  }

  /** Starts a call from the home page and joins it. Gives the link to invite others with. */
  async startCall(home: string): Promise<string> {
    await this.page.goto(home);
    await this.click("Start a call");
    await expect.poll(() => this.page.url()).toMatch(/\/call\/.+#/);
    const link = this.page.url();
    await this.join();
    return link;
  }

  async open(link: string): Promise<void> {
    await this.page.goto(link);
    await this.join();
  }

  async join(): Promise<void> {
    await this.page.locator('::-p-aria([name="Your name"][role="textbox"])').fill(this.name);
    await this.click("Join now");
    await this.page.locator('::-p-aria([name="Leave call"][role="button"])').wait();
  }

  async click(button: string): Promise<void> {
    await this.page.locator(`::-p-aria([name="${button}"][role="button"])`).click();
  }

  /** Goes live from the home page. Gives the viewers' link. */
  async goLive(home: string): Promise<string> {
    await this.page.goto(home);
    await this.click("Go live");
    await expect.poll(() => this.page.url()).toMatch(/\/live\//);
    await this.page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => void Object.assign(globalThis, { copied: text });
    });
    await this.click("Go live");
    await this.click("Copy viewers’ link");
    const copied = () => this.page.evaluate(() => (globalThis as unknown as { copied?: string }).copied ?? "");
    await expect.poll(copied).toContain("#");
    return copied();
  }

  /** What the badge says. */
  badge(): Promise<string> {
    return this.page.$eval('output[aria-label="Encryption"]', ({ textContent }) => textContent);
  }

  /** The key epoch that the Encryption badge's details name; opens and closes them. */
  async epoch(): Promise<number> {
    await this.click("Encryption details");
    const epochs = (await this.proof()).map(({ Epoch }) => Number(Epoch));
    await this.page.keyboard.press("Escape");
    return Math.min(...epochs);
  }

  /** What a region of the page says; nothing where there is none. */
  region(name: string): Promise<string> {
    return this.run((name) => document.querySelector(`section[aria-label="${name}"]`)?.textContent ?? "", name);
  }

  /** The page shows this text. */
  async reads(text: string): Promise<void> {
    await expect
      .poll(() => this.page.$eval("body", ({ textContent }) => textContent), { timeout: 15_000 })
      .toContain(text);
  }

  async isAloneWith(name: string): Promise<void> {
    const others = () => this.page.$$eval('[aria-label^="Participant"]', (tiles) => tiles.length);
    await expect.poll(others, { message: `tiles beside ${name}'s` }).toBe(2);
  }

  /** Has the page's media workers run nothing. Before the page is opened. */
  async emptyMediaWorkers(): Promise<void> {
    await this.page.setRequestInterception(true);
    this.page.on("request", (request) => {
      if (!/media[^/]*\.worker/.test(request.url())) return void request.continue();
      const headers = { "Cross-Origin-Embedder-Policy": "require-corp" };
      void request.respond({ contentType: "text/javascript", headers, body: "" });
    });
  }

  /** What no code of the page does: takes the transforms off, after which a Firefox sends pictures as they are. */
  takeVideoTransform(): Promise<void> {
    return this.run(() => {
      const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
      for (const connection of connections)
        for (const sender of connection.getSenders()) if (sender.track?.kind === "video") sender.transform = null;
    }, null);
  }

  protected run<R, A>(what: (given: A) => R | Promise<R>, given: A): Promise<R> {
    return this.page.evaluate(what as (given: unknown) => R | Promise<R>, given);
  }

  protected look<R>(of: string, what: (video: Element) => R): Promise<R> {
    const stream = `video[aria-label="Live stream"]:not([hidden]), [aria-label="Live stream"] canvas`;
    return this.page.$eval(of === "the stream" ? stream : `[aria-label="Participant ${of}"] video`, what) as Promise<R>;
  }
}

interface Scene {
  /** Brings someone with a Firefox on stage. */
  firefoxPerson: (name: string) => Promise<FirefoxPerson>;
}

/** The stage with one Firefox for all tests of a file. After each test, no page in it may have had an error. */
export const test = base.extend<Scene, { firefox: Browser }>({
  firefox: [
    async ({}, use) => {
      const browser = await puppeteer.launch({
        browser: "firefox",
        executablePath: path,
        defaultViewport: { width: 1280, height: 720 },
        extraPrefsFirefox: preferences,
      });
      await use(browser);
      await browser.close();
    },
    { scope: "worker" },
  ],
  firefoxPerson: async ({ firefox, expectedErrors }, use, info) => {
    const people: FirefoxPerson[] = [];
    await use(async (name) => {
      countPage(info);
      const context = await firefox.createBrowserContext();
      const page = await context.newPage();
      for (const script of [keepConnections, keepWorkers]) await page.evaluateOnNewDocument(script);
      await page.evaluateOnNewDocument(smallCamera, { height: CAMERA_LINES, frameRate: SLOW });
      const person = new FirefoxPerson(name, context, page);
      people.push(person);
      return person;
    });
    for (const { name, errors } of people)
      expect(
        errors.filter((error) => !expectedErrors.some((pattern) => pattern.test(error))),
        `errors in ${name}'s page`,
      ).toEqual([]);
    await Promise.all(people.map(({ context }) => context.close()));
  },
});

export { expect };
