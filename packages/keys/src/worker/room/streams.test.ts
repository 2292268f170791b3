import { readFileSync } from "node:fs";
import { ManualClock, milli, TokenBucket } from "@sealcast/time";
import { beforeEach, describe, expect, test } from "vitest";
import { type GroupMember, LEAF_MESSAGES } from "../../shared/messages.ts";
import { ALL, type MessageContent } from "../plaintext.ts";
import { Streams } from "./streams.ts";

function member(leaf: number, leafKeyId = `key ${leaf}`): GroupMember {
  return { leaf, identity: `identity ${leaf}`, seat: `seat ${leaf}`, leafKeyId, name: `name ${leaf}`, me: leaf === 0 };
}

const [me, ada, bea] = [member(0), member(1), member(2)];
const text = (letters: string): Uint8Array => new TextEncoder().encode(letters);
const read = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

let clock: ManualClock;
let streams: Streams;
/** What went out since it was last looked at. */
let out: string[];
let delivered: string[];
let arrived: number[];
/** By receipt: who went without it. */
let missed: Record<number, readonly string[]>;

beforeEach(() => {
  clock = new ManualClock();
  [out, delivered, arrived, missed] = [[], [], [], {}];
  streams = new Streams({
    clock,
    transmit: (to, content) => void out.push(`${to} ${shown(content)}`),
    deliver: (from, body) => void delivered.push(`${from.leafKeyId} ${read(body)}`),
    arrived: (receipt, by) => {
      arrived.push(receipt);
      if (by.length > 0) missed[receipt] = by;
    },
  });
});

function shown(content: MessageContent): string {
  if (content.type === "data")
    return `${content.number} in ${content.epoch} after ${content.previous}: ${read(content.body)}`;
  return content.type === "ack" ? `ack ${content.direct} ${content.all}` : content.type;
}

function sent(): string[] {
  const all = out;
  out = [];
  return all;
}

function data(number: number, epoch: number, previous: number, letters = `${number}`) {
  return { type: "data", number, epoch, previous, body: text(letters) } as const;
}

const ack = (direct: number, all: number) => ({ type: "ack", direct, all }) as const;

