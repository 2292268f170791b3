import type { Broadcast, Track } from "@moq/net";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it, vi } from "vitest";

/** The session that a publisher or a subscriber has: tests begin it. */
const made = vi.hoisted(() => ({ left: 0, opened: (_: object): void => undefined, lost: (): void => undefined }));

vi.mock("./session.ts", () => ({
  LiveRelaySession: class {
    constructor(_: object, handler: { opened(session: object, access: object): void; lost(): void }) {
      made.opened = (session) => handler.opened(session, { name: "name" });
      made.lost = () => handler.lost();
    }
    useful(): void {}
    leave(): void {
      made.left++;
      made.lost();
    }
    close(): void {}
  },
}));

import { LiveRelayPublisher } from "./publisher.ts";
import { LiveRelaySubscriber } from "./subscriber.ts";

beforeEach(() => {
  made.left = 0;
});

/** The numbers of three groups that one page publishes from `now` on, half a second apart. */
async function published(now: number): Promise<number[]> {
  const options = {
    access: async () => null,
    state: () => undefined,
    watched: () => undefined,
    starts: () => undefined,
  };
  let time = now;
  const publisher = new LiveRelayPublisher({ ...options, now: () => time }, ["video0"]);
  let broadcast: Broadcast.Producer | null = null;
  made.opened({ publish: (_: string, given: Broadcast.Producer) => (broadcast = given) });
  const track = (broadcast as Broadcast.Producer | null)?.subscribe("video0") ?? expect.unreachable();
  const numbers: number[] = [];
  for (let group = 0; group < 3; group++) {
    publisher.write("video0", Uint8Array.of(group), { startsGroup: true, timestampUs: 1_000 * time });
    numbers.push((await track.nextGroup())?.sequence ?? -1);
    time += 500;
  }
  publisher.close();
  return numbers;
}

it("groups are numbered by the clock, so that they rise when a stream is published again", async () => {
  const first = await published(1_764_000_000_000);
  expect(first).toEqual([1_764_000_000_000, 1_764_000_000_500, 1_764_000_001_000]);
  expect((await published(1_764_000_002_000))[0]).toBeGreaterThan(first.at(-1) ?? 0);
});

it("no number comes twice where the clock is set back", async () => {
  const options = {
    access: async () => null,
    state: () => undefined,
    watched: () => undefined,
    starts: () => undefined,
  };
  const times = [1_000, 400, 400, 2_000];
  const publisher = new LiveRelayPublisher({ ...options, now: () => times.shift() ?? 0 }, ["video0"]);
  const numbers: number[] = [];
  made.opened({
    publish: (_: string, broadcast: Broadcast.Producer) => {
      const track = broadcast.subscribe("video0");
      void (async () => {
        for (let group = await track.nextGroup(); group; group = await track.nextGroup()) numbers.push(group.sequence);
      })();
    },
  });
  for (let group = 0; group < 4; group++) {
    publisher.write("video0", Uint8Array.of(group), { startsGroup: true, timestampUs: 1 });
    await settled();
  }
  publisher.close();
  expect(numbers).toEqual([1_000, 1_001, 1_002, 2_000]);
});

it("who watches a track again gets nothing of what was sent when it was last watched", async () => {
  let broadcast: Broadcast.Producer | null = null;
  const watched: boolean[] = [];
  const options = { access: async () => null, state: () => undefined, starts: () => undefined };
  const publisher = new LiveRelayPublisher({ ...options, watched: (_, is) => watched.push(is) }, ["video0"]);
  made.opened({ publish: (_: string, given: Broadcast.Producer) => (broadcast = given) });
  const subscribe = () => (broadcast as Broadcast.Producer | null)?.subscribe("video0") ?? expect.unreachable();
  const write = (says: number, startsGroup: boolean) =>
    publisher.write("video0", Uint8Array.of(says), { startsGroup, timestampUs: says });
  const read = async (track: Track.Subscriber) => [...((await (await track.nextGroup())?.readFrame())?.payload ?? [])];
  vi.useFakeTimers({ toFake: ["Date"] });
  const first = subscribe();
  write(1, true);
  expect(await read(first)).toEqual([1]);
  first.close();
  await settled();
  expect(write(2, false), "nobody watches").toBe(false);
  vi.advanceTimersByTime(10_000);
  const second = subscribe();
  expect(write(3, false), "before a frame that starts a group").toBe(false);
  write(4, true);
  expect(await read(second)).toEqual([4]);
  expect(watched).toEqual([true, false, true]);
  vi.useRealTimers();
  publisher.close();
});

/** In place of a group's number: no group comes any more. */
const ENDED = -1;

/** A stream at a relay, whose groups have one frame each, of a time that is their number. */
class TestStream {
  readonly #tracks = new Map<string, { groups: number[]; wake: () => void }>();

  track(name: string): object {
    const track = { groups: [] as number[], wake: (): void => undefined };
    this.#tracks.set(name, track);
    const nextGroup = async () => {
      while (track.groups.length === 0) await new Promise<void>((woken) => (track.wake = woken));
      const sequence = track.groups.shift() ?? ENDED;
      return sequence === ENDED ? undefined : groupOf(sequence);
    };
    return { subscribe: () => ({ nextGroup, update: () => undefined, close: () => undefined }) };
  }

  async gives(track: string, ...sequences: number[]): Promise<void> {
    for (const sequence of sequences) {
      this.#tracks.get(track)?.groups.push(sequence);
      this.#tracks.get(track)?.wake();
      await settled();
    }
  }
}

