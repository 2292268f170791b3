import type { Verdict } from "@sealcast/media";
import { ManualClock, milli } from "@sealcast/time";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Samples } from "../audit/encryption-audit.ts";
import { UNREACHED_AFTER } from "../peer/unreached.ts";
import { HostConnection } from "./host-connection.ts";
import type { FromViewer } from "./messages.ts";

const { FakeWay, ways } = vi.hoisted(() => {
  const ways: Way[] = [];
  /** Stands for a connection, or for what comes over relays: it carries nothing. */
  class Way {
    state = "connecting";
    isClosed = false;
    verdict: Verdict = "signed";
    left = 0;
    isLate = false;
    readonly wasLost = false;
    readonly codec: string;
    readonly begin: number;
    readonly incoming = { stream: new MediaStream(), listen: () => undefined };
    readonly link = { receive: () => undefined };
    readonly played: () => void;
    readonly late: () => void;

    constructor({ codec = "", begin = 0, played, late }: Partial<Pick<Way, "codec" | "begin" | "played" | "late">>) {
      this.codec = codec;
      this.begin = begin;
      this.played = played ?? (() => undefined);
      this.late = late ?? (() => undefined);
      ways.push(this);
    }

    close(): void {
      this.isClosed = true;
    }

    leave(): void {
      this.left += 1;
    }

    rests(): boolean {
      return false;
    }

    listen(): void {}
    offered(): void {}
    show(): void {}
    buffer(): void {}
  }
  return { FakeWay: Way, ways };
});
vi.mock("../peer/media-peer.ts", () => ({ MediaPeer: FakeWay }));
vi.mock("./relayed-stream.ts", () => ({ RelayedStream: FakeWay, HOST_LEAF: 0 }));
/** Workers that were started before they are needed, and not taken. */
const started = vi.hoisted(() => ({ workers: 0 }));
vi.mock("./stream-workers.ts", () => ({
  StreamWorkers: class {
    start = () => (started.workers = 2);
    drop = () => (started.workers = 0);
  },
}));

beforeEach(() => {
  ways.length = 0;
  started.workers = 0;
  vi.stubGlobal("MediaStream", class {});
});
afterEach(() => vi.unstubAllGlobals());

function page() {
  const clock = new ManualClock();
  const told: FromViewer[] = [];
  const unreached: string[] = [];
  const nothing = () => undefined;
  const connection = new HostConnection({
    media: { life: { clock, bind: nothing }, parts: {}, drop: nothing },
    ...{ host: "Host", show: nothing, askRelay: nothing, changed: nothing, buffering: () => "lowest" },
    tell: (message: FromViewer) => told.push(message),
    unreached: (way: string) => unreached.push(way),
  } as unknown as ConstructorParameters<typeof HostConnection>[0]);
  const description = { type: "offer", sdp: "" } as const;
  return {
    ...{ connection, clock, told, unreached },
    offers: (link: string) =>
      connection.receive({ type: "signal", link, signal: { type: "description", description, lines: [] } }),
    relays: (codec: "video/vp8" | "video/h264") => connection.relay({ type: "relay", codec, sizes: [] }),
    /** A reading, in which `way` has this number of decoded frames, and had `before` in the one before, if there was one. */
    reads: (way: (typeof ways)[number] | undefined, decoded: number, before?: number) => {
      const line = { kind: "video", source: "camera" };
      const sample = { peer: way, line, passed: decoded, counted: { after: decoded }, report: { came: decoded } };
      connection.examine(
        { samples: [[sample, before === undefined ? null : { report: { came: before } }]] } as unknown as Samples,
        {
          isSent: true,
          isPictureSent: true,
        },
      );
    },
  };
}

test("what plays over relays plays on until a connection has a picture, and the host is told then", () => {
  const { connection, offers, relays, reads, told } = page();
  relays("video/h264");
  const [relayed] = ways;
  relayed?.played();
  offers("one");
  const next = ways[1];
  if (next) next.state = "connected";
  reads(next, 0);
  expect([connection.relayed, connection.peer, relayed?.isClosed]).toEqual([relayed, null, false]);
  reads(next, 1);
  expect([connection.relayed, connection.peer, relayed?.isClosed]).toEqual([null, next, true]);
  expect(told.filter(({ type }) => type === "relayed")).toEqual([
    { type: "relayed", shown: true },
    { type: "relayed", shown: false },
  ]);
});

