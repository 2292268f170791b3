import { concat, u32, u64 } from "@sealcast/bytes";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { UnreadableRecording } from "./boxes.ts";
import { type FragmentIndex, indexOf, isFragment, MOST, type ReadableSource } from "./fragments.ts";
import { movieOf } from "./movie.ts";
import { box, MemorySource, type Recorded, record } from "./recorded.cases.ts";

let three: Recorded;
let index: FragmentIndex;

beforeAll(async () => {
  three = await record(3, { soundFrom: 0.03 });
  index = await indexOf(new MemorySource(three.bytes));
});

const of = (...parts: Uint8Array[]) => indexOf(new MemorySource(concat(...parts)));
const typeAt = (at: number) => String.fromCharCode(...three.bytes.subarray(at + 4, at + 8));
const endOf = ({ at, length }: { at: number; length: number }) => at + length;
const init = () => three.bytes.subarray(0, index.init.length);
const fragment = (number: number) => {
  const found = index.fragments[number]!;
  return three.bytes.subarray(found.at, endOf(found));
};

describe("a recording", () => {
  test("is a fragment a second, one after the other, timed by the video although its sound begins later", () => {
    expect(index.fragments.map(({ startSeconds }) => startSeconds)).toEqual([0, 1, 2]);
    for (const { seconds } of index.fragments) expect(seconds).toBeCloseTo(1, 3);
    expect(index.seconds).toBeCloseTo(3, 3);
    expect(index.fragments.map(({ at }) => typeAt(at))).toEqual(["moof", "moof", "moof"]);
    expect(index.fragments.map(({ at }) => at)).toEqual([index.init, ...index.fragments.slice(0, 2)].map(endOf));
    expect(typeAt(endOf(index.fragments[2]!))).toBe("mfra");
  });

  test.each([
    ["avc", 'video/mp4; codecs="avc1.64001f,opus"'],
    ["vp9", 'video/mp4; codecs="vp09.00.21.08,opus"'],
    ["av1", 'video/mp4; codecs="av01.0.04M.08,opus"'],
  ] as const)("in %s says its codecs", async (codec, mimeType) => {
    expect((await of((await record(1, { codec })).bytes)).mimeType).toBe(mimeType);
  });

  test("with sound alone is timed by its sound", async () => {
    const sound = await of((await record(3, { video: false, soundSeconds: 3 })).bytes);
    expect(sound.mimeType).toBe('audio/mp4; codecs="opus"');
    expect(sound.fragments.length).toBeGreaterThan(1);
    expect(sound.seconds).toBeCloseTo(3, 1);
  });

  test("whose last fragment is sound alone goes on where its video ends", async () => {
    const { bytes } = await record(2, { soundSeconds: 4 });
    const { fragments, seconds } = await of(bytes);
    expect(fragments.length).toBeGreaterThan(2);
    expect(fragments[2]!.startSeconds).toBeCloseTo(2, 1);
    expect(seconds).toBeCloseTo(4, 1);
  });

  test("whose fragments leave a gap has each last up to the next, as its own list says", async () => {
    const { timescale } = movieOf(init()).tracks.get(1)!;
    const { fragments } = await of(init(), fragment(0), fragmentOf({ start: BigInt(3 * timescale) }));
    expect(fragments.map(({ startSeconds, seconds }) => [startSeconds, seconds])).toEqual([
      [0, 3],
      [3, 0],
    ]);
  });

  test.each([2, 200])("of %i s is found by its own list in a few reads, and is what its boxes say", async (seconds) => {
    const source = new MemorySource((await record(seconds)).bytes);
    const listed = await indexOf(source);
    expect(source.reads.length).toBeLessThan(6);
    const walked = await indexOf(source, { ...listed, fragments: [] });
    expect(listed.fragments.length).toBe(walked.fragments.length);
    for (const [number, { at, length, startSeconds, seconds }] of listed.fragments.entries()) {
      expect(walked.fragments[number]).toMatchObject({ at, length, startSeconds });
      expect(walked.fragments[number]?.seconds).toBeCloseTo(seconds, 6);
    }
    expect(listed.seconds).toBeCloseTo(walked.seconds, 6);
    expect(listed.isComplete).toBe(true);
  });

  test("that was not ended is read once a fragment, in pieces of 4 KiB", async () => {
    const source = new MemorySource((await record(20, { finish: false })).bytes);
    const { fragments } = await indexOf(source);
    expect(source.reads.length).toBeLessThan(fragments.length + 5);
    expect(Math.max(...source.reads.map(({ length }) => length))).toBe(4_096);
  });

  test("is complete once its writer has ended it", async () => {
    expect(index.isComplete).toBe(true);
    expect((await of((await record(3, { finish: false })).bytes)).isComplete).toBe(false);
  });
});