function groupOf(sequence: number): object {
  const frames = [{ sequence: 0, payload: Uint8Array.of(1), timestamp: { asMicros: () => sequence } }];
  return { sequence, isClosed: false, close: () => undefined, readFrameSequence: async () => frames.shift() };
}

const settled = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  await new Promise((done) => setTimeout(done, 0));
};

/** A viewer, and what came to it, by the relays' numbers and by its own. */
function watching(...tracks: string[]) {
  const clock = new ManualClock();
  const came: Record<string, number[]> = Object.fromEntries(tracks.map((track) => [track, []]));
  const numbered: number[] = [];
  const subscriber = new LiveRelaySubscriber({
    ...{ clock, access: async () => null, state: () => undefined, cut: () => undefined },
    frame: (track, { group, timestampUs }) => {
      came[track]?.push(timestampUs);
      numbered.push(group);
    },
  });
  for (const track of tracks) subscriber.watch(track, 1);
  let is: (stream: TestStream | undefined) => void = () => undefined;
  const active = {
    subscribe: (told: typeof is) => {
      is = told;
      return () => undefined;
    },
  };
  const session = () => made.opened({ announcedBroadcast: () => ({ active, close: () => undefined }) });
  session();
  /** Another stream of that name is there. */
  const streams = () => {
    const stream = new TestStream();
    is(stream);
    return stream;
  };
  /** The session is lost, and another one begins. */
  const again = () => {
    made.lost();
    session();
    return streams();
  };
  return { clock, subscriber, came, numbered, streams, again };
}

it("a stream whose numbers begin again is followed after 2 s in which nothing else came", async () => {
  const { clock, came, streams, again } = watching("video0");
  await streams().gives("video0", 900);
  const second = again();
  for (let sequence = 0; sequence < 4; sequence++) {
    await second.gives("video0", sequence);
    clock.advance(milli(1_000));
  }
  expect(came).toEqual({ video0: [900, 2, 3] });
});

it("what comes has numbers that rise: where a relay's begin again, and where a track is watched again", async () => {
  const { clock, subscriber, came, numbered, streams, again } = watching("video0");
  await streams().gives("video0", 2 ** 52, 2 ** 52 + 1);
  const next = again();
  await next.gives("video0", 5);
  clock.advance(milli(2_000));
  await next.gives("video0", 6, 7);
  subscriber.unwatch("video0");
  subscriber.watch("video0", 1);
  await next.gives("video0", 3);
  expect(came).toEqual({ video0: [2 ** 52, 2 ** 52 + 1, 6, 7, 3] });
  expect(numbered).toEqual([0, 1, 2, 3, 4]);
});

it("a track that a relay ends by itself is taken again, while the others go on, and once it is not wanted no more", async () => {
  const { clock, subscriber, came, streams } = watching("video0", "audio");
  const stream = streams();
  await stream.gives("video0", 1, ENDED);
  for (let sequence = 2; sequence < 8; sequence++) {
    await stream.gives("audio", sequence);
    clock.advance(milli(400));
  }
  await stream.gives("video0", 8, ENDED);
  expect([came.video0, made.left]).toEqual([[1, 8], 0]);
  subscriber.unwatch("video0");
  clock.advance(milli(2_000));
  await stream.gives("video0", 9);
  expect(came.video0).toEqual([1, 8]);
});

it("of a track that is watched again nothing is followed that began 4 s before now, by what comes of the others", async () => {
  const { clock, subscriber, came, streams } = watching("video0", "audio");
  const stream = streams();
  await stream.gives("audio", 10_000);
  await stream.gives("video0", 10_000);
  subscriber.unwatch("video0");
  clock.advance(milli(1_900));
  await stream.gives("audio", 20_000);
  clock.advance(milli(1_000));
  for (const [old, present] of [
    [16_999, 17_000],
    [10_000, 21_000],
  ] as const) {
    subscriber.watch("video0", 1);
    await stream.gives("video0", old, present);
    expect(came.video0?.slice(-2)).not.toContain(old);
    expect(came.video0?.at(-1)).toBe(present);
    subscriber.unwatch("video0");
  }
  subscriber.watch("video0", 1);
  await stream.gives("video0", 50);
  clock.advance(milli(2_000));
  await stream.gives("video0", 52);
  expect(came.video0?.slice(-2), "as where a host's clock was set back").toEqual([21_000, 52]);
});

it("one group with a number far ahead has this relay left, and what comes at the next is followed", async () => {
  const { clock, came, streams, again } = watching("video0", "audio");
  const first = streams();
  await first.gives("video0", 2 ** 52);
  for (let second = 1; second <= 2; second++) {
    await first.gives("video0", second);
    await first.gives("audio", second);
    clock.advance(milli(950));
    expect(made.left).toBe(0);
  }
  await first.gives("audio", 3);
  clock.advance(milli(100));
  expect(made.left, "although sound goes on").toBe(1);
  const next = again();
  for (let sequence = 4; sequence < 8; sequence++) {
    await next.gives("video0", sequence);
    clock.advance(milli(1_000));
  }
  expect(came.video0).toEqual([2 ** 52, 6, 7]);
});

it("what another relay has once more comes once, and what is older keeps nobody at a relay", async () => {
  const { clock, came, streams, again } = watching("video0");
  await streams().gives("video0", 5, 6);
  const next = again();
  await next.gives("video0", 5, 6, 7);
  clock.advance(milli(1_500));
  await next.gives("video0", 6);
  clock.advance(milli(750));
  expect(came).toEqual({ video0: [5, 6, 7] });
  expect(made.left).toBe(1);
});
