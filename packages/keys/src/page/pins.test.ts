import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Pin, PinStore } from "./pins.ts";

/** What lies on the disk; the real one is tried in pins.browser.test.ts. */
const disk = vi.hoisted(() => new Map<string, Uint8Array>());

vi.mock("./sealed-store.ts", () => ({
  SealedStore: class {
    readonly #database: string;
    constructor(database: string) {
      this.#database = database;
    }
    recall = async (name: string): Promise<Uint8Array | null> => disk.get(`${this.#database}/${name}`) ?? null;
    keep = async (name: string, value: Uint8Array, expires: number): Promise<void> => {
      expect(expires).toBe(Number.POSITIVE_INFINITY);
      disk.set(`${this.#database}/${name}`, value);
    };
  },
}));

describe("a browser", () => {
  const key = (i: number): string => i.toString(16).padStart(64, "0");
  const person = (i: number, verified = false): Pin => ({ identity: key(i), name: `${i}`, verified });
  const onDisk = (people: unknown): void => {
    disk.set("sealcast-people/people", new TextEncoder().encode(JSON.stringify(people)));
  };

  beforeEach(() => {
    disk.clear();
    vi.stubGlobal("navigator", { locks: { request: (_: string, task: () => Promise<void>) => task() } });
  });
  afterEach(() => vi.unstubAllGlobals());

  test("knows nobody at first, and then the latest first", async () => {
    expect(await new PinStore().all()).toEqual([]);
    for (const pin of [person(1), person(2), person(1, true)]) await new PinStore().keep(pin);
    expect(await new PinStore().all()).toEqual([person(1, true), person(2)]);
  });

  test("knows nobody by a list that is none", async () => {
    for (const people of [{}, [{ ...person(1), identity: "1" }], [{ ...person(1), more: 1 }], [{ identity: key(1) }]]) {
      onDisk(people);
      expect(await new PinStore().all()).toEqual([]);
    }
    for (const identity of [`${key(1)}0`, `0${key(1)}`, key(1).toUpperCase().replace("0", "A")]) {
      onDisk([{ ...person(1), identity }]);
      expect(await new PinStore().all()).toEqual([]);
    }
  });

  test("knows a thousand, and forgets the oldest that it never verified first", async () => {
    const known = Array.from({ length: 999 }, (_, i) => person(i, i >= 500));
    onDisk(known);
    await new PinStore().keep(person(1_000, true));
    expect(await new PinStore().all()).toHaveLength(1_000);
    await new PinStore().keep(person(1_001, true));
    const kept = await new PinStore().all();
    expect(kept).toEqual([person(1_001, true), person(1_000, true), ...known.filter((_, i) => i !== 499)]);
  });

  test("forgets nobody it verified for someone it did not", async () => {
    const known = Array.from({ length: 1_000 }, (_, i) => person(i, true));
    onDisk(known);
    await new PinStore().keep(person(1_000));
    expect(await new PinStore().all()).toEqual(known);
  });

  test("forgets the oldest where all were verified, and itself never", async () => {
    const known = Array.from({ length: 1_000 }, (_, i) => person(i, true));
    onDisk(known);
    await new PinStore().keep(person(1_000, true));
    expect(await new PinStore().all()).toEqual([person(1_000, true), ...known.slice(0, -1)]);
    onDisk([person(0, false), ...known.slice(1)]);
    await new PinStore().keep(person(1_000, true));
    expect(await new PinStore().all()).toEqual([person(1_000, true), ...known.slice(1)]);
  });
});