test("the host is told when what comes over relays is late, once it is shown, and again where that is asked for", () => {
  const { connection, relays, told } = page();
  relays("video/h264");
  const [relayed] = ways;
  const says = (isLate: boolean) => {
    if (relayed) relayed.isLate = isLate;
    relayed?.late();
    return told.at(-1);
  };
  expect(says(true), "before it is shown").toBeUndefined();
  relayed?.played();
  expect(told).toEqual([{ type: "relayed", shown: true, late: true }]);
  expect(says(false)).toEqual({ type: "relayed", shown: true });
  expect(says(true)).toEqual({ type: "relayed", shown: true, late: true });
  connection.tellRelayed();
  expect(told).toHaveLength(4);
  connection.hangUp();
  connection.tellRelayed();
  expect(told).toHaveLength(4);
});

test("what a stream over relays takes is started before the host says how the stream comes, and ended where a connection comes", () => {
  const { connection, offers, relays } = page();
  connection.hasRelays = true;
  expect(started.workers).toBe(2);
  offers("one");
  expect(started.workers).toBe(0);
  connection.hasRelays = true;
  expect(started.workers, "with a way to the host none are").toBe(0);
  connection.hangUp();
  relays("video/h264");
  connection.hasRelays = true;
  expect(started.workers).toBe(0);
});

test("where that connection does not come about, relays stay, and the host is told", () => {
  const { connection, offers, relays, reads, clock, unreached } = page();
  relays("video/h264");
  const [relayed] = ways;
  relayed?.played();
  if (relayed) relayed.state = "connected";
  offers("one");
  clock.advance(milli(UNREACHED_AFTER));
  reads(relayed, 1);
  reads(ways[1], 0);
  expect([unreached, ways[1]?.isClosed, connection.relayed]).toEqual([["connection"], true, relayed]);
});

test("relays of which nothing was shown yet are left for a connection at once, and the host is told", () => {
  const { connection, offers, relays, told } = page();
  relays("video/vp8");
  ways[0]?.played();
  relays("video/h264");
  offers("one");
  expect([connection.relayed, connection.peer]).toEqual([null, ways[2]]);
  expect(told.at(-1)).toEqual({ type: "relayed", shown: false });
});

test("a relay that shows nothing is left for the next one, and the host is told, every 15 s", () => {
  const { relays, reads, clock, unreached } = page();
  relays("video/h264");
  const [relayed] = ways;
  if (relayed) relayed.state = "connected";
  for (let second = 0; second < 31; second += 1) {
    reads(relayed, 0, 0);
    clock.advance(milli(1_000));
  }
  expect([relayed?.left, unreached, relayed?.isClosed]).toEqual([2, ["relay", "relay"], false]);
  reads(relayed, 1);
  clock.advance(milli(14_000));
  reads(relayed, 1, 1);
  expect([relayed?.left, unreached.length]).toEqual([2, 2]);
});

test.each([
  { relays: true, after: 8_000 },
  { relays: false, after: 15_000 },
])(
  "a connection that does not come about is given up after $after ms where there are relays: $relays",
  ({ relays, after }) => {
    const { connection, offers, reads, clock, unreached } = page();
    if (relays) connection.hasRelays = true;
    offers("one");
    clock.advance(milli(after - 1));
    reads(ways[0], 0);
    expect(unreached).toEqual([]);
    clock.advance(milli(1));
    reads(ways[0], 0);
    expect(unreached).toEqual(["connection"]);
  },
);

test("a connection that was there and is lost has 15 s to come back, also where there are relays", () => {
  const { connection, offers, reads, clock, unreached } = page();
  connection.hasRelays = true;
  offers("one");
  const [way] = ways;
  if (way) way.state = "connected";
  reads(way, 1);
  if (way) way.state = "reconnecting";
  clock.advance(milli(14_999));
  reads(way, 1);
  expect(unreached).toEqual([]);
  clock.advance(milli(1));
  reads(way, 1);
  expect(unreached).toEqual(["connection"]);
});

test("after a relay that forged, the next way begins at another one; after a codec it does not", () => {
  const { connection, relays } = page();
  relays("video/h264");
  relays("video/vp8");
  const [, second] = ways;
  if (second) second.verdict = "forged";
  connection.reopen();
  relays("video/vp8");
  expect(ways.map(({ begin }) => begin)).toEqual([0, 0, 1]);
});
