import type { Verdict } from "@sealcast/media";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it, vi } from "vitest";
import { countReceived } from "../audit/browser-counters.ts";

/** Players that were opened, each by a promise of its own, and the modes that they were given. */
const players = vi.hoisted(() => ({
  opens: () => Promise.resolve(),
  opened: 0,
  modes: [] as string[],
  latenessMs: () => 0,
}));

vi.mock("./relay-worker.ts", () => ({
  SIGNATURES: "signatures",
  RelayWorker: class {
    post(): void {}
    close(): void {}
  },
}));
vi.mock("@sealcast/player", () => {
  const output = { unmute: async () => undefined, mute: async () => undefined };
  const nothing = () => undefined;
  const pictures = Float64Array.of(...[70, 1, 2, 3, 4], ...[80, 2, 3, 4, 5]);
  const figures = async () => ({ came: 6, waiting: 3, shown: 2, latenessMs: players.latenessMs(), pictures });
  const player = {
    ...{ output, configure: nothing, feed: nothing, figures, close: nothing },
    set mode(mode: string) {
      players.modes.push(mode);
    },
  };
  const open = (_worker: unknown, mode: string) => {
    players.opened += 1;
    players.modes.push(mode);
    return players.opens().then(() => player);
  };
  return { WorkerPlayer: { open } };
});

import { RelayedStream } from "./relayed-stream.ts";

const SIZES = [
  { width: 640, height: 360 },
  { width: 320, height: 180 },
];

let clock: ManualClock;
/** What is opened of the picture, in each size that was watched. */
let opened: { released: boolean; judged: (verdict: Verdict) => void }[];
let stream: RelayedStream;
let asked: unknown[];
let lateness: number;
/** How often the host was to hear whether it is late. */
let late: number;
let media: object;

beforeEach(async () => {
  vi.stubGlobal("document", { hidden: false });
  Object.assign(players, { opens: () => Promise.resolve(), opened: 0, modes: [], latenessMs: () => lateness });
  clock = new ManualClock();
  opened = [];
  asked = [];
  [lateness, late] = [0, 0];
  type Ports = () => { from: MessagePort; to: MessagePort };
  const openPublished = (_of: object, ports: Ports, judged: (verdict: Verdict) => void) => {
    for (const port of Object.values(ports())) if (port instanceof MessagePort) port.close();
    const track = { released: false, judged };
    opened.push(track);
    return { release: () => (track.released = true) };
  };
  media = { life: { clock, isOver: false }, pool: { openPublished, verify: () => undefined } };
  stream = relayed();
  await vi.waitFor(() => expect(opened.length).toBe(1));
});

function relayed(): RelayedStream {
  const nothing = () => undefined;
  return new RelayedStream({
    ...{ media, codec: "video/vp8", buffering: "smoothest", workers: { relay: nothing, player: nothing } },
    ...{ ask: nothing, shows: nothing, played: nothing, changed: nothing, late: () => late++ },
    askTiming: (...of: unknown[]) => asked.push(of),
  } as unknown as ConstructorParameters<typeof RelayedStream>[0]);
}

/** The page shows the picture small: the next smaller size is watched. */
async function resized(): Promise<void> {
  stream.isSent = true;
  stream.offered(SIZES);
  stream.show({ width: 300, height: 169 });
  await stream.stats.read();
  expect(opened.length).toBe(2);
}

it("what the player holds back is counted as waiting to be decoded: shown later, it has not gone past the transform", async () => {
  await stream.stats.read();
  expect(
    countReceived(stream.stats.latest.entries as RTCStats[], { transceiver: { mid: "video0" }, kind: "video" }),
  ).toMatchObject({
    ...{ wire: 6, after: 2, waiting: 3 },
  });
});

it("what was shown before a change of size is still judged: what its sender did not sign is found out after it", async () => {
  await resized();
  clock.advance(milli(15_000));
  expect(opened.map(({ released }) => released)).toEqual([false, false]);
  opened[0]?.judged("unsigned");
  expect(stream.verdict).toBe("unsigned");
  opened[1]?.judged("unsigned");
  opened[0]?.judged("forged");
  opened[1]?.judged("signed");
  expect(stream.verdict).toBe("forged");
});