describe("what is sent", () => {
  test("is numbered by stream, with its epoch and that of the one before", () => {
    streams.enter(3, [me, ada, bea]);
    expect([streams.send("all", text("a")), streams.send(1, text("b")), streams.send("all", text("c"))]).toEqual([
      true,
      true,
      true,
    ]);
    expect(sent()).toEqual([`${ALL} 0 in 3 after 0: a`, "1 0 in 3 after 0: b", `${ALL} 1 in 3 after 3: c`]);
    for (const from of [ada, bea]) streams.received(from, 0, ack(1, 2));
    streams.enter(4, [me, ada, bea]);
    streams.send("all", text("d"));
    streams.send(1, text("e"));
    expect(sent()).toEqual([`${ALL} 2 in 4 after 3: d`, "1 1 in 4 after 3: e"]);
  });

  test("goes nowhere without anybody there, and has arrived", () => {
    streams.enter(1, [me]);
    expect([streams.send("all", text("a"), 7), streams.send("all", text("b")), streams.send(1, text("c"), 8)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([sent(), arrived]).toEqual([[], [7]]);
    streams.enter(2, [me, ada]);
    expect(sent()).toEqual([]);
  });

  test("has arrived once everybody whom it was for has acknowledged it, or has gone", () => {
    streams.enter(1, [me, ada, bea]);
    streams.send("all", text("a"), 1);
    streams.send(1, text("b"), 2);
    streams.send("all", text("c"), 3);
    streams.received(ada, 0, ack(0, 2));
    expect(arrived).toEqual([]);
    streams.received(bea, 0, ack(0, 1));
    expect(arrived).toEqual([1]);
    streams.received(ada, 0, ack(1, 2));
    expect(arrived).toEqual([1, 2]);
    streams.enter(2, [me, ada]);
    expect(arrived).toEqual([1, 2, 3]);
    expect(missed).toEqual({ 3: [bea.identity] });
  });

  test("was missed by who went before they acknowledged it, and by who comes back under another key", () => {
    streams.enter(1, [me, ada]);
    streams.send("all", text("a"), 1);
    streams.enter(2, [me, ada, bea]);
    streams.send("all", text("b"), 2);
    streams.send("all", text("c"), 3);
    streams.received(ada, 0, ack(0, 1));
    streams.enter(3, [me, member(1, "another"), bea]);
    expect(arrived).toEqual([1]);
    streams.enter(4, [me, member(1, "another")]);
    expect(arrived).toEqual([1, 2, 3]);
    const both = [ada.identity, bea.identity];
    expect(missed, "the first was sent before Bea came, and Ada has it").toEqual({ 2: both, 3: both });
    streams.send("all", text("d"), 4);
    streams.enter(5, [me]);
    expect(missed[4]).toEqual([ada.identity]);
    streams.send("all", text("to nobody"), 5);
    expect([arrived.at(-1), missed[5]]).toEqual([5, undefined]);
  });

  test("has not arrived by an acknowledgement of what was never sent, of an older one, or by another's", () => {
    streams.enter(1, [me, ada]);
    streams.send("all", text("a"), 1);
    streams.send(1, text("b"), 2);
    streams.received(ada, 0, ack(2, 2));
    streams.received(member(1, "another"), 0, ack(1, 1));
    streams.received(bea, 0, ack(1, 1));
    expect(arrived).toEqual([]);
    streams.received(ada, 0, ack(1, 1));
    streams.send("all", text("c"), 3);
    streams.received(ada, 0, ack(0, 0));
    expect(arrived.sort()).toEqual([1, 2]);
  });

  test("stays acknowledged when an older acknowledgement comes late", () => {
    streams.enter(1, [me, ada, bea]);
    streams.send("all", text("a"), 1);
    streams.send("all", text("b"), 2);
    streams.received(ada, 0, ack(0, 2));
    streams.received(ada, 0, ack(0, 1));
    streams.received(bea, 0, ack(0, 2));
    expect(arrived).toEqual([1, 2]);
  });

  test("is on its way sixteen at a time", () => {
    streams.enter(1, [me, ada]);
    for (let i = 0; i < 20; i += 1) streams.send(1, text(`${i}`));
    expect(sent()).toHaveLength(16);
    streams.received(ada, 0, ack(3, 0));
    expect(sent()).toEqual([16, 17, 18].map((i) => `1 ${i} in 1 after 1: ${i}`));
    streams.received(ada, 0, ack(3, 0));
    expect(sent()).toEqual([]);
  });

  test("is refused with 512 not acknowledged", () => {
    streams.enter(1, [me, ada]);
    for (let i = 0; i < 512; i += 1) expect(streams.send(1, text("x"))).toBe(true);
    expect(streams.send(1, text("x"))).toBe(false);
    expect(streams.send("all", text("x"))).toBe(true);
    streams.received(ada, 0, ack(1, 0));
    expect(streams.send(1, text("x"))).toBe(true);
  });

  test("is sent again after 2 s, until it is acknowledged", () => {
    streams.enter(1, [me, ada]);
    streams.send(1, text("a"));
    sent();
    clock.advance(milli(1_999));
    expect(sent()).toEqual([]);
    clock.advance(milli(1));
    expect(sent()).toEqual(["1 0 in 1 after 0: a"]);
    clock.advance(milli(2_000));
    expect(sent()).toEqual(["1 0 in 1 after 0: a"]);
    streams.received(ada, 0, ack(1, 0));
    clock.advance(milli(10_000));
    expect(sent()).toEqual([]);
  });

  test("is sent again 2 s after the stream last came further, whatever was sent meanwhile", () => {
    streams.enter(1, [me, ada]);
    streams.send(1, text("a"));
    clock.advance(milli(1_000));
    streams.send(1, text("b"));
    sent();
    clock.advance(milli(999));
    expect(sent()).toEqual([]);
    clock.advance(milli(1));
    expect(sent()).toEqual(["1 0 in 1 after 0: a", "1 1 in 1 after 1: b"]);
    clock.advance(milli(1_000));
    streams.received(ada, 0, ack(1, 0));
    clock.advance(milli(1_999));
    expect(sent()).toEqual([]);
    clock.advance(milli(1));
    expect(sent()).toEqual(["1 1 in 1 after 1: b"]);
  });

  test("goes on to the others where one acknowledges nothing, who gets it 16 at a time once they do", () => {
    streams.enter(1, [me, ada, bea]);
    const numbers = () => sent().map((line) => Number(line.split(" ")[1]));
    const range = (from: number, end: number) => Array.from({ length: end - from }, (_, at) => from + at);
    for (let i = 0; i < 40; i += 1) streams.send("all", text("x"), i);
    expect(numbers()).toEqual(range(0, 16));
    streams.received(ada, 0, ack(0, 16));
    expect(numbers()).toEqual(range(16, 32));
    streams.received(ada, 0, ack(0, 32));
    expect(numbers()).toEqual(range(32, 40));
    streams.received(ada, 0, ack(0, 40));
    clock.advance(milli(2_000));
    expect(numbers(), "for the one alone").toEqual(range(0, 16));
    streams.send("all", text("x"), 40);
    expect(numbers(), "others do not wait").toEqual([40]);
    streams.received(ada, 0, ack(0, 41));
    streams.received(bea, 0, ack(0, 10));
    expect(numbers()).toEqual(range(16, 26));
    streams.received(bea, 0, ack(0, 26));
    expect(numbers(), "as fast as what goes again may go").toEqual(range(26, 32));
    clock.advance(milli(1_999));
    expect(numbers()).toEqual(range(32, 41));
    streams.received(bea, 0, ack(0, 41));
    expect([numbers(), arrived]).toEqual([[], range(0, 41)]);
    clock.advance(milli(10_000));
    streams.send("all", text("x"));
    expect(numbers(), "and then as before").toEqual([41]);
  });

  describe("where one member holds up what others acknowledge", () => {
    const cy = member(3);
    /** What bea gets of it, who takes what she wants next and acknowledges it. */
    function beaTakes(want: number): number {
      for (const line of sent()) if (line.startsWith(`${ALL} ${want} `)) want += 1;
      streams.received(bea, 0, ack(0, want));
      return want;
    }

    beforeEach(() => {
      streams.enter(1, [me, ada, bea, cy]);
      for (let i = 0; i < 60; i += 1) streams.send("all", text("x"), i);
      for (const end of [16, 32, 48, 60]) streams.received(cy, 0, ack(0, end));
      streams.received(bea, 0, ack(0, 30));
      sent();
    });

    test("another who missed some gets them, where that one acknowledges nothing", () => {
      let want = 30;
      for (let seconds = 0; seconds < 10; seconds += 1) {
        clock.advance(milli(1_000));
        want = beaTakes(want);
        want = beaTakes(want);
      }
      expect(want).toBe(60);
    });

    test("another who missed some gets them, where that one acknowledges a single one now and then", () => {
      let want = 30;
      for (let seconds = 0; seconds < 28; seconds += 1) {
        clock.advance(milli(1_000));
        streams.received(ada, 0, ack(0, seconds + 1));
        want = beaTakes(want);
        want = beaTakes(want);
      }
      expect(want).toBe(60);
    });
  });

  test("is given up, the oldest first, where one acknowledges nothing, and never counts as arrived", () => {
    streams.enter(1, [me, ada, bea]);
    for (let i = 0; i < 2_000; i += 1) {
      clock.advance(milli(250));
      expect(streams.send("all", text("x"), i)).toBe(true);
      expect(sent().length, `${i}`).toBeGreaterThan(0);
      streams.received(ada, 0, ack(0, i + 1));
    }
    streams.enter(2, [me, ada]);
    expect(arrived).toEqual(Array.from({ length: 512 }, (_, at) => 2_000 - 512 + at));
  });

  test("is sent again at once after an epoch change and after an interruption", () => {
    streams.enter(1, [me, ada]);
    streams.send(1, text("a"));
    streams.send("all", text("b"));
    sent();
    streams.enter(2, [me, ada]);
    expect(sent().sort()).toEqual(["1 0 in 1 after 0: a", `${ALL} 0 in 1 after 0: b`]);
    streams.restart();
    expect(sent().sort()).toEqual(["1 0 in 1 after 0: a", `${ALL} 0 in 1 after 0: b`]);
  });

  test("is forgotten with whom it was for, and begins again with a new occupant", () => {
    streams.enter(1, [me, ada]);
    streams.send(1, text("a"), 1);
    sent();
    const again = member(1, "another");
    streams.enter(2, [me, again]);
    expect([sent(), arrived]).toEqual([[], []]);
    streams.send(1, text("b"));
    expect(sent()).toEqual(["1 0 in 2 after 0: b"]);
  });

  test("does not wait for a newcomer to acknowledge what was sent before it came", () => {
    streams.enter(1, [me, ada]);
    streams.send("all", text("a"), 1);
    streams.enter(2, [me, ada, bea]);
    streams.received(ada, 0, ack(0, 1));
    expect(arrived).toEqual([1]);
  });

  test("stops with the streams, and is gone after a reset", () => {
    streams.enter(1, [me, ada]);
    streams.send(1, text("a"));
    streams.send("all", text("b"));
    streams.received(ada, 0, data(0, 1, 0));
    sent();
    streams.close();
    clock.advance(milli(10_000));
    expect(sent()).toEqual([]);
    streams.restart();
    expect(sent()).toHaveLength(2);
    streams.reset();
    clock.advance(milli(10_000));
    streams.enter(5, [me, ada]);
    streams.send("all", text("c"));
    expect(sent()).toEqual([`${ALL} 0 in 5 after 0: c`]);
  });
});

/** What a page takes of another (PROTOCOL.md section 9). */
const PAGE = pageBudget();
function pageBudget() {
  const protocol = readFileSync(new URL("../../../../../PROTOCOL.md", import.meta.url), "utf8");
  const [, burst, perSecond] = /^\| messages of a page [^|]*\| (\d+) \| (\d+) \|/m.exec(protocol) ?? [];
  return { burst: Number(burst), perSecond: Number(perSecond) };
}
/** Messages that the server keeps for who comes back. */
const JOURNAL = 256;

/** One who takes what it wants next of both streams, and acknowledges that; what its page and its worker have left to take of this sender. */
class Taker {
  readonly page = new TokenBucket(PAGE, clock);
  readonly worker = new TokenBucket(LEAF_MESSAGES, clock);
  least = PAGE.burst;
  taken = 0;
  readonly #leaf: number;
  #want = { [ALL]: 0, direct: 0 };
  /** What came while it could not be reached. */
  #held: string[] | null = null;

  constructor(leaf: number) {
    this.#leaf = leaf;
  }

  get wantsOfAll(): number {
    return this.#want[ALL];
  }

  hold(): void {
    this.#held = [];
  }

  /** With the latest of what was held, or without it. */
  release(kept: number): void {
    const held = this.#held ?? [];
    this.#held = null;
    this.take(held.length <= kept ? held : []);
  }

  take(lines: readonly string[]): void {
    if (this.#held !== null) return void this.#held.push(...lines);
    for (const line of lines) {
      const [to, number] = line.split(" ").map(Number);
      const stream = to === ALL ? ALL : "direct";
      if (to !== ALL && to !== this.#leaf) continue;
      this.least = Math.min(this.least, this.worker.take());
      if (number !== this.#want[stream]) continue;
      this.#want[stream] += 1;
      this.taken += 1;
      this.least = Math.min(this.least, this.page.take());
    }
    streams.received(member(this.#leaf), 0, ack(this.#want.direct, this.#want[ALL]));
  }
}

describe("what one page says", () => {
  /** A call of 49, in which this member says more than any page of ours. */
  function busyCall() {
    const others = Array.from({ length: 48 }, (_, at) => member(at + 1));
    streams.enter(1, [me, ...others]);
    const takers = [1, 2, 3].map((leaf) => new Taker(leaf));
    let said = 0;
    const pass = (seconds: number, perSecond: number) => {
      for (let step = 0; step < seconds * 10; step += 1) {
        clock.advance(milli(100));
        for (; said < ((step + 1) * perSecond) / 10; said += 1) streams.send("all", text("x"));
        if (step % 10 === 0) for (const leaf of [1, 2]) streams.send(leaf, text("y"));
        const lines = sent();
        for (const taker of takers) taker.take(lines);
        for (const other of others.slice(3)) streams.received(other, 0, ack(0, takers[1]?.wantsOfAll ?? 0));
      }
      said = 0;
    };
    return { takers, pass };
  }

  test("a page takes, said all at once", () => {
    const { takers, pass } = busyCall();
    for (let i = 0; i < 500; i += 1) streams.send("all", text("x"));
    for (let i = 0; i < 500; i += 1) streams.send(1, text("y"));
    pass(150, 1);
    expect(takers[0]?.taken).toBeGreaterThan(1_000);
    expect(Math.min(...takers.map(({ least }) => least))).toBeGreaterThan(0);
  });

  test.each([
    ["with all that was held up", 30],
    ["with all that was held up", 60],
    ["and the server keeps nothing", 60],
  ])("a page takes that comes back, %s, after %d s", (_, seconds) => {
    const { takers, pass } = busyCall();
    const [back] = takers;
    back?.hold();
    pass(seconds, 8);
    back?.release(JOURNAL);
    pass(150, 1);
    expect(back?.taken).toBeGreaterThan(seconds * 8);
    expect(Math.min(...takers.map(({ least }) => least))).toBeGreaterThan(0);
  });

  test("goes again slower than the server reads a socket, and to who acknowledges whatever others do not", () => {
    const { takers } = busyCall();
    const silent = Array.from({ length: 12 }, (_, at) => at + 2);
    for (let i = 0; i < 16; i += 1) for (const leaf of silent) streams.send(leaf, text("z"));
    for (let i = 0; i < 5; i += 1) streams.send(1, text("y"));
    sent();
    let lines = 0;
    for (let step = 0; step < 200; step += 1) {
      clock.advance(milli(100));
      const out = sent();
      lines += out.length;
      takers[0]?.take(out);
    }
    expect(takers[0]?.taken).toBe(5);
    expect(lines).toBeLessThan(20 * 12);
  });
});

describe("what is received", () => {
  test("is delivered once and in order, and acknowledged together after 50 ms", () => {
    streams.enter(1, [me, ada, bea]);
    streams.received(ada, 0, data(1, 1, 1, "second"));
    streams.received(ada, 0, data(0, 1, 0, "first"));
    streams.received(ada, 0, data(0, 1, 0, "first"));
    streams.received(ada, 0, data(1, 1, 1, "second"));
    streams.received(bea, ALL, data(0, 1, 0, "all"));
    expect(delivered).toEqual(["key 1 first", "key 1 second", "key 2 all"]);
    clock.advance(milli(49));
    expect(sent()).toEqual([]);
    clock.advance(milli(1));
    expect(sent()).toEqual(["1 ack 2 0", "2 ack 0 1"]);
    clock.advance(milli(1_000));
    expect(sent()).toEqual([]);
    streams.received(ada, 0, data(0, 1, 0, "first"));
    clock.advance(milli(50));
    expect(sent()).toEqual(["1 ack 2 0"]);
  });

  test("is acknowledged ten times at once and twice a second then, to each sender; the last of them counts for all", () => {
    streams.enter(1, [me, ada, bea]);
    for (let number = 0; number < 200; number += 1) {
      streams.received(ada, 0, data(number, 1, number === 0 ? 0 : 1));
      clock.advance(milli(50));
    }
    expect(delivered).toHaveLength(200);
    const acks = sent();
    expect(acks.length).toBeGreaterThan(25);
    expect(acks.length).toBeLessThanOrEqual(30);
    clock.advance(milli(500));
    expect(sent()).toEqual(["1 ack 200 0"]);
    streams.received(bea, 0, data(0, 1, 0));
    streams.received(ada, 0, data(200, 1, 1));
    clock.advance(milli(50));
    expect(sent()).toEqual(["2 ack 1 0"]);
    clock.advance(milli(450));
    expect(sent()).toEqual(["1 ack 201 0"]);
    clock.advance(milli(10_000));
    expect(sent()).toEqual([]);
  });

  test("by a newcomer begins with the first message to all since it came", () => {
    streams.enter(4, [me, ada]);
    streams.received(ada, ALL, data(5, 3, 2, "before"));
    streams.received(ada, ALL, data(7, 5, 4, "not the first"));
    expect(delivered).toEqual([]);
    clock.advance(milli(1_000));
    expect(sent()).toEqual([]);
    streams.received(ada, ALL, data(6, 4, 3, "first"));
    streams.received(ada, ALL, data(7, 5, 4, "second"));
    expect(delivered).toEqual(["key 1 first", "key 1 second"]);
    // Another that claims to be first moves nothing.
    streams.received(ada, ALL, data(20, 4, 3, "again"));
    streams.received(ada, ALL, data(8, 5, 5, "third"));
    expect(delivered.at(-1)).toBe("key 1 third");
    clock.advance(milli(50));
    expect(sent()).toEqual(["1 ack 0 9"]);
  });

  test("is taken of the one who sits there, and of nobody else", () => {
    streams.enter(1, [me, ada]);
    streams.received(member(1, "another"), 0, data(0, 1, 0));
    streams.received(bea, 0, data(0, 1, 0));
    streams.received(me, 0, data(0, 1, 0));
    clock.advance(milli(1_000));
    expect([delivered, sent()]).toEqual([[], []]);
  });

  test("is not acknowledged to someone who has gone", () => {
    streams.enter(1, [me, ada, bea]);
    streams.received(ada, 0, data(0, 1, 0));
    streams.received(bea, 0, data(0, 1, 0));
    streams.enter(2, [me, bea]);
    clock.advance(milli(50));
    expect(sent()).toEqual(["2 ack 1 0"]);
  });

  test("before a reset or a close is not acknowledged, and after it is", () => {
    streams.enter(1, [me, ada]);
    streams.received(ada, 0, data(0, 1, 0));
    streams.reset();
    streams.enter(1, [me, ada]);
    clock.advance(milli(1_000));
    expect(sent()).toEqual([]);
    streams.received(ada, 0, data(0, 1, 0));
    clock.advance(milli(50));
    expect([sent(), delivered]).toEqual([["1 ack 1 0"], ["key 1 0", "key 1 0"]]);
  });
});
