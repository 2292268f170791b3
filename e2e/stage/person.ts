import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";
import { clipPrints, closest, printVideo } from "./clip.ts";
import type { Tapped } from "./tap.ts";

/** The browser's own count of one direction of one kind of media, summed over all connections. */
export interface Counted {
  framesSent: number;
  packetsSent: number;
  framesDecoded: number;
  audioEnergy: number;
}

/** How much like the clip a picture must look to be it, and at most when it is noise. */
const ALIKE = 0.9;
const UNLIKE = 0.6;

/** Somebody at a browser of their own. */
export class Person {
  readonly name: string;
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page that a test did not expect. */
  readonly errors: string[] = [];
  /** Every byte that this person's page sent to or got from the server over its socket, as text. */
  readonly socket: string[] = [];
  /** Every address that the page asked for. */
  readonly requests: string[] = [];

  constructor(name: string, context: BrowserContext, page: Page) {
    this.name = name;
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => {
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
    if (twice) await this.page.getByRole("checkbox", { name: "Seal twice" }).check();
    await this.page.getByRole("button", { name: "Start a call" }).click();
    await this.page.waitForURL(/\/call\//);
    const link = this.page.url();
    await this.join();
    return link;
  }

  async open(link: string): Promise<void> {
    await this.page.goto(link);
    await this.join();
  }

  async join(): Promise<void> {
    await this.page.getByRole("textbox", { name: "Your name" }).fill(this.name);
    await this.page.getByRole("button", { name: "Join now" }).click();
    await expect(this.page.getByRole("button", { name: "Leave call" })).toBeVisible();
  }

  tile(of: string): Locator {
    return this.page.getByRole("group", { name: `Participant ${of}`, exact: true });
  }

  video(of: string): Locator {
    return this.tile(of).locator("video");
  }

  get badge(): Locator {
    return this.page.getByRole("status", { name: "Encryption" });
  }

  /** Sees the other's camera: pictures of the clip, and different ones as time goes by. */
  async seesMoving(of: string): Promise<void> {
    const seen = new Set<number>();
    await expect(async () => {
      const { index, likeness } = await this.looksLike(of);
      expect(likeness, `${this.name}'s picture of ${of} against the clip`).toBeGreaterThan(ALIKE);
      seen.add(index);
      expect(seen.size, `different pictures of ${of} that ${this.name} saw`).toBeGreaterThan(2);
    }).toPass({ timeout: 20_000, intervals: [100] });
  }

  /** How much the other's tile looks like the clip now; 0 without a picture. */
  async looksLike(of: string): Promise<{ index: number; likeness: number }> {
    const print = await this.video(of).evaluate(printVideo);
    return print === null ? { index: -1, likeness: 0 } : closest(print, await clipPrints(this.page));
  }

  async seesNothingOf(of: string): Promise<void> {
    expect((await this.looksLike(of)).likeness, `${this.name}'s picture of ${of}`).toBeLessThan(UNLIKE);
  }

  /** Hears sound of everybody they are connected with: its energy grows. */
  async hears(): Promise<void> {
    const before = (await this.counted()).audioEnergy;
    await expect.poll(async () => (await this.counted()).audioEnergy, { timeout: 15_000 }).toBeGreaterThan(before);
  }

  /** The browser's own counters, from the connections that the page made. */
  counted(): Promise<Counted> {
    return this.page.evaluate(countConnections);
  }

  /** Ends the page's media workers as a crash would: nobody is told. Gives how many there were. */
  killMediaWorkers(): Promise<number> {
    return this.page.evaluate(() => {
      const { workers } = globalThis as unknown as { workers: { url: string; worker: Worker }[] };
      const media = workers.filter(({ url }) => /media[^/]*\.worker/.test(url));
      for (const { worker } of media) worker.terminate();
      return media.length;
    });
  }

  /** How the page made its connections. */
  configurations(): Promise<object[]> {
    return this.page.evaluate(() => (globalThis as unknown as { configurations: object[] }).configurations);
  }

  /** What the tap saw this page's workers write, over all transforms. */
  tapped(): Promise<Tapped[]> {
    return this.page.evaluate(() => [...(globalThis as unknown as { tapped: Map<string, Tapped> }).tapped.values()]);
  }

  /** Cells of the proof table, a record a row. */
  async proof(): Promise<Record<string, string>[]> {
    const table = this.page.getByRole("table");
    const columns = ["Track", ...(await table.getByRole("columnheader").allInnerTexts())];
    const rows = await table.locator("tbody tr").all();
    return Promise.all(
      rows.map(async (row) => {
        const cells = await row.locator("th, td").allInnerTexts();
        return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ""]));
      }),
    );
  }
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

/** Runs in the page, before its own scripts: a slow camera of 360 lines, so that many browsers fit on one machine. */
export function smallCamera(): void {
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (constraints) => {
    const video = constraints?.video;
    if (typeof video !== "object") return original(constraints);
    return original({ ...constraints, video: { ...video, width: 640, height: 360, frameRate: 10 } });
  };
}

async function countConnections(): Promise<Counted> {
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  const counted = { framesSent: 0, packetsSent: 0, framesDecoded: 0, audioEnergy: 0 };
  for (const connection of connections) {
    for (const entry of (await connection.getStats()).values()) {
      if (entry.type === "outbound-rtp" && entry.kind === "video") counted.framesSent += entry.framesSent ?? 0;
      if (entry.type === "outbound-rtp" && entry.kind === "audio") counted.packetsSent += entry.packetsSent ?? 0;
      if (entry.type === "inbound-rtp" && entry.kind === "video") counted.framesDecoded += entry.framesDecoded ?? 0;
      if (entry.type === "inbound-rtp" && entry.kind === "audio") counted.audioEnergy += entry.totalAudioEnergy ?? 0;
    }
  }
  return counted;
}