describe("a recording that was cut anywhere", () => {
  test("has all fragments that are whole, and says of a beginning without any description what is wrong", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(three.bytes.length), async (length) => {
        const cut = of(three.bytes.subarray(0, length));
        if (length < index.init.length) await expect(cut).rejects.toThrow(UnreadableRecording);
        else expect((await cut).fragments).toEqual(index.fragments.filter((each) => endOf(each) <= length));
      }),
    );
  });

  test("is gone on with from an earlier index, of which nothing but the description is read again", async () => {
    const source = new MemorySource(new Uint8Array());
    let grown: FragmentIndex | undefined;
    for (const end of three.ends.filter((each) => each >= index.init.length)) {
      source.bytes = three.bytes.subarray(0, end);
      source.reads = [];
      const known = grown?.fragments.at(-1);
      grown = await indexOf(source, grown);
      const [description, ...others] = source.reads.map(({ at }) => at);
      expect(description).toBe(0);
      if (known !== undefined) expect(Math.min(...others, endOf(known))).toBe(endOf(known));
      expect(grown).toEqual(await indexOf(source));
    }
    expect(grown).toEqual(index);
  });
});

describe("a list of fragments that is wrong", () => {
  /** The file with a change in the entry `number` of both tracks' lists: 28 bytes, which begin with time and place. */
  const changed = (number: number, field: "time" | "at", by: number) => {
    const bytes = three.bytes.slice();
    const text = new TextDecoder("latin1").decode(bytes);
    for (const list of [text.indexOf("tfra"), text.lastIndexOf("tfra")]) {
      const view = new DataView(bytes.buffer, list + 20 + 28 * number + (field === "at" ? 8 : 0));
      view.setBigUint64(0, view.getBigUint64(0) + BigInt(by));
    }
    return bytes;
  };
  const withList = (list: Uint8Array) => concat(three.bytes.subarray(0, endOf(index.fragments[2]!)), list);
  const end = (size: number) => box("mfro", u32(0), u32(size));

  test.each([
    ["that does not begin at the first fragment", () => changed(0, "at", 1)],
    ["whose last place is no fragment's", () => changed(2, "at", 9)],
    ["whose last time is not that fragment's", () => changed(2, "time", 1)],
    ["that goes back in the file", () => changed(1, "at", 2 ** 20)],
    ["that goes back in time", () => changed(1, "time", 2 ** 40)],
    ["that is longer than the file", () => withList(box("mfra", end(2 ** 23)))],
    ["that is cut off", () => withList(box("mfra", box("tfra", u32(0), u32(1), u32(0), u32(9)), end(52)))],
    ["of no video", () => withList(box("mfra", end(24)))],
    ["that is another box", () => withList(concat(box("mfra"), box("free", end(24))))],
  ])("leads nowhere, and the boxes count: one %s", async (_, bytes) => {
    const source = new MemorySource(bytes());
    const found = await indexOf(source);
    expect(found.fragments).toEqual((await indexOf(source, { ...found, fragments: [] })).fragments);
    expect(found.fragments.map(({ at }) => at)).toEqual(index.fragments.map(({ at }) => at));
    for (const [number, { startSeconds }] of found.fragments.entries()) expect(startSeconds).toBe(number);
  });

  test("is not read where it is too long", async () => {
    const claim = new Claim(concat(init(), fragment(0)), 2 ** 33, end(2 ** 24 + 1));
    await indexOf(claim).catch(() => undefined);
    expect(claim.longest).toBeLessThanOrEqual(4_096);
  });

  test("with a fragment of sound alone before its last says too little: the boxes count", async () => {
    const { timed, tracks } = movieOf(init());
    const list = (track: number, numbers: readonly number[]) => {
      const { timescale } = tracks.get(track)!;
      const entries = numbers.flatMap((n) => [u32(n * timescale), u32(index.fragments[n]!.at), new Uint8Array(3)]);
      return box("tfra", u32(0), u32(track), u32(0), u32(numbers.length), ...entries);
    };
    const sound = [...tracks.keys()].find((track) => track !== timed)!;
    const of = async (...lists: Uint8Array[]) => {
      const all = concat(...lists);
      const { fragments } = await indexOf(new MemorySource(withList(box("mfra", all, end(8 + all.length + 16)))));
      return fragments.map(({ at }) => at);
    };
    const places = index.fragments.map(({ at }) => at);
    expect(await of(list(timed, [0, 2]))).toEqual([places[0], places[2]]);
    expect(await of(list(timed, [0, 2]), list(sound, [0, 1, 2]))).toEqual(places);
  });

  test("is noticed where a fragment is read by it", () => {
    const movie = movieOf(init());
    const start = index.fragments[1]!.startSeconds;
    expect(isFragment(fragment(1), movie, start)).toBe(true);
    expect(isFragment(fragment(1), movie, start + 0.001)).toBe(false);
    expect(isFragment(fragment(0), movie, start)).toBe(false);
    expect(isFragment(concat(fragment(1), fragment(2)), movie, start)).toBe(false);
    expect(isFragment(fragment(1).subarray(1), movie, start)).toBe(false);
    expect(isFragment(fragment(1).subarray(0, -1), movie, start)).toBe(false);
    expect(isFragment(concat(box("free"), fragment(1)), movie, start)).toBe(false);
    expect(isFragment(concat(fragment(1), box("free")), movie, start)).toBe(false);
    expect(isFragment(new Uint8Array(), movie, start)).toBe(false);
    const moofLength = new DataView(fragment(1).buffer, fragment(1).byteOffset).getUint32(0);
    expect(isFragment(concat(fragment(1).subarray(0, moofLength), fragment(1)), movie, start)).toBe(false);
    expect(isFragment(concat(fragment(1), box("mdat")), movie, start)).toBe(false);
  });
});