it("while signatures are overdue the size stays as it is: another would be opened for as long once more", async () => {
  await resized();
  opened[0]?.judged("unsigned");
  stream.show({ width: 1_280, height: 720 });
  clock.advance(milli(10_000));
  await stream.stats.read();
  expect(opened.length).toBe(2);
  opened[0]?.judged("signed");
  await stream.stats.read();
  expect(opened.length).toBe(3);
});

it("late is what comes while it is looked at: not in another number of sizes, and not while nothing is sent", async () => {
  lateness = 900;
  stream.isSent = true;
  stream.offered(SIZES);
  const reads = async (times: number) => {
    for (let time = 0; time < times; time++) {
      clock.advance(milli(500));
      await stream.stats.read();
    }
    return [stream.isLate, late];
  };
  expect(await reads(5)).toEqual([true, 1]);
  stream.isSent = false;
  expect(await reads(1)).toEqual([false, 2]);
  stream.isSent = true;
  expect(await reads(1)).toEqual([true, 3]);
  stream.offered(SIZES.slice(1));
  lateness = 0;
  expect(await reads(1), "as a smaller picture is made").toEqual([false, 4]);
  expect(await reads(9)).toEqual([false, 4]);
});

it("what was judged is let go, and all of it when the stream is over", async () => {
  await resized();
  clock.advance(milli(17_000));
  expect(opened.map(({ released }) => released)).toEqual([true, false]);
  stream.close();
  expect(opened.map(({ released }) => released)).toEqual([true, true]);
});

it("a dashboard's question is of the pictures that were shown; the next one waits for an answer, and not for ever", async () => {
  const ask = { type: "ask", asked: 1 } as const;
  vi.spyOn(Math, "random").mockReturnValue(1);
  await stream.stats.read();
  for (let time = 0; time < 3; time++) stream.timed.tellTiming(ask);
  expect(asked).toEqual([[ask, [70, 80]]]);
  stream.told({ type: "clock", asked: 1, came: 2, left: 3 }, 4);
  for (let time = 0; time < 3; time++) stream.timed.tellTiming(ask);
  expect(asked.length).toBe(2);
  clock.advance(milli(5_000));
  stream.timed.tellTiming(ask);
  expect(asked.length).toBe(3);
});

it("asks for the host's clock once there are pictures, and then tells how late they are", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  await stream.stats.read();
  expect(asked).toEqual([[{ type: "ask", asked: expect.any(Number) }, []]]);
  expect(stream.latency).toBeNull();
  stream.told({ type: "clock", asked: 0, came: 0, left: 0 }, 0);
  expect(stream.latency).toBeCloseTo(4.5 - 0.075, 9);
});

it("a player that cannot be loaded now is loaded again, until it is there", async () => {
  players.opens = () => Promise.reject(new Error("no such file"));
  const before = players.opened;
  const again = relayed();
  for (let time = 1; time < 3; time++) {
    await vi.waitFor(() => expect(players.opened).toBe(before + time));
    await Promise.resolve();
    if (time === 2) players.opens = () => Promise.resolve();
    await vi.waitFor(() => {
      clock.advance(milli(5_000));
      expect(players.opened).toBe(before + time + 1);
    });
  }
  await vi.waitFor(() => expect(opened.length).toBe(2));
  again.close();
});

it("a way of buffering that is chosen while the player loads is the player's", async () => {
  let open = (): void => undefined;
  players.opens = () =>
    new Promise((resolve) => {
      open = resolve;
    });
  const before = players.opened;
  const late = relayed();
  await vi.waitFor(() => expect(players.opened).toBe(before + 1));
  late.buffer("lowest");
  open();
  await vi.waitFor(() => expect(players.modes.at(-1)).toBe("lowest-latency"));
  late.close();
});
