import { openDB } from "idb";
import { beforeEach, expect, test } from "vitest";
import { type Pin, PinStore } from "./pins.ts";

const ada: Pin = { identity: "1".repeat(64), name: "Ada-Zwicknagl", verified: false };
const ben: Pin = { identity: "2".repeat(64), name: "Ben", verified: true };

beforeEach(async () => {
  // Makes the database, where it is not there yet.
  await new PinStore().all();
  const database = await openDB("sealcast-people");
  await database.clear("values");
  database.close();
});

test("people are there again, the latest first, each key once", async () => {
  await new PinStore().keep(ada);
  await new PinStore().keep(ben);
  await new PinStore().keep({ ...ada, verified: true });
  expect(await new PinStore().all()).toEqual([{ ...ada, verified: true }, ben]);
});

test("of two tabs that keep someone at once, neither loses the other's", async () => {
  await Promise.all([new PinStore().keep(ada), new PinStore().keep(ben)]);
  expect(await new PinStore().all()).toHaveLength(2);
});

test("the disk holds neither names nor keys in the clear", async () => {
  await new PinStore().keep(ada);
  const values = await (await openDB("sealcast-people")).getAll("values");
  const bytes = new TextDecoder("latin1").decode((values[0] as { sealed: ArrayBuffer }).sealed);
  expect(values).toHaveLength(1);
  expect(bytes).not.toContain("Zwicknagl");
  expect(bytes).not.toContain("111111");
});
