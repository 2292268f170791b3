import type { BrowserContext, Locator, Page } from "@playwright/test";
import { expect } from "./expect.ts";
import { Participant } from "./participant.ts";
import type { Tapped } from "./tap.ts";

export interface CameraEncoding {
  mimeType: string;
  /** Spatial and temporal layers, W3C WebRTC-SVC. */
  scalabilityMode?: string;
}

/** Somebody at a Chromium of their own. */
export class ChromiumPerson extends Participant {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Every byte that this person's page sent to or got from the server over its socket, as text. */
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
      if (message.type() === "error") this.errors.push(message.text());
    });
    page.on("request", (request) => this.requests.push(request.url() + (request.postData() ?? "")));
    page.on("websocket", (socket) => {
      socket.on("framesent", ({ payload }) => this.socket.push(payload.toString()));
      socket.on("framereceived", ({ payload }) => this.socket.push(payload.toString()));
    });
  }

  /** Starts a call from the home page and joins it. Gives the link to invite others with. */
  async startCall(home: string, { twice = false } = {}): Promise<string> {
    await this.page.goto(home);
    if (twice) await this.page.getByRole("checkbox", { name: "Double encryption" }).check();
    await this.page.getByRole("button", { name: "Start a call" }).click();
    await this.page.waitForURL(/\/call\//);
    const link = this.page.url();
    await this.join();
    return link;
  }

  /** Goes live from the home page. Gives the viewers' link. */
  async goLive(home: string): Promise<string> {
    await this.page.goto(home);
    await this.page.getByRole("button", { name: "Go live" }).click();
    await this.page.waitForURL(/\/live\//);
    await this.start();
    return this.viewersLink();
  }

  /** From the host's page, which may have been loaded anew. */
  async start(): Promise<void> {
    await this.page.getByRole("button", { name: "Go live" }).click();
    await expect(this.page.getByRole("button", { name: "End stream" })).toBeVisible({ timeout: 20_000 });
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

  async join(): Promise<void> {
    await this.page.getByRole("textbox", { name: "Your name" }).fill(this.name);
    await this.page.getByRole("button", { name: "Join now" }).click();
    await expect(this.page.getByRole("button", { name: "Leave call" })).toBeVisible({ timeout: 20_000 });
  }

  /** What the encryption details say. */
  async encryptionDetails(): Promise<string> {
    await this.page.getByRole("button", { name: "Encryption details" }).click();
    const words = await this.page.getByRole("dialog").textContent();
    await this.page.getByRole("button", { name: "Close" }).click();
    return words ?? "";
  }

  tile(of: string): Locator {
    return this.page.getByRole("group", { name: `Participant ${of}`, exact: true });
  }

  /** Of somebody in a call, of what they share ("Screen of ..."), or of a live stream. */
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

  /** The browser's own word for how it encodes the pictures that it sends. */
  encodings(): Promise<CameraEncoding[]> {
    return this.page.evaluate(readEncodings);
  }

  /** How the page made its connections. */
  configurations(): Promise<object[]> {
    return this.page.evaluate(() => (globalThis as unknown as { configurations: object[] }).configurations);
  }

  /** How many headers of a picture's frames this page sent on more links than one: sealed once for several. */
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
    await this.page.getByRole("button", { name: "Devices" }).click();
    await this.page.getByRole("checkbox", { name: "Hide speech patterns" }).setChecked(on);
    await this.page.getByRole("button", { name: "Close" }).click();
  }

  /** What the tap saw this page's workers write, over all transforms. */
  tapped(): Promise<Tapped[]> {
    return this.page.evaluate(() => [...(globalThis as unknown as { tapped: Map<number, Tapped> }).tapped.values()]);
  }
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

/** Runs in the page, before its own scripts: keeps the connections that it makes, so that a test can ask their counters. */
export function keepConnections(): void {
  const made: RTCPeerConnection[] = [];
  const configurations: (RTCConfiguration | undefined)[] = [];
  const Original = RTCPeerConnection;
  class Kept extends Original {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      made.push(this);
      configurations.push(configuration);
    }
  }
  Object.assign(globalThis, { RTCPeerConnection: Kept, connections: made, configurations });
}

/** Runs in the page, before its own scripts: keeps the workers that it starts, so that a test can kill them. */
export function keepWorkers(): void {
  const started: { url: string; worker: Worker }[] = [];
  const Original = Worker;
  class Kept extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      started.push({ url: String(url), worker: this });
    }
  }
  Object.assign(globalThis, { Worker: Kept, workers: started });
}

/** Runs in the page, before its own scripts: a slow camera of so many lines, so that many browsers fit on one machine. */
export function smallCamera(lines: number): void {
  // Firefox also runs it in the empty page that comes first, which is no secure one and has no devices.
  if (!globalThis.isSecureContext) return;
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (constraints) => {
    const video = constraints?.video;
    if (typeof video !== "object") return original(constraints);
    return original({ ...constraints, video: { ...video, width: (lines * 16) / 9, height: lines, frameRate: 10 } });
  };
}
