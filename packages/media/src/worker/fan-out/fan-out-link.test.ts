import { ManualClock, milli } from "@sealcast/time";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { KEY_FRAMES } from "../../shared/fan-out.ts";
import type { EncodedFrame, FrameWriter } from "../track/frame-writer.ts";
import { TransformStats } from "../track/transform-stats.ts";
import { FanOutLink } from "./fan-out-link.ts";
import type { SealedFrame } from "./sealed-frame.ts";
import { tiersOf } from "./tiers.ts";

const tiers = tiersOf(1280, 720);
/** Enough for each size, in bits per second of the whole link. */
const ESTIMATES = [5_000_000, 700_000, 300_000] as const;

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
  vi.stubGlobal("VideoFrame", class {});
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** A link whose own encoder makes a frame of every stand-in at once, the first of them a key frame, and when asked. */
function link(estimate: number) {
  const sent: ArrayBuffer[] = [];
  const asked: number[] = [];
  const stats = new TransformStats("t1");
  const writer = { send: (_: EncodedFrame, data: ArrayBuffer) => sent.push(data) } as unknown as FrameWriter;
  let key = true;
  const standIns = new WritableStream<VideoFrame>();
  const carried = new FanOutLink(
    clock,
    { standIns, isNew: false, bitsPerSecond: estimate },
    {
      standInKey: () => {
        key = true;
      },
      key: (tier) => asked.push(tier),
    },
  );
  carried.choose(tiers);
  carried.restart();
  clock.advance(milli(2_000));
  const encode = () => {
    carried.keyed();
    carried.standIn({ isKey: key, mimeType: "video/VP8", frame: {} as EncodedFrame, writer, stats });
    key = false;
  };
  const offer = (tier: number, of: SealedFrame) => {
    const before = sent.length;
    carried.offer(tier, of);
    encode();
    return sent.length > before;
  };
  return { carried, sent, asked, stats, offer, encode };
}

function standIn(stats: TransformStats) {
  const writer = { send: () => undefined } as unknown as FrameWriter;
  return { isKey: false, mimeType: "video/VP8", frame: {} as EncodedFrame, writer, stats };
}

function picture(isKey: boolean, bytes = 1_000, layer = 0): SealedFrame {
  const data = new Uint8Array(bytes).fill(7).buffer;
  const times = { since: milli(0), encoding: milli(Number.NaN), clear: new Uint8Array() };
  return { data, mimeType: "video/vp8", isKey, layer, ...times, epoch: 1, overhead: 20, readable: false };
}

