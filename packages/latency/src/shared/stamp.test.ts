import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawStamp, linesOf, type Plane, paintStamp, planeOf, readStamp, since } from "./stamp.ts";

const numRuns = Number(process.env.FUZZ_RUNS ?? 300);
const RUNS = Number(process.env.FUZZ_RUNS ?? 20_000);
/** Milliseconds until the year 2200. */
const time = fc.integer({ min: 0, max: 7.3e13 }).map((tenths) => tenths / 10);
const width = fc.integer({ min: 160, max: 1280 });
const seed = fc.integer();

/** What happens to a picture on its way, in this order. */
interface Way {
  /** What is cut off at the edges, of the width. */
  readonly crop: { readonly left: number; readonly right: number; readonly top: number };
  readonly scale: number;
  /** Radius of a box, of a cell. */
  readonly blur: number;
  readonly contrast: number;
  readonly brightness: number;
  /** Standard deviation, in luma. */
  readonly noise: number;
}

/** Good video, with as much noise as that. */
const fair = (noise: number): fc.Arbitrary<Way> =>
  fc.record({
    crop: edges(0.02),
    scale: share(0.25, 1),
    blur: share(0, 0.2),
    contrast: share(0.4, 1.2),
    brightness: share(-40, 40),
    noise: share(0, noise),
  });

/** From good to hopeless. */
const anyWay: fc.Arbitrary<Way> = fc.record({
  crop: edges(0.05),
  scale: share(0.05, 1),
  blur: share(0, 1),
  contrast: share(0.02, 2),
  brightness: share(-150, 150),
  noise: share(0, 100),
});

function share(min: number, max: number) {
  return fc.double({ min, max, noNaN: true });
}

