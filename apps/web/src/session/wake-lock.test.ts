import { ManualClock, milli } from "@sealcast/time";
import { afterEach, expect, test, vi } from "vitest";
import { Lifetime } from "./lifetime.ts";
import { keepAwake } from "./wake-lock.ts";

afterEach(() => vi.unstubAllGlobals());

/** A page, and the screen's locks that it has taken: each is held until it is let go. */
function page({ refuses = false } = {}) {
  const locks: { released: boolean; release(): Promise<void> }[] = [];
  const request = async () => {
    if (refuses) throw new DOMException("", "NotAllowedError");
    const lock = {
      released: false,
      release: async () => {
        lock.released = true;
      },
    };
    locks.push(lock);
    return lock;
  };
  const shown = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", shown);
  vi.stubGlobal("navigator", { wakeLock: { request } });
  const clock = new ManualClock();
  const life = new Lifetime(clock);
  const call = { isNeeded: true };
  keepAwake(life, () => call.isNeeded);
  const after = async (seconds: number) => {
    clock.advance(milli(1_000 * seconds));
    await Promise.resolve();
    await Promise.resolve();
  };
  const show = async (is: "visible" | "hidden") => {
    shown.visibilityState = is;
    if (is === "hidden") for (const lock of locks) lock.released = true;
    shown.dispatchEvent(new Event("visibilitychange"));
    await after(0);
  };
  return { life, call, after, show, held: () => locks.filter(({ released }) => !released).length, locks };
}

test("the screen stays on during a call, with one lock, and not after it", async () => {
  const { call, after, held, locks, life } = page();
  await after(30);
  expect([held(), locks.length]).toEqual([1, 1]);
  call.isNeeded = false;
  await after(5);
  expect(held()).toBe(0);
  call.isNeeded = true;
  await after(5);
  expect(held()).toBe(1);
  life.end();
  expect(held()).toBe(0);
});

test("the lock that the browser takes back from a hidden page is taken again when it shows", async () => {
  const { after, show, held } = page();
  await after(0);
  await show("hidden");
  await after(10);
  expect(held()).toBe(0);
  await show("visible");
  expect(held()).toBe(1);
});

test("where it is refused, or there is none, nothing breaks", async () => {
  const { after, held } = page({ refuses: true });
  await after(20);
  expect(held()).toBe(0);
  vi.stubGlobal("navigator", {});
  expect(() => keepAwake(new Lifetime(new ManualClock()), () => true)).not.toThrow();
});
