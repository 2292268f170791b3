import { ManualClock, milli } from "@sealcast/time";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { Pairing } from "./pairing.ts";
import type { SealedFrame, StandIn } from "./sealed-frame.ts";

const RUNS = Number(process.env.FUZZ_SLOW_RUNS ?? 500);

interface Named extends StandIn {
  name: string;
}

let clock: ManualClock;
let pairing: Pairing<Named>;
let sent: [standIn: string, picture: string][];
let asked: string[];
let leftOut: string[];
/** Stand-ins written and not encoded yet. */
let written: number;
const names = new WeakMap<ArrayBuffer, string>();

beforeEach(() => {
  clock = new ManualClock();
  [sent, asked, leftOut, written] = [[], [], [], 0];
  pairing = pairingOf(false);
});

function pairingOf(isNew: boolean): Pairing<Named> {
  return new Pairing<Named>(clock, isNew, {
    write: () => written++,
    needStandInKey: () => asked.push("stand-in key"),
    needKey: () => asked.push("key"),
    stuck: () => asked.push("stuck"),
    send: ({ name }, { data }) => sent.push([name, names.get(data) ?? "?"]),
    leaveOut: ({ name }) => leftOut.push(name),
  });
}

function picture(name: string, mimeType = "video/vp8"): SealedFrame {
  const data = new ArrayBuffer(8);
  names.set(data, name);
  const times = { since: milli(0), encoding: milli(Number.NaN), clear: new Uint8Array() };
  return { data, mimeType, isKey: name.startsWith("K"), layer: 0, ...times, epoch: 0, overhead: 0, readable: false };
}

function standIn(name: string, mimeType = "video/VP8"): Named {
  return { name, isKey: name.startsWith("k"), mimeType };
}

/** The start: a real key frame in a stand-in that is one. */
function flowing(): void {
  pairing.push(picture("K0"));
  pairing.keyed();
  pairing.standIn(standIn("k0"));
  [sent, asked, leftOut, written] = [[], [], [], 0];
}

describe("a link", () => {
  it("begins with a key frame, which waits for a stand-in that is one; what comes behind it waits, too", () => {
    pairing.push(picture("d0"));
    pairing.push(picture("K1"));
    pairing.push(picture("d2"));
    expect([asked, written]).toEqual([["stand-in key"], 0]);
    pairing.keyed();
    expect(written).toBe(2);
    for (const name of ["k1", "d2"]) pairing.standIn(standIn(name));
    expect(sent).toEqual([
      ["k1", "K1"],
      ["d2", "d2"],
    ]);
  });

  it("asks a new encoder for no key frame: what it makes first is one; then it asks as ever", () => {
    pairing = pairingOf(true);
    pairing.push(picture("K1"));
    pairing.push(picture("d2"));
    expect([asked, written]).toEqual([[], 2]);
    for (const name of ["k1", "d2"]) pairing.standIn(standIn(name));
    expect(sent).toEqual([
      ["k1", "K1"],
      ["d2", "d2"],
    ]);
    pairing.push(picture("K3"));
    expect([asked, written]).toEqual([["stand-in key"], 2]);
  });

  it("asks a new encoder that makes nothing", () => {
    pairing = pairingOf(true);
    pairing.push(picture("K1"));
    clock.advance(milli(301));
    pairing.push(picture("d2"));
    expect(asked).toEqual(["stand-in key"]);
  });

  it("writes one stand-in for each picture", () => {
    flowing();
    for (const name of ["d1", "d2"]) {
      pairing.push(picture(name));
      pairing.standIn(standIn(name));
    }
    expect([written, sent.length]).toEqual([2, 2]);
  });

  it("takes a key stand-in that it did not ask for as a request, and sends nothing until the key frame is there", () => {
    flowing();
    pairing.push(picture("d1"));
    pairing.standIn(standIn("k1"));
    expect([asked, sent, leftOut]).toEqual([["key"], [], ["k1"]]);
    pairing.push(picture("d2"));
    pairing.standIn(standIn("d2"));
    expect([sent, leftOut]).toEqual([[], ["k1", "d2"]]);
  });

  it("drops a stand-in without a picture: on the way to a key frame, and after one too many", () => {
    pairing.standIn(standIn("d1"));
    expect([leftOut, sent]).toEqual([["d1"], []]);
    flowing();
    const early = ["d1", "d2", "d3", "d4", "d5", "d6"];
    for (const name of early.slice(0, 5)) pairing.standIn(standIn(name));
    expect(asked).toEqual([]);
    pairing.standIn(standIn("d6"));
    expect([leftOut, sent, asked]).toEqual([early, [], ["key"]]);
  });

  it("keeps a stand-in that came early for the next picture, and writes none for that", () => {
    flowing();
    pairing.standIn(standIn("d1"));
    pairing.push(picture("d1"));
    expect([sent, written]).toEqual([[["d1", "d1"]], 0]);
  });

  it("writes one stand-in more where its encoder left one out, and not more often than it helps", () => {
    flowing();
    for (const name of ["d1", "d2", "d3"]) pairing.push(picture(name));
    expect(written).toBe(4);
  });

  it("gives up pictures that waited too long, and says so", () => {
    flowing();
    pairing.push(picture("d1"));
    clock.advance(milli(1_501));
    pairing.push(picture("d2"));
    expect(asked).toEqual(["stuck"]);
    pairing.standIn(standIn("d1"));
    expect([sent, leftOut]).toEqual([[], ["d1"]]);
  });

  it("asks for a stand-in key again where none comes, and gives up when the key frame has waited too long", () => {
    pairing.push(picture("K0"));
    clock.advance(milli(301));
    pairing.push(picture("d0"));
    expect(asked, "the page has not answered").toEqual(["stand-in key"]);
    pairing.keyed();
    clock.advance(milli(301));
    pairing.push(picture("d1"));
    expect(asked).toEqual(["stand-in key", "stand-in key"]);
    clock.advance(milli(1_400));
    pairing.push(picture("d2"));
    expect(asked.at(-1)).toBe("stuck");
    expect(pairing.isBroken).toBe(true);
  });

  it("that still encodes with another codec sends nothing in its stand-ins", () => {
    flowing();
    pairing.push(picture("K1", "video/vp9"));
    pairing.standIn(standIn("k1", "video/VP8"));
    expect(sent).toEqual([]);
    pairing.standIn(standIn("k2", "video/VP9"));
    pairing.push(picture("d2", "video/vp9"));
    pairing.standIn(standIn("d2", "video/VP8"));
    expect(sent).toEqual([["k2", "K1"]]);
  });
});

