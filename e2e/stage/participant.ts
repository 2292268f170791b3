import { clipPrints, closest, type Flat, flatness, printVideo } from "./clip.ts";
import { expect } from "./expect.ts";

/** The browser's own count of one direction of one kind of media, summed over all connections. */
export interface CallCounters {
  framesSent: number;
  packetsSent: number;
  packetsReceived: number;
  framesDecoded: number;
  audioEnergy: number;
}

/**
 * What the column "Refused" may say where nobody attacks. A browser that probes the connection, or thinks a packet lost, sends packets
 * again: a frame can truly come twice. On a busy computer a few frames are there before their keys.
 */
export const nothingButRepeats = /^(none|([\d,]+ came a second time|\d of an epoch that is over or not begun)+)$/;

/** How much like the clip a picture must look to be it, and at most when it is noise. */
const ALIKE = 0.9;
const UNLIKE = 0.6;
/** At a picture that is not to go on, and packets between two of them. One that went on would look different nearly each time. */
const LOOKS = 12;
const MORE_PACKETS = 40;
/** Of those before, decoders keep some to build on. */
const KEPT_PICTURES = 4;

/** Someone in a call, whatever browser they use: what they see and hear. */
export abstract class Participant {
  readonly name: string;
  /** Errors of the page that a test did not expect. */
  readonly errors: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Runs a function in the page. */
  protected abstract run<R, A>(what: (given: A) => R | Promise<R>, given: A): Promise<R>;

  /** Runs a function in the page on the video of someone's tile. */
  protected abstract look<R>(of: string, what: (video: Element) => R): Promise<R>;

  /** Sees the camera of someone at a Chromium: pictures of the clip, and different ones as time goes by. */
  async seesMoving(of: string): Promise<void> {
    const seen = new Set<number>();
    await expect(async () => {
      const { index, likeness } = await this.looksLike(of);
      expect(likeness, `${this.name}'s picture of ${of} against the clip`).toBeGreaterThan(ALIKE);
      seen.add(index);
      expect(seen.size, `different pictures of ${of} that ${this.name} saw`).toBeGreaterThan(2);
    }).toPass({ timeout: 30_000, intervals: [150] });
  }

  /** Sees the camera of someone at a Firefox: one colour everywhere, and different ones as time goes by. */
  async seesColours(of: string): Promise<void> {
    const seen = new Set<string>();
    await expect(async () => {
      const flat = await this.looksFlat(of);
      expect(isOneColour(flat), `${this.name}'s picture of ${of} is ${JSON.stringify(flat)}`).toBe(true);
      seen.add(flat.colour.map((value) => value >> 2).join());
      expect(seen.size, `different colours of ${of} that ${this.name} saw`).toBeGreaterThan(2);
    }).toPass({ timeout: 20_000, intervals: [100] });
  }

  /** How much someone's tile looks like the clip now; 0 without a picture. */
  async looksLike(of: string): Promise<{ index: number; likeness: number }> {
    const print = await this.look(of, printVideo);
    if (print === null) return { index: -1, likeness: 0 };
    return closest(print, await clipPrints((what, given) => this.run(what, given)));
  }

  /** What one colour someone's tile has now, and how far it is from being that one everywhere. */
  async looksFlat(of: string): Promise<Flat> {
    return (await this.look(of, flatness)) ?? { colour: [0, 0, 0], deviation: 255 };
  }

  async seesNothingOf(of: string): Promise<void> {
    expect((await this.looksLike(of)).likeness, `${this.name}'s picture of ${of}`).toBeLessThan(UNLIKE);
  }

  /** The clip does not go on: what comes is noise, or pictures that the decoder still had, over and over. */
  async seesNothingNewOf(of: string): Promise<void> {
    const seen = new Set<number>();
    for (let look = 0; look < LOOKS; look++) {
      const { packetsReceived } = await this.counted();
      const more = async () => (await this.counted()).packetsReceived - packetsReceived;
      await expect.poll(more, { timeout: 10_000 }).toBeGreaterThan(MORE_PACKETS);
      const { index, likeness } = await this.looksLike(of);
      if (likeness >= UNLIKE) seen.add(index);
    }
    expect(seen.size, `different pictures of ${of} that ${this.name} saw`).toBeLessThanOrEqual(KEPT_PICTURES);
  }

  /** Hears sound over their connections: its energy grows. A connection that closes takes its share of it along. */
  async hears(): Promise<void> {
    let before = Number.POSITIVE_INFINITY;
    const grows = async () => {
      const last = before;
      before = (await this.counted()).audioEnergy;
      return before > last;
    };
    await expect.poll(grows, { timeout: 15_000 }).toBe(true);
  }

  /** The browser's own counters, from the connections that the page made. */
  counted(): Promise<CallCounters> {
    return this.run(countConnections, null);
  }

  /** Ends the page's media workers as a crash would, without a message to the page. Gives how many there were. */
  killMediaWorkers(): Promise<number> {
    return this.run(() => {
      const { workers } = globalThis as unknown as { workers: { url: string; worker: Worker }[] };
      const media = workers.filter(({ url }) => /media[^/]*\.worker/.test(url));
      for (const { worker } of media) worker.terminate();
      return media.length;
    }, null);
  }

  /** Cells of the proof table, a record a row. */
  proof(): Promise<Record<string, string>[]> {
    return this.run(readTable, null);
  }
}

function readTable(): Record<string, string>[] {
  const texts = (cells: Iterable<Element>) => [...cells].map(({ textContent }) => textContent);
  const columns = ["Track", ...texts(document.querySelectorAll("table thead th"))];
  return [...document.querySelectorAll("table tbody tr")].map((row) => {
    const cells = texts(row.querySelectorAll("th, td"));
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ""]));
  });
}

/** A picture of Firefox's fake camera: noise is uneven, and no picture or a broken one is grey. */
export function isOneColour({ colour, deviation }: Flat): boolean {
  return deviation < 5 && Math.max(...colour) - Math.min(...colour) > 30;
}

async function countConnections(): Promise<CallCounters> {
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  const counted = { framesSent: 0, packetsSent: 0, packetsReceived: 0, framesDecoded: 0, audioEnergy: 0 };
  for (const connection of connections) {
    for (const entry of (await connection.getStats()).values()) {
      if (entry.type === "outbound-rtp" && entry.kind === "video") counted.framesSent += entry.framesSent ?? 0;
      if (entry.type === "outbound-rtp" && entry.kind === "audio") counted.packetsSent += entry.packetsSent ?? 0;
      if (entry.type === "inbound-rtp") counted.packetsReceived += entry.packetsReceived ?? 0;
      if (entry.type === "inbound-rtp" && entry.kind === "video") counted.framesDecoded += entry.framesDecoded ?? 0;
      if (entry.type === "inbound-rtp" && entry.kind === "audio") counted.audioEnergy += entry.totalAudioEnergy ?? 0;
    }
  }
  return counted;
}