describe("other boxes", () => {
  test("are passed over: before the fragments, between them, and in the middle of one", async () => {
    const moofLength = new DataView(fragment(0).buffer, fragment(0).byteOffset).getUint32(0);
    const moof = fragment(0).subarray(0, moofLength);
    const found = await of(
      init(),
      box("sidx", new Uint8Array(32)),
      moof,
      box("free"),
      fragment(0).subarray(moofLength),
      box("styp"),
      fragment(1),
    );
    expect(found.fragments.map(({ startSeconds, length }) => [startSeconds, length])).toEqual([
      [0, fragment(0).length + 8],
      [1, fragment(1).length],
    ]);
  });

  test("with a size of 64 bits are read, and one that says no size ends the file", async () => {
    const large = concat(u32(1), new TextEncoder().encode("free"), u64(20n), new Uint8Array(4));
    const endless = concat(u32(0), new TextEncoder().encode("mdat"), fragment(1));
    const found = await of(init(), large, fragment(0), endless);
    expect(found.fragments.map(({ startSeconds }) => startSeconds)).toEqual([0]);
  });
});

/** A file that is as large as it says, of which only the beginning is there, and the end where one is given. */
class Claim implements ReadableSource {
  readonly #bytes: Uint8Array;
  readonly #size: number;
  readonly #end: Uint8Array;
  longest = 0;

  constructor(bytes: Uint8Array, size: number, end = new Uint8Array()) {
    this.#bytes = bytes;
    this.#size = size;
    this.#end = end;
  }

  async size(): Promise<number> {
    return this.#size;
  }