/**
 * A link on a machine that is full: the page takes `page` ms to have the encoder make a key frame, and a stand-in `encoder`
 * ms to come out of it. Gives how many of thirty seconds' 900 pictures went, and in which second the last did.
 */
function slowLink({ page, encoder }: { page: number; encoder: number }): { sent: number; last: number } {
  let [isKeyNext, keyIn, count, last] = [false, 0, 0, 0];
  const slow: Pairing<Named> = new Pairing<Named>(clock, false, {
    write: () => {
      const name = isKeyNext ? "k" : "d";
      isKeyNext = false;
      clock.after(milli(encoder), () => slow.standIn(standIn(name)));
    },
    needStandInKey: () =>
      clock.after(milli(page), () => {
        isKeyNext = true;
        slow.keyed();
      }),
    needKey: () => {
      keyIn ||= 3;
    },
    stuck: () => {
      keyIn ||= 15;
    },
    send: () => {
      count++;
      last = clock.now() / 1000;
    },
    leaveOut: () => undefined,
  });
  for (let at = 0; at < 900; at++) {
    slow.push(picture(at === 0 || keyIn === 1 ? "K" : "d"));
    if (keyIn > 0) keyIn--;
    clock.advance(milli(33));
  }
  return { sent: count, last };
}

describe("on a full machine", () => {
  it.each([
    { page: 50, encoder: 20 },
    { page: 350, encoder: 100 },
    { page: 700, encoder: 300 },
    { page: 1_200, encoder: 1_000 },
    { page: 2_000, encoder: 600 },
  ])("a link whose key frames take $page and $encoder ms goes on", (delays) => {
    const { sent, last } = slowLink(delays);
    expect(sent).toBeGreaterThan(600);
    expect(last).toBeGreaterThan(29);
  });
});

it("whatever comes in whatever order: types match, order holds, and after anything left out the next is a key frame", () => {
  const step = fc.constantFrom("K", "d", "key stand-in", "delta stand-in", "keyed", "break", "wait");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      clock = new ManualClock();
      const order: { picture: number; standIn: number; isKey: boolean }[] = [];
      const lost = { pictures: new Set<number>(), standIns: new Set<number>() };
      const each = new Pairing<StandIn & { at: number }>(clock, false, {
        write: () => undefined,
        needStandInKey: () => undefined,
        needKey: () => undefined,
        stuck: () => undefined,
        send: (standIn, { isKey, since }) => {
          expect(isKey).toBe(standIn.isKey);
          order.push({ picture: since, standIn: standIn.at, isKey });
        },
        leaveOut: ({ at }) => lost.standIns.add(at),
      });
      const pushed: number[] = [];
      for (const [at, what] of steps.entries()) {
        if (what === "K" || what === "d") {
          pushed.push(at);
          each.push({ ...picture(what), since: milli(at) });
        } else if (what === "keyed") each.keyed();
        else if (what === "break") each.break();
        else if (what === "wait") clock.advance(milli(200));
        else each.standIn({ at, isKey: what === "key stand-in", mimeType: "video/vp8" });
      }
      for (const [i, now] of order.entries()) {
        const before = order[i - 1];
        const [fromPicture, fromStandIn] = [before?.picture ?? -1, before?.standIn ?? -1];
        expect(now.picture).toBeGreaterThan(fromPicture);
        expect(now.standIn).toBeGreaterThan(fromStandIn);
        const isLoss = (from: number, to: number, of: (at: number) => boolean) =>
          Array.from({ length: to - from - 1 }, (_, k) => from + 1 + k).some(of);
        const lostBetween =
          before === undefined ||
          isLoss(fromPicture, now.picture, (at) => pushed.includes(at)) ||
          isLoss(fromStandIn, now.standIn, (at) => lost.standIns.has(at));
        if (lostBetween) expect(now.isKey, steps.join()).toBe(true);
      }
    }),
    { numRuns: RUNS },
  );
});