function edges(most: number) {
  return fc.record({ left: share(0, most), right: share(0, most), top: share(0, most) });
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Mean 0, standard deviation 1. */
function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function plane(width: number, height: number, luma: (x: number, y: number) => number): Plane {
  const data = new Uint8ClampedArray(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data[y * width + x] = luma(x, y);
  return { data, width, height, step: 1, first: 0 };
}

function at({ data, width, height }: Plane, x: number, y: number): number {
  return data[Math.min(Math.max(y, 0), height - 1) * width + Math.min(Math.max(x, 0), width - 1)]!;
}

/** The upper part of a picture with something in it, and a stamp. */
function stampedPicture(width: number, time: number, seed: number): Plane {
  const random = randomOf(seed);
  const [across, base] = [random() / 5, 256 * random()];
  const line = Array.from({ length: width }, (_, x) => base + 100 * Math.sin(across * x));
  const picture = plane(width, Math.ceil(1.5 * linesOf(width)), (x, y) => (line[x] ?? 0) + y);
  paintStamp(picture, time);
  return picture;
}

/** Each pixel is the mean of those that it covers. */
function box(
  picture: Plane,
  width: number,
  height: number,
  left: number,
  top: number,
  size: number,
  reach: number,
): Plane {
  return plane(width, height, (x, y) => {
    const [from, to] = [Math.round(left + x * size - reach), Math.round(left + (x + 1) * size + reach)];
    const [above, below] = [Math.round(top + y * size - reach), Math.round(top + (y + 1) * size + reach)];
    let sum = 0;
    for (let line = above; line < Math.max(below, above + 1); line++)
      for (let pixel = from; pixel < Math.max(to, from + 1); pixel++) sum += at(picture, pixel, line);
    return sum / (Math.max(below - above, 1) * Math.max(to - from, 1));
  });
}

function sent(picture: Plane, { crop, scale, blur, contrast, brightness, noise }: Way, seed: number): Plane {
  const random = randomOf(~seed);
  const { width, height } = picture;
  const [left, right, top] = [crop.left, crop.right, crop.top].map((part) => Math.round(part * width)) as [
    number,
    number,
    number,
  ];
  const scaled = Math.max(1, Math.round((width - left - right) * scale));
  const size = (width - left - right) / scaled;
  const lines = Math.max(1, Math.floor((height - top) / size));
  const small = box(picture, scaled, lines, left, top, size, (blur * width) / 32);
  return plane(
    scaled,
    lines,
    (x, y) => (at(small, x, y) - 128) * contrast + 128 + brightness + noise * gaussian(random),
  );
}

/** The time as a stamp has it. */
function inStamp(time: number): { time: number } {
  return { time: (Math.round(10 * time) % 2 ** 32) / 10 };
}

describe("a stamp", () => {
  test("is read back from a picture of any width", () => {
    fc.assert(
      fc.property(time, width, seed, (time, width, seed) => {
        expect(readStamp(stampedPicture(width, time, seed))).toEqual(inStamp(time));
      }),
      { numRuns },
    );
  });

  test("drawn on a canvas is the same picture as one that is painted", () => {
    const [width, height] = [333, 60];
    const image = { data: new Uint8ClampedArray(4 * width * height), width, height };
    const stack: string[] = [];
    const context = {
      canvas: { width },
      fillStyle: "",
      save: () => stack.push("save"),
      resetTransform: () => stack.push("reset"),
      restore: () => stack.push("restore"),
      fillRect(x: number, y: number, w: number, h: number) {
        for (let line = y; line < y + h; line++)
          image.data.fill(this.fillStyle === "white" ? 255 : 0, 4 * (line * width + x), 4 * (line * width + x + w));
      },
    };
    drawStamp(context, 1234.5);
    expect(stack).toEqual(["save", "reset", "restore"]);
    expect(readStamp(planeOf(image))).toEqual({ time: 1234.5 });
    const painted = { ...planeOf(image), data: new Uint8ClampedArray(image.data.length) };
    paintStamp(painted, 1234.5);
    expect([...painted.data]).toEqual(
      [...image.data].map((value, at) => (at < 4 * width * linesOf(width) ? (value ? 235 : 16) : 0)),
    );
  });

  test("is read after scaling, blur, other brightness and contrast, and with edges cut off", () => {
    fc.assert(
      fc.property(time, fair(0), seed, (time, way, seed) => {
        expect(readStamp(sent(stampedPicture(640, time, seed), way, seed))).toEqual(inStamp(time));
      }),
      { numRuns },
    );
  });

  test("is read in the same with noise, but for one in fifty: of some, chance makes a cell grey", () => {
    let refused = 0;
    fc.assert(
      fc.property(time, fair(15), seed, (time, way, seed) => {
        const stamp = readStamp(sent(stampedPicture(640, time, seed), way, seed));
        if (stamp === null) refused++;
        else expect(stamp).toEqual(inStamp(time));
      }),
      { numRuns },
    );
    expect(refused).toBeLessThanOrEqual(numRuns / 50);
  });

  test("is read or refused, whatever happened to the picture, and never read as another", () => {
    let read = 0;
    fc.assert(
      fc.property(time, anyWay, seed, (time, way, seed) => {
        const stamp = readStamp(sent(stampedPicture(320, time, seed), way, seed));
        if (stamp === null) return;
        read++;
        expect(stamp).toEqual(inStamp(time));
      }),
      { numRuns: 2 * numRuns },
    );
    expect(read / (2 * numRuns)).toBeGreaterThan(0.05);
    expect(read / (2 * numRuns)).toBeLessThan(0.95);
  });
});

describe("a picture has no stamp", () => {
  test("in which one to five cells are wrong", () => {
    const wrong = fc.uniqueArray(fc.nat(47), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(time, seed, wrong, (time, seed, wrong) => {
        const picture = stampedPicture(160, time, seed);
        for (const bit of wrong) invert(picture, bit);
        expect(readStamp(picture)).toBeNull();
      }),
      { numRuns },
    );
  });

  test("in which any cells are wrong, but for one in 2^16", () => {
    const random = randomOf(1);
    let misread = 0;
    for (let run = 0; run < RUNS; run++) {
      const picture = stampedPicture(96, 1e13 * random(), run);
      for (let bit = 0; bit < 48; bit++) if (random() < 0.5) invert(picture, bit);
      if (readStamp(picture) !== null) misread++;
    }
    expect(misread).toBeLessThanOrEqual(3 + (2 * RUNS) / 2 ** 16);
  });

  test("in which a cell is grey, although nearer to its own side", () => {
    fc.assert(
      fc.property(time, seed, fc.nat(47), (time, seed, bit) => {
        const picture = stampedPicture(160, time, seed);
        fillCell(picture, columnOf(bit), rowOf(bit), (luma) => (luma > 125 ? 145 : 105));
        expect(readStamp(picture)).toBeNull();
      }),
      { numRuns },
    );
  });

  test("in which one guard is wrong", () => {
    for (const column of [0, 1, 2, 3, 28, 29, 30, 31])
      for (const row of [0, 1]) {
        const picture = stampedPicture(160, 1234.5, 1);
        fillCell(picture, column, row, (luma) => 251 - luma);
        expect(readStamp(picture)).toBeNull();
      }
  });

  test("in which black and white are almost the same", () => {
    const picture = stampedPicture(160, 1234.5, 1);
    const dim = (contrast: number) => plane(160, picture.height, (x, y) => 128 + contrast * at(picture, x, y));
    expect(readStamp(dim(0.15))).toEqual({ time: 1234.5 });
    expect(readStamp(dim(0.08))).toBeNull();
  });

  test("that is noise", () => {
    const random = randomOf(2);
    for (let run = 0; run < RUNS; run++) expect(readStamp(plane(96, 6, () => (random() < 0.5 ? 16 : 235)))).toBeNull();
  });

  test("that is halfway between two; from one to the other it is one of them or none", () => {
    fc.assert(
      fc.property(time, time, seed, share(0, 1), (one, other, seed, weight) => {
        const [a, b] = [one, other].map((time) => stampedPicture(160, time, seed)) as [Plane, Plane];
        const mixed = (weight: number) =>
          plane(160, a.height, (x, y) => (1 - weight) * at(a, x, y) + weight * at(b, x, y));
        fc.pre(inStamp(one).time !== inStamp(other).time);
        expect(readStamp(mixed(0.5))).toBeNull();
        expect([null, inStamp(one), inStamp(other)]).toContainEqual(readStamp(mixed(weight)));
      }),
      { numRuns },
    );
  });

  test("that is flat, too small or empty", () => {
    for (const size of [0, 1, 5, 31, 320]) {
      expect(readStamp(plane(size, size, () => 90))).toBeNull();
      expect(readStamp(plane(size, 1, (x) => 235 * (x % 2)))).toBeNull();
    }
    const cut = stampedPicture(320, 1, 1);
    expect(readStamp({ ...cut, height: 10 })).toBeNull();
  });
});

describe("since", () => {
  test("is the time that passed, also where stamps begin again", () => {
    fc.assert(
      fc.property(time, fc.integer({ min: -100_000, max: 1e8 }), (time, passed) => {
        expect(since(inStamp(time), time + passed)).toBeCloseTo(passed, 1);
      }),
    );
  });
});

function columnOf(bit: number): number {
  return 4 + (bit % 24);
}

function rowOf(bit: number): number {
  return Math.floor(bit / 24);
}

/** Makes a bit's cell black where it was white, and white where it was black. */
function invert(picture: Plane, bit: number): void {
  fillCell(picture, columnOf(bit), rowOf(bit), (luma) => 251 - luma);
}

function fillCell({ data, width }: Plane, column: number, row: number, change: (luma: number) => number): void {
  const edge = (cell: number) => Math.round((cell * width) / 32);
  for (let y = edge(row); y < edge(row + 1); y++)
    for (let x = edge(column); x < edge(column + 1); x++) data[y * width + x] = change(data[y * width + x]!);
}
