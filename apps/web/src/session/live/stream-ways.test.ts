import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it, vi } from "vitest";

/** Workers that take the stream to relays: how many were made. */
const made = vi.hoisted(() => ({ workers: 0 }));
vi.mock("./relay-worker.ts", () => ({
  SIGNATURES: "signatures",
  RelayWorker: class {
    constructor() {
      made.workers++;
    }
    post(): void {}
    close(): void {}
  },
}));

import { toJson } from "../json.ts";
import { Lifetime } from "../lifetime.ts";
import { PictureEncoding } from "../peer/picture-encoding.ts";
import type { ViewerEntry } from "./known-viewers.ts";
import type { FromHost } from "./messages.ts";
import { RelayPublishing } from "./relay-publishing.ts";
import { Viewers } from "./viewers.ts";

const ALL = ["video/h264", "video/vp8", "video/vp9", "video/av1"];
const SUBSETS = Array.from({ length: 15 }, (_, of) => ALL.filter((_, at) => (of + 1) & (1 << at)));

/** A host's page before relays, and a browser that encodes all: what decides how the picture goes to whom is the page's own. */
class Host {
  readonly clock = new ManualClock();
  readonly #life = new Lifetime(this.clock);
  readonly #told: { to: string; message: FromHost }[] = [];
  readonly #viewers: Viewers;
  readonly #connections = new Map<string, object>();
  #shown: ViewerEntry[] = [];

  constructor(most: number) {
    const nothing = () => undefined;
    const publication = { open: nothing, close: nothing, hear: nothing };
    const pool = { fanOuts: {}, publication } as never;
    const encoding = new PictureEncoding(
      this.#life,
      () => pool,
      () => this.#viewers.receivers,
    );
    const media = { life: this.#life, pool, encoding, drop: nothing };
    const relay: RelayPublishing = new RelayPublishing({
      ...{ media, ask: nothing, sound: () => null },
      changed: () => this.#viewers.relayChanged(),
    });
    this.#viewers = new Viewers({
      ...{ media, relay, name: String, state: () => [], limit: () => 1 },
      connections: {
        ...{ all: this.#connections, most, give: (viewer: string) => this.#give(viewer) },
        hangUp: (viewer: string) => this.#connections.delete(viewer) && encoding.choose(),
      },
      post: ({ to, body }: { to: string; body: Uint8Array }) =>
        this.#told.push({ to, message: JSON.parse(new TextDecoder().decode(body)) }),
      show: ({ viewers }: { viewers: ViewerEntry[] }) => {
        this.#shown = viewers;
      },
    } as unknown as ConstructorParameters<typeof Viewers>[0]);
    relay.reached(true);
  }

  async comes(viewer: string, decodes: string[]): Promise<void> {
    for (const is of ["answered", "watching"] as const) this.#viewers.moved([{ viewer, is }]);
    const hello = toJson({ type: "hello", decodes, plays: decodes, fresh: true, listens: true });
    this.#viewers.message(viewer, new Uint8Array(hello));
    await this.pass(0);
  }

  async goes(viewer: string): Promise<void> {
    this.#viewers.moved([{ viewer, is: "gone" }]);
    await this.pass(0);
  }

  /** They have a connection before their page says that it is ready. */
  async meets(viewer: string): Promise<void> {
    for (const is of ["answered", "watching"] as const) this.#viewers.moved([{ viewer, is }]);
    await this.pass(0);
  }

  /** Time for the browser to say what it encodes, too. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(milli(ms));
    for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    this.clock.advance(milli(200));
  }

  /** What they were told last of the way to the stream. */
  wayOf(viewer: string): string | undefined {
    const ways = this.#told.flatMap(({ to, message }) => (to === viewer ? [message] : []));
    const last = ways.findLast(({ type }) => type === "relay" || type === "full");
    return last?.type === "relay" ? last.codec : last?.type;
  }

  standingOf(viewer: string): string | undefined {
    return this.#shown.find(({ id }) => id === viewer)?.is;
  }

  #give(viewer: string) {
    const peer = { state: "connected", isLinked: true, codec: undefined as string | null | undefined };
    const nothing = async () => undefined;
    const encodeAs = async (codec: string | null) => {
      peer.codec = codec;
    };
    const media = Object.assign(peer, { encodeAs, encodeOnce: nothing, limit: nothing, refresh: nothing });
    const watcher = { id: viewer, media, meet: () => undefined };
    this.#connections.set(viewer, watcher);
    return watcher;
  }
}

beforeEach(() => {
  made.workers = 0;
  for (const name of ["MediaStreamTrackGenerator", "MediaStreamTrackProcessor", "AudioEncoder"])
    vi.stubGlobal(name, class {});
  vi.stubGlobal("VideoEncoder", { isConfigSupported: async () => ({ supported: true }) });
  const codecs = ALL.map((mimeType) => ({ mimeType }));
  vi.stubGlobal("RTCRtpReceiver", { getCapabilities: () => ({ codecs }) });
});

it.each([0, 6_000])(
  "whatever the one with the connection decodes, and who comes %d ms after, the latter gets what both decode over relays, or is told that there is none",
  async (later) => {
    for (const first of SUBSETS)
      for (const second of SUBSETS) {
        made.workers = 0;
        const host = new Host(1);
        await host.comes("a", first);
        await host.pass(later);
        await host.comes("b", second);
        await host.pass(5_000);
        await host.pass(5_000);
        const votes = (codec: string) => [first, second].filter((decodes) => decodes.includes(codec)).length;
        const shared = votes("video/vp8") > votes("video/h264") ? "video/vp8" : "video/h264";
        const expected = second.includes(shared) ? shared : "full";
        expect([first, second, host.wayOf("b")]).toEqual([first, second, expected]);
        expect(host.standingOf("b")).toBe(expected === "full" ? "full" : "connecting");
        expect(made.workers).toBe(expected === "full" ? 0 : 1);
      }
  },
);

it("viewers who come and go, whatever they decode, have the stream begun at relays no more often than they do", async () => {
  const host = new Host(2);
  for (const [at, decodes] of [...SUBSETS, ...SUBSETS.toReversed()].entries()) {
    await host.comes(`viewer ${at}`, decodes);
    await host.pass(3_000);
    if (at % 3 === 2) await host.goes(`viewer ${at - 2}`);
    expect(made.workers).toBeLessThanOrEqual(at + 1);
  }
  for (let at = 0; at < 30; at++) {
    await host.goes(`viewer ${at}`);
    await host.pass(3_000);
  }
  expect(made.workers).toBeLessThanOrEqual(30);
});

it("who waits for a codec gets the stream once another one has said that it decodes that, too", async () => {
  const host = new Host(2);
  await host.comes("a", ["video/h264"]);
  await host.meets("b");
  await host.comes("c", ["video/vp8"]);
  await host.pass(6_000);
  expect(host.wayOf("c")).toBe("full");
  await host.comes("b", ["video/vp8"]);
  await host.pass(6_000);
  expect(host.wayOf("c")).toBe("video/vp8");
});
