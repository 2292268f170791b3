import type { BrowserContext, Locator, Page } from "@playwright/test";
import { goLive, joinCall, openCall, openStream, pressControl } from "@sealcast/testbed";
import { expect } from "./expect.ts";
import { Participant } from "./participant.ts";
import type { Tapped } from "./tap.ts";

export interface CameraEncoding {
  mimeType: string;
  /** Spatial and temporal layers, W3C WebRTC-SVC. */
  scalabilityMode?: string;
}

/** Someone at a Chromium of their own. */
export class ChromiumPerson extends Participant {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Every byte that this person's page sent to or got from the server over its socket, as text; of binary messages a letter a byte. */
  readonly socket: string[] = [];
  /** Every line that the page wrote to the console. */
  readonly console: string[] = [];
  /** Every address that the page asked for. */
  readonly requests: string[] = [];

  constructor(name: string, context: BrowserContext, page: Page) {
    super(name);
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => {
      this.console.push(message.text());
      const where = message.location().url;
      // The report has the time of each step.
      if (message.type() === "error") this.errors.push(`${message.text()} (${where} at ${new Date().toISOString()})`);
    });
    page.on("request", (request) => this.requests.push(request.url() + (request.postData() ?? "")));
    page.on("websocket", (socket) => {
      socket.on("framesent", ({ payload }) => this.socket.push(textOf(payload)));
      socket.on("framereceived", ({ payload }) => this.socket.push(textOf(payload)));
    });
  }

  /** Starts a call from the home page and joins it. Gives the link to invite others with. */
  async startCall(home: string, { twice = false } = {}): Promise<string> {
    const link = await openCall(this.page, home, { twice });
    await this.join();
    return link;
  }

  /** Goes live from the home page. Gives the viewers' link. */
  async goLive(home: string): Promise<string> {
    await openStream(this.page, home);
    await this.start();
    return this.viewersLink();
  }

  /** From the host's page, which may have been reloaded. */
  start(): Promise<void> {
    return goLive(this.page);
  }

  async viewersLink(): Promise<string> {
    // What is not named here is taken back.
    await this.context.grantPermissions(["camera", "microphone", "clipboard-read", "clipboard-write"]);
    await this.page.getByRole("button", { name: "Copy viewers’ link" }).click();
    await expect(this.page.getByText("Link copied.")).toBeVisible();
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** The link of the call that this person is in, which a removal changes. */
  async inviteLink(): Promise<string> {
    // What is not named here is taken back.
    await this.context.grantPermissions(["camera", "microphone", "clipboard-read", "clipboard-write"]);
    await this.page.bringToFront();
    await this.page.getByRole("button", { name: "Copy invite link" }).click();
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  async open(link: string): Promise<void> {
    await this.page.goto(link);
    await this.join();
  }

  join(): Promise<void> {
    return joinCall(this.page, this.name);
  }

  /** What the encryption details say. */
  async encryptionDetails(): Promise<string> {
    await this.page.getByRole("button", { name: "Encryption details" }).click();
    const words = await this.page.getByRole("dialog").textContent();
    await this.page.getByRole("button", { name: "Close" }).click();
    return words ?? "";
  }

  /** Presses a button of the bar, or of what "More" opens. */
  press(control: string): Promise<void> {
    return pressControl(this.page, control);
  }

  tile(of: string): Locator {
    return this.page.getByRole("group", { name: `Participant ${of}`, exact: true });
  }

  /** Of someone in a call, of what they share ("Screen of ..."), or of a live stream. */
  video(of: string): Locator {
    if (of === "the stream") return this.page.getByLabel("Live stream", { exact: true });
    if (of.startsWith("Screen of ")) return this.page.getByRole("group", { name: of, exact: true }).locator("video");
    return this.tile(of).locator("video");
  }

  get badge(): Locator {
    return this.page.getByRole("status", { name: "Encryption" });
  }

  /** Keeps every word that the badge shows from now on. */
  recordBadge(): Promise<void> {
    return this.page.evaluate(recordBadge);
  }

  /** What it showed since, each word once. */
  badges(): Promise<string[]> {
    return this.page.evaluate(() => [...(globalThis as unknown as { badges: Set<string> }).badges]);
  }

  protected run<R, A>(what: (given: A) => R | Promise<R>, given: A): Promise<R> {
    return this.page.evaluate(what as (given: unknown) => R | Promise<R>, given as unknown);
  }

  protected look<R>(of: string, what: (video: Element) => R): Promise<R> {
    return this.video(of).evaluate(what);
  }

  /** The browser's own word for how it encodes the video that it sends. */
  encodings(): Promise<CameraEncoding[]> {
    return this.page.evaluate(readEncodings);
  }

  /** How the page made its connections. */
  configurations(): Promise<object[]> {
    return this.page.evaluate(() => (globalThis as unknown as { configurations: object[] }).configurations);
  }

  /** How many headers of video frames this page sent on more links than one: sealed once for several. */
  async sealedForSeveral(of: string): Promise<number> {
    const links = (await this.tapped()).filter(({ side, source }) => side === "seal" && source === of);
    const headers = links.flatMap(({ frames }) => frames.map(({ header }) => header));
    return headers.length - new Set(headers).size;
  }

  /** How long the sealed sound frames were that this page sent so far, in order. Not counted: what grows in them, the header. */
  async soundLengths(): Promise<number[]> {
    const links = (await this.tapped()).filter(({ side, source }) => side === "seal" && source === "microphone");
    return links.flatMap(({ frames }) => frames.map(({ header, bytes }) => bytes - header.length / 2));
  }

  /** Has packets of sound have one size from now on, or sizes that follow what is said. */
  async hideSpeech(on: boolean): Promise<void> {
    await this.press("Devices");
    await this.page.getByRole("checkbox", { name: "Hide speech patterns" }).setChecked(on);
    await this.page.getByRole("button", { name: "Close" }).click();
  }

  /** What the tap saw this page's workers write, over all transforms. */
  tapped(): Promise<Tapped[]> {
    return this.page.evaluate(() => [...(globalThis as unknown as { tapped: Map<number, Tapped> }).tapped.values()]);
  }
}

function textOf(payload: string | Buffer): string {
  return typeof payload === "string" ? payload : payload.toString("latin1");
}

/** Runs in the page. */
async function readEncodings(): Promise<CameraEncoding[]> {
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  const reports = await Promise.all(connections.map(async (connection) => [...(await connection.getStats()).values()]));
  return reports.flatMap((report) =>
    report
      .filter(({ type, kind }) => type === "outbound-rtp" && kind === "video")
      .map(({ codecId, scalabilityMode }) => {
        return { mimeType: report.find(({ id }) => id === codecId)?.mimeType, scalabilityMode };
      }),
  );
}

/** Runs in the page. */
function recordBadge(): void {
  const badge = () => document.querySelector('output[aria-label="Encryption"]')?.textContent;
  const seen = new Set([badge()]);
  Object.assign(globalThis, { badges: seen });
  new MutationObserver(() => {
    const text = badge();
    if (text !== undefined) seen.add(text);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}