describe("a carried link", () => {
  it("sends a copy: what one link writes out is still there for the next", () => {
    const [one, other] = [link(ESTIMATES[0]), link(ESTIMATES[0])];
    const key = picture(true);
    expect([one.offer(0, key), other.offer(0, key)]).toEqual([true, true]);
    expect(one.sent).toEqual(other.sent);
    expect(one.sent[0]).not.toBe(other.sent[0]);
    expect(one.sent[0]).not.toBe(key.data);
    expect(one.stats.report()).toMatchObject({ frames: 1, carried: 1, bytes: 1_000, codec: "video/VP8" });
  });

  it("begins at a key frame of its size, and asks for it", () => {
    const { offer, asked } = link(ESTIMATES[1]);
    expect(asked.at(-1)).toBe(1);
    expect(offer(1, picture(false))).toBe(false);
    expect(offer(0, picture(true)), "another size's").toBe(false);
    expect(offer(1, picture(true))).toBe(true);
    expect(offer(1, picture(false))).toBe(true);
  });

  it("goes to another size at a key frame of that, and gets its own until then", () => {
    const { carried, offer, asked } = link(ESTIMATES[0]);
    offer(0, picture(true));
    carried.estimate(ESTIMATES[2]);
    carried.choose(tiers);
    expect(asked.at(-1)).toBe(2);
    expect(carried.tiers).toEqual([0, 2]);
    expect(offer(0, picture(false))).toBe(true);
    expect(offer(2, picture(false))).toBe(false);
    expect(offer(2, picture(true))).toBe(true);
    expect(carried.tiers).toEqual([2]);
    expect(offer(0, picture(false))).toBe(false);
    expect(offer(2, picture(false))).toBe(true);
  });

  it("gets no larger size than it shows, and a smaller one where it carries no more", () => {
    const { carried, asked } = link(ESTIMATES[0]);
    carried.show({ width: 640, height: 360, keepsRate: false });
    carried.choose(tiers);
    expect(carried.tiers).toEqual([1]);
    expect(asked.at(-1)).toBe(1);
    carried.estimate(ESTIMATES[2]);
    clock.advance(milli(5_000));
    carried.choose(tiers);
    expect(carried.tiers).toEqual([2]);
    carried.estimate(ESTIMATES[0]);
    carried.show({ width: 0, height: 0, keepsRate: false });
    carried.choose(tiers);
    expect(carried.tiers).toEqual([2]);
  });

  it("gets the lowest temporal layer alone while nobody sees it, and all of them at once when someone does", () => {
    const { carried, offer } = link(ESTIMATES[0]);
    carried.show({ width: 0, height: 0, keepsRate: false });
    carried.choose(tiers);
    expect(offer(2, picture(true))).toBe(true);
    expect([1, 2].map((layer) => offer(2, picture(false, 1_000, layer)))).toEqual([false, false]);
    expect(offer(2, picture(false))).toBe(true);
    carried.show({ width: 320, height: 180, keepsRate: false });
    expect(offer(2, picture(false))).toBe(true);
    expect([1, 2].map((layer) => offer(2, picture(false, 1_000, layer)))).toEqual([true, true]);
  });

  it("gets nothing once nobody has seen it for five seconds, and a key frame as soon as someone does", () => {
    const { carried, offer, asked } = link(ESTIMATES[0]);
    const show = (width: number, height: number) => {
      carried.show({ width, height, keepsRate: false });
      carried.choose(tiers);
    };
    show(320, 180);
    offer(2, picture(true));
    show(0, 0);
    clock.advance(milli(4_900));
    expect(offer(2, picture(false)), "after a glance elsewhere").toBe(true);
    clock.advance(milli(200));
    const before = asked.length;
    expect([picture(false), picture(true)].map((one) => offer(2, one))).toEqual([false, false]);
    expect(carried.tiers, "of no size").toEqual([]);
    expect(carried.isPaused, "not for its budget").toBe(false);
    carried.restart();
    expect(asked.length, "for nobody").toBe(before);
    show(640, 360);
    expect(asked.slice(before)).toEqual([1]);
    expect(carried.tiers).toEqual([1]);
    expect([picture(false), picture(true), picture(false)].map((one) => offer(1, one))).toEqual([false, true, true]);
  });

  it("goes on with the next frame where none was made while nobody saw it", () => {
    const { carried, offer, asked } = link(ESTIMATES[0]);
    carried.show({ width: 320, height: 180, keepsRate: false });
    carried.choose(tiers);
    offer(2, picture(true));
    carried.show({ width: 0, height: 0, keepsRate: false });
    clock.advance(milli(60_000));
    const before = asked.length;
    carried.show({ width: 320, height: 180, keepsRate: false });
    carried.choose(tiers);
    expect(asked.length).toBe(before);
    expect(offer(2, picture(false))).toBe(true);
  });

  it("of a pinned picture becomes smaller at once where it carries less, and no frame of it is left out", () => {
    const [pinned, other] = [link(ESTIMATES[0]), link(ESTIMATES[0])];
    for (const [{ carried, offer }, keepsRate] of [
      [pinned, true],
      [other, false],
    ] as const) {
      offer(0, picture(true));
      carried.show({ width: 1280, height: 720, keepsRate });
      clock.advance(milli(10_000));
      carried.estimate(ESTIMATES[1]);
      carried.choose(tiers);
    }
    expect(pinned.carried.tiers).toEqual([0, 1]);
    expect(other.carried.tiers, "for two seconds").toEqual([0]);
  });

  it("sends nothing after a frame that was too much for it, until a key frame that is not; meanwhile it is paused", () => {
    const { carried, offer, asked } = link(ESTIMATES[2]);
    offer(2, picture(true));
    expect(offer(2, picture(false, 60_000))).toBe(false);
    expect(offer(2, picture(false))).toBe(false);
    expect(carried.isPaused).toBe(false);
    const before = asked.length;
    clock.advance(milli(1_100));
    expect(carried.isPaused).toBe(true);
    expect(offer(2, picture(false))).toBe(false);
    expect(asked.length).toBe(before + 1);
    expect(offer(2, picture(true))).toBe(true);
    expect(carried.isPaused).toBe(false);
  });

  it("tries again with the lowest estimate too: nothing else would raise it", () => {
    const { carried, offer, asked } = link(ESTIMATES[2]);
    offer(2, picture(true));
    carried.estimate(1_000);
    offer(2, picture(false, 60_000));
    const before = asked.length;
    clock.advance(milli(20_000));
    expect(offer(2, picture(false))).toBe(false);
    expect(asked.length).toBe(before + 1);
    expect(offer(2, picture(true, 8_000))).toBe(true);
    expect(carried.isPaused).toBe(false);
  });

  it("whose encoder does nothing asks for key frames ever more rarely", () => {
    const { carried, asked } = link(ESTIMATES[0]);
    let made = 0;
    for (let frame = 0; frame < 600; frame++) {
      const isKey = asked.length > made;
      made = asked.length;
      carried.offer(0, picture(isKey));
      clock.advance(milli(100));
    }
    // After 1.6, 2.1, 3.1, 5.1 seconds and so on, and every nine from then on: in a minute.
    expect(made).toBeGreaterThan(5);
    expect(made).toBeLessThan(40);
  });

  it("has others get no more key frames than its budget, however often its other end asks or changes what it shows", () => {
    const asking = link(ESTIMATES[0]);
    const flapping = link(ESTIMATES[0]);
    const before = [asking, flapping].map(({ asked }) => asked.length);
    const seconds = 20;
    for (let tenth = 0; tenth < 10 * seconds; tenth++) {
      asking.offer(0, picture(true));
      // A key frame that nobody here asked for is how the other end's request shows.
      asking.carried.standIn({ ...standIn(asking.stats), isKey: true });
      flapping.offer(tenth % 2, picture(true));
      const shown = tenth % 2 === 0 ? { width: 0, height: 0 } : { width: 1280, height: 720 };
      flapping.carried.show({ ...shown, keepsRate: false });
      flapping.carried.choose(tiers);
      clock.advance(milli(100));
    }
    const most = KEY_FRAMES.burst + seconds * KEY_FRAMES.perSecond;
    for (const [at, { asked }] of [asking, flapping].entries()) {
      expect(asked.length - (before[at] ?? 0)).toBeGreaterThan(KEY_FRAMES.burst / 2);
      expect(asked.length - (before[at] ?? 0)).toBeLessThanOrEqual(most);
    }
  });

  it("gets the key frame that it had to wait for, of the size that it has by then", () => {
    const { carried, offer, asked } = link(ESTIMATES[0]);
    for (let times = 0; times < 20; times++) {
      offer(0, picture(true));
      carried.restart();
    }
    const before = asked.length;
    expect(offer(0, picture(false))).toBe(false);
    clock.advance(milli(2_000));
    carried.show({ width: 640, height: 360, keepsRate: false });
    carried.choose(tiers);
    expect(offer(1, picture(false))).toBe(false);
    expect(asked.slice(before)).toEqual([1]);
    expect(offer(1, picture(true))).toBe(true);
  });

  it("gets fewer layers as long as its own encoder is behind, and all again once that has caught up", () => {
    const { carried, sent, offer, encode } = link(ESTIMATES[0]);
    offer(0, picture(true));
    // Frames of layer n have n bytes and 10 more.
    const offerLayers = () => {
      for (const layer of [0, 2, 1, 2]) carried.offer(0, picture(false, 10 + layer, layer));
    };
    const sentLayers = () => sent.splice(0).map(({ byteLength }) => byteLength - 10);
    sent.splice(0);
    for (let times = 0; times < 4; times++) offerLayers();
    for (let times = 0; times < 9; times++) encode();
    expect(sentLayers()).toEqual([0, 2, 1, 2, 0, 1, 0, 1, 0]);
    offerLayers();
    for (let times = 0; times < 4; times++) encode();
    expect(sentLayers()).toEqual([0, 2, 1, 2]);
  });

  it("with another track starts over, from a key frame", () => {
    const { carried, offer, asked } = link(ESTIMATES[0]);
    offer(0, picture(true));
    const before = asked.length;
    carried.renew(new WritableStream());
    expect(asked.length).toBe(before + 1);
    expect(offer(0, picture(false))).toBe(false);
    expect(offer(0, picture(true))).toBe(true);
  });
});
