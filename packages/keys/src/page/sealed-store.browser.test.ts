import { openDB } from "idb";
import { afterEach, expect, test, vi } from "vitest";
import { dropAllExpired, SealedStore } from "./sealed-store.ts";

afterEach(() => void vi.useRealTimers());

const value = Uint8Array.of(1, 2, 3);
const DAY_MS = 24 * 60 * 60 * 1000;
const names = async (database: string) => {
  const opened = await openDB(database);
  const kept = await opened.getAllKeys("values");
  opened.close();
  return kept;
};

test("what has expired is deleted in every store, though none is used, and all else stays", async () => {
  const [old, fresh] = [crypto.randomUUID(), crypto.randomUUID()];
  const stores = ["sealcast-live-about", "sealcast-links"] as const;
  for (const name of stores) {
    await new SealedStore(name).keep(old, value, Date.now() + DAY_MS);
    await new SealedStore(name).keep(fresh, value, Date.now() + 3 * DAY_MS);
  }
  await new SealedStore("sealcast-people").keep(old, value, Number.POSITIVE_INFINITY);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * DAY_MS });
  await dropAllExpired();
  // Tests of one page share its stores.
  for (const name of stores) {
    expect(await names(name)).not.toContain(old);
    expect(await names(name)).toContain(fresh);
  }
  expect(await names("sealcast-people")).toContain(old);
  expect(await new SealedStore("sealcast-links").recall(fresh)).toEqual(value);
});

test("no store is made by it", async () => {
  const before = await indexedDB.databases();
  await dropAllExpired();
  expect(await indexedDB.databases()).toEqual(before);
});
