import { openDB } from "idb";
import { afterEach, expect, test, vi } from "vitest";
import { newLink } from "../shared/link.ts";
import { LinkStore } from "./link-store.ts";

afterEach(() => void vi.useRealTimers());

test("a link is there after a reload, until it is forgotten", async () => {
  const { room, secret } = await newLink(1);
  await new LinkStore().keep(room, secret);
  expect(await new LinkStore().recall(room)).toBe(secret);
  await new LinkStore().forget(room);
  expect(await new LinkStore().recall(room)).toBeNull();
});

test("after 24 hours it is gone, from the disk too", async () => {
  const { room, secret } = await newLink(1);
  const store = new LinkStore();
  await store.keep(room, secret);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 60 * 60 * 1000 + 1 });
  expect(await store.recall(room)).toBeNull();
  const database = await openDB("sealcast-links");
  // Nobody waits for what is deleted.
  await vi.waitFor(async () => expect(await database.getAllKeys("values")).not.toContain(room));
});

test("the disk holds neither the secret nor a key that can be read", async () => {
  const { room, secret } = await newLink(1);
  await new LinkStore().keep(room, secret);
  const database = await openDB("sealcast-links");
  const [key] = (await database.getAll("key")) as CryptoKey[];
  expect(key?.extractable).toBe(false);
  const link = (await database.get("values", room)) as { sealed: ArrayBuffer };
  // 32 bytes and the tag.
  expect(link.sealed.byteLength).toBe(48);
  const other = await newLink(1);
  await database.put("values", link, other.room);
  expect(await new LinkStore().recall(other.room)).toBeNull();
});
