import fc from "fast-check";
import { expect, test } from "vitest";
import { arrange, type Cast, type Place, type Plan } from "./arrange.ts";

const OWN = "own";

function cast(change: Partial<Cast> = {}): Cast {
  return { room: { width: 1256, height: 600 }, large: [], small: [], page: 0, speaker: null, own: OWN, ...change };
}

const people = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`);

const phone = { width: 366, height: 560 };
const landscape = { width: 724, height: 230 };
const smallest = { width: 304, height: 380 };

test("up to sixteen stand on one page where there is room for them", () => {
  expect(arrange(cast({ small: people(16) })).pages).toBe(1);
  const plan = arrange(cast({ small: people(17) }));
  expect([plan.pages, plan.places.size]).toEqual([2, 9]);
});

test.each([
  [phone, 8, 1],
  [smallest, 8, 1],
  [smallest, 9, 2],
  [landscape, 6, 1],
  [landscape, 10, 2],
])("in %j, %i tiles take %i pages and can be read", (room, count, pages) => {
  const plan = arrange(cast({ room, small: people(count) }));
  expect(plan.pages).toBe(pages);
  for (const { width } of plan.places.values()) expect(width).toBeGreaterThanOrEqual(144);
});

test("pages show everybody once, as full as one another", () => {
  const small = people(20);
  const shown = [0, 1].map((page) => [...arrange(cast({ small, page })).places.keys()]);
  expect(shown.map(({ length }) => length)).toEqual([10, 10]);
  expect(shown.flat()).toEqual(small);
});

test("a page that there is no more is the last one", () => {
  const plan = arrange(cast({ small: people(20), page: 7 }));
  expect(plan.page).toBe(1);
  expect(plan.places.has("p19")).toBe(true);
});

test("who speaks comes to the page that is seen: where there is room, or in the place of one that is not this person's", () => {
  const small = [...people(17), OWN];
  const first = arrange(cast({ small, speaker: "p15" }));
  expect([...first.places.keys()]).toEqual([...people(8), "p15"]);
  const last = arrange(cast({ small, page: 1, speaker: "p2" }));
  expect([...last.places.keys()].slice(-2)).toEqual(["p2", OWN]);
  expect(arrange(cast({ small, speaker: "p3" })).places).toEqual(arrange(cast({ small })).places);
  const [two, one] = [
    { width: 384, height: 160 },
    { width: 304, height: 140 },
  ].map((room) => {
    const { places, pages } = arrange(cast({ room, small: ["p0", "p1", OWN], page: 1, speaker: "p0" }));
    return { pages, seen: [...places.keys()] };
  });
  expect(two).toEqual({ pages: 2, seen: ["p0", OWN] });
  expect(one, "where the others would never be seen").toEqual({ pages: 3, seen: ["p1"] });
});

test("a screen takes the room that the strip leaves, and a person as much of it as 16:9 fills", () => {
  const small = people(3);
  const screen = arrange(cast({ large: [{ id: "s", fills: true }], small })).places.get("s");
  const person = arrange(cast({ large: [{ id: "s", fills: false }], small })).places.get("s");
  expect(screen?.height).toBe(600);
  expect((person?.width ?? 0) / (person?.height ?? 1)).toBeCloseTo(16 / 9);
  expect(person?.width).toBeLessThanOrEqual(screen?.width ?? 0);
});

test("on an upright phone the others stand below what is large", () => {
  const { places } = arrange(cast({ room: phone, large: [{ id: "s", fills: true }], small: people(2) }));
  const [screen, other] = [places.get("s"), places.get("p0")];
  expect(other?.y).toBeGreaterThan((screen?.y ?? 0) + (screen?.height ?? 0));
});

test("two that are large are equally large", () => {
  const large = [
    { id: "a", fills: false },
    { id: "b", fills: false },
  ];
  for (const room of [phone, landscape, { width: 3800, height: 1900 }]) {
    const { places } = arrange(cast({ room, large, small: people(2) }));
    expect(places.get("a")?.width).toBe(places.get("b")?.width);
  }
});

test("where there is no room yet nothing has a place", () => {
  expect(arrange(cast({ room: { width: 0, height: 0 }, small: people(3) })).places.size).toBe(0);
});

const rooms = fc.record({ width: fc.integer({ min: 288, max: 3840 }), height: fc.integer({ min: 160, max: 2160 }) });
const casts = fc
  .record({
    room: rooms,
    large: fc.array(fc.boolean(), { maxLength: 2 }),
    count: fc.integer({ min: 0, max: 50 }),
    page: fc.integer({ min: -1, max: 12 }),
    speaker: fc.option(fc.integer({ min: 0, max: 50 })),
  })
  .map(({ large, count, speaker, ...rest }) =>
    cast({
      ...rest,
      large: large.map((fills, at) => ({ id: `large ${at}`, fills })),
      small: people(count),
      speaker: speaker === null ? null : `p${speaker}`,
    }),
  );

const edges = ({ x, y, width, height }: Place) => ({ left: x, top: y, right: x + width, bottom: y + height });

function overlap(one: Place, other: Place): boolean {
  const [a, b] = [edges(one), edges(other)];
  const slack = 0.01;
  return a.left < b.right - slack && b.left < a.right - slack && a.top < b.bottom - slack && b.top < a.bottom - slack;
}

const all = ({ places, pager }: Plan) => [...places.values(), ...(pager === null ? [] : [pager])];

test("in any room nothing covers anything, and everything is inside", () => {
  fc.assert(
    fc.property(casts, (cast) => {
      const places = all(arrange(cast));
      for (const [at, place] of places.entries()) {
        const { left, top, right, bottom } = edges(place);
        expect(Math.min(left, top)).toBeGreaterThan(-0.01);
        expect(right).toBeLessThan(cast.room.width + 0.01);
        expect(bottom).toBeLessThan(cast.room.height + 0.01);
        expect(Math.min(place.width, place.height)).toBeGreaterThan(0);
        for (const other of places.slice(at + 1)) expect(overlap(place, other)).toBe(false);
      }
    }),
  );
});

test("in any room everybody is on some page, and who speaks on each that holds more than one", () => {
  fc.assert(
    fc.property(casts, (cast) => {
      const { pages } = arrange({ ...cast, page: 0 });
      const shown = new Set(
        Array.from({ length: pages }, (_, page) => [...arrange({ ...cast, page, speaker: null }).places.keys()]).flat(),
      );
      expect(shown.size).toBe(cast.small.length + cast.large.length);
      const { speaker } = cast;
      const holdsMore = pages < cast.small.length || cast.page < 1;
      if (speaker !== null && holdsMore && cast.small.includes(speaker))
        expect(arrange(cast).places.has(speaker)).toBe(true);
    }),
  );
});