  async read(at: number, length: number): Promise<Uint8Array> {
    this.longest = Math.max(this.longest, length);
    if (at === this.#size - this.#end.length) return this.#end;
    const read = new Uint8Array(Math.min(length, 2 ** 20));
    read.set(this.#bytes.subarray(at, at + read.length));
    return read;
  }
}

const header = (type: string, size: number) => concat(u32(1), new TextEncoder().encode(type), u64(BigInt(size)));

describe("a hostile file", () => {
  test.each([
    ["no MP4", () => new TextEncoder().encode("<!doctype html><title>no video</title>")],
    ["an MP4 without fragments", () => concat(box("ftyp"), box("mdat", new Uint8Array(99)), init())],
    ["a box shorter than its header", () => concat(init(), u32(7), new TextEncoder().encode("free"))],
    ["a description of nothing", () => box("moov", box("mvhd", new Uint8Array(100)))],
    [
      "a fragment without a time",
      () => concat(init(), box("moof", box("traf", box("tfhd", u32(0), u32(1)))), box("mdat")),
    ],
    ["a fragment of no track", () => concat(init(), fragmentOf({ track: 9 }))],
    ["fragments that go back in time", () => concat(init(), fragment(1), fragment(0))],
    ["a time beyond all recordings", () => concat(init(), fragmentOf({ start: 2n ** 64n - 1n }))],
    ["more boxes than fragments", () => concat(init(), ...new Array<Uint8Array>(2_000).fill(box("free")))],
    ["more descriptions than fragments", () => concat(init(), ...new Array<Uint8Array>(2_000).fill(box("moof")))],
  ])("is refused: %s", async (_, bytes) => {
    await expect(of(bytes())).rejects.toThrow(UnreadableRecording);
  });

  test.each([
    ["the beginning", () => header("moov", MOST.init + 1)],
    ["a fragment's description", () => concat(init(), header("moof", MOST.moof + 1))],
    ["a fragment", () => concat(init(), fragmentOf({}).subarray(0, -8), header("mdat", MOST.fragment))],
  ])("that says that %s is huge is refused before that is read", async (_, bytes) => {
    const claim = new Claim(bytes(), 2 ** 33);
    await expect(indexOf(claim)).rejects.toThrow(/too large/);
    expect(claim.longest).toBeLessThanOrEqual(4_096);
  });

  test("with more fragments than any recording has is refused", async () => {
    const from = { ...index, fragments: new Array(262_144).fill(index.fragments[0]) };
    await expect(indexOf(new MemorySource(three.bytes), from)).rejects.toThrow("too many fragments");
  });

  test("names the codec that cannot be played", async () => {
    const other = three.bytes.slice();
    other.set(new TextEncoder().encode("hvc1"), new TextDecoder("latin1").decode(other).indexOf("avc1"));
    await expect(of(other)).rejects.toThrow('the codec "hvc1"');
  });

  test("gives fragments that lie within it in order, or is refused, whatever bytes are changed", async () => {
    const [list, last] = [endOf(index.fragments[2]!), three.bytes.length - 1];
    const at = fc.oneof(fc.nat(index.init.length + 1_500), fc.integer({ min: list, max: last }));
    const change = fc.record({ at, value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const bytes = three.bytes.slice();
        for (const { at, value } of changes) bytes[at] = value;
        const found = await of(bytes).catch((error: unknown) => error);
        if (found instanceof Error) expect(found).toBeInstanceOf(UnreadableRecording);
        else expectSound(found as FragmentIndex, bytes.length);
      }),
      { numRuns: Number(process.env.FUZZ_SLOW_RUNS ?? 300) },
    );
  });
});

function expectSound({ fragments, seconds }: FragmentIndex, size: number): void {
  let end = 0;
  let start = 0;
  for (const each of fragments) {
    expect(each.at).toBeGreaterThanOrEqual(end);
    expect(each.startSeconds).toBeGreaterThanOrEqual(start);
    expect(each.seconds).toBeGreaterThanOrEqual(0);
    end = endOf(each);
    start = each.startSeconds;
  }
  expect(end).toBeLessThanOrEqual(size);
  expect(Number.isFinite(seconds)).toBe(true);
}

function fragmentOf({ track = 1, start = 0n }): Uint8Array<ArrayBuffer> {
  const traf = box("traf", box("tfhd", u32(0), u32(track)), box("tfdt", u32(0x0100_0000), u64(start)));
  return concat(box("moof", traf), box("mdat"));
}
