import { type LiveLink, parseLiveLink } from "@sealcast/keys/live-link";
import { pause, until } from "../../command/until.ts";
import { HeadlessViewer, loadSubscriber } from "./headless-viewer.command.ts";

/** Who comes in a second. */
export const ARRIVALS = 10;
/** Frames that each has of another relay before it counts as moved: those on their way from the last one are fewer. */
const MOVED = 50;
/** After a removal, for what still comes to who is removed. */
const LINGER_MS = 3_000;

/** What viewers without a page are asked to do. */
export type CrowdTask =
  /** Takes the one connection that there is, so that all others go over relays. `link`: the host's, for viewers. */
  | { readonly type: "begin"; readonly port: number; readonly link: string }
  /** Viewers come until there are this many over relays, and all of them open frames. */
  | { readonly type: "arrive"; readonly count: number }
  /** From now on they take frames, and neither open them nor hold them against signatures. */
  | { readonly type: "rest" }
  /** What is seen from here on counts. */
  | { readonly type: "forget" }
  | { readonly type: "see" }
  /** The host is about to remove one of them: until all others have other keys, and some seconds more. */
  | { readonly type: "removal" }
  /** A relay is about to be lost: until everybody opens frames of another one. */
  | { readonly type: "move" };

/** Of all that go over relays, since `forget`. Times are milliseconds since 1970. */
export interface Seen {
  /** From the host's encoder until it was opened, of each frame, milliseconds. */
  readonly latencies: readonly number[];
  /** Frames that did not come to one of them, or were refused. */
  readonly lost: number;
  /** One of them found frames that the host did not sign. */
  readonly isForged: boolean;
  readonly longestGapMs: number;
  /** Of the process's time, how much its viewers took or waited for a core in: from 0 to 1. */
  readonly busy: number;
  /** What they took, of a core. */
  readonly cpu: number;
  /** When the last one had the newest keys. */
  readonly rotatedAt: number;
  /** When the last frame came to who was removed. */
  readonly removedAt: number;
}

/** Viewers without a page, in one process. */
export class HeadlessCrowd {
  readonly #viewers: HeadlessViewer[] = [];
  #come: () => HeadlessViewer = () => {
    throw new Error("the crowd has not begun");
  };
  #removedAt = 0;
  #since = performance.eventLoopUtilization();
  #used = process.cpuUsage();
  #forgotAt = performance.now();

  /** One task at a time. */
  async do(task: CrowdTask): Promise<Seen> {
    if (task.type === "begin") await this.#begin(task.port, task.link);
    else if (task.type === "arrive") await this.#arrive(task.count);
    else if (task.type === "rest") for (const viewer of this.#viewers) viewer.opens = false;
    else if (task.type === "forget") this.#forget();
    else if (task.type === "removal") await this.#removal();
    else if (task.type === "move") await this.#move();
    return this.#seen();
  }

  async #begin(port: number, address: string): Promise<void> {
    const [Subscriber, { room, link }] = [await loadSubscriber(), await linkOf(address)];
    this.#come = () => new HeadlessViewer(port, room, link, Subscriber);
    await this.#come().join(false);
  }

  async #arrive(count: number): Promise<void> {
    while (this.#viewers.length < count) {
      const viewer = this.#come();
      this.#viewers.push(viewer);
      void viewer.join(true);
      await pause(1_000 / ARRIVALS);
    }
    await until("all viewers without a page open frames", async () => {
      const waiting = this.#viewers.filter(({ opened }) => opened === 0).length;
      return waiting === 0 ? "" : `${waiting} do not`;
    });
  }

  #forget(): void {
    for (const viewer of this.#viewers) viewer.forget();
    this.#since = performance.eventLoopUtilization();
    this.#used = process.cpuUsage();
    this.#forgotAt = performance.now();
  }

  async #removal(): Promise<void> {
    const next = Math.max(...this.#viewers.map(({ keys }) => keys.rotation)) + 1;
    const left = () => this.#viewers.filter(({ keys }) => keys.rotation < next);
    await until("all but one have other keys", async () => (left().length > 1 ? `${left().length} do not` : ""));
    await pause(LINGER_MS);
    const [removed] = left();
    if (removed === undefined) throw new Error("nobody is removed: all have the next keys");
    this.#viewers.splice(this.#viewers.indexOf(removed), 1);
    removed.close();
    this.#removedAt = performance.timeOrigin + removed.lastAt;
  }

  async #move(): Promise<void> {
    const before = this.#viewers.map(({ opened }) => opened);
    this.#forget();
    await until("all are at the other relay", async () => {
      const waiting = this.#viewers.filter(({ opened }, at) => opened < (before[at] ?? 0) + MOVED).length;
      return waiting === 0 ? "" : `${waiting} of ${before.length} are not`;
    });
  }

  #seen(): Seen {
    const viewers = this.#viewers;
    const { user, system } = process.cpuUsage(this.#used);
    return {
      latencies: viewers.flatMap(({ latencies }) => latencies),
      lost: viewers.reduce((sum, { lost, refused }) => sum + lost + refused, 0),
      isForged: viewers.some(({ isForged }) => isForged),
      longestGapMs: Math.max(0, ...viewers.map(({ longestGapMs }) => longestGapMs)),
      busy: performance.eventLoopUtilization(this.#since).utilization,
      cpu: (user + system) / 1_000 / (performance.now() - this.#forgotAt),
      rotatedAt: performance.timeOrigin + Math.max(0, ...viewers.map(({ keys }) => keys.rotatedAt)),
      removedAt: this.#removedAt,
    };
  }
}

async function linkOf(address: string): Promise<{ room: string; link: LiveLink }> {
  const { pathname, hash } = new URL(address);
  const room = pathname.split("/").at(-1) ?? "";
  const link = await parseLiveLink(room, hash.slice(1));
  if (!link.ok) throw new Error("the host's link is damaged");
  return { room, link };
}
