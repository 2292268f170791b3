import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import type { EffectCost, FromEffect } from "../shared/messages.ts";
import { EffectWorker } from "./effect-worker.ts";

/** Says what a test has it say, and notes whether it was ended. */
class FakeWorker extends EventTarget {
  isEnded = false;
  postMessage = () => undefined;
  terminate = () => {
    this.isEnded = true;
  };
  say = (data: FromEffect) => this.dispatchEvent(new MessageEvent("message", { data }));
}

function started() {
  const [clock, fake, said] = [new ManualClock(), new FakeWorker(), [] as string[]];
  const worker = new EffectWorker(fake as unknown as Worker, clock, {
    loading: (share) => said.push(`loading ${share}`),
    running: () => said.push("running"),
    cost: () => said.push("cost"),
    failed: (why) => said.push(`failed: ${why}`),
  });
  return { clock, fake, said, worker };
}

test("has started once the first frame has come out", async () => {
  const { fake, said, worker } = started();
  fake.say({ type: "loading", share: 0.5 });
  fake.say({ type: "running" });
  expect(await worker.started).toBe(true);
  expect(said).toEqual(["loading 0.5", "running"]);
});

test("one that was ended from outside, without a word, has failed within five seconds, once", async () => {
  const { clock, fake, said } = started();
  fake.say({ type: "running" });
  for (let looks = 0; looks < 20; looks++) {
    clock.advance(milli(500));
    if (looks < 6) fake.say({ type: "cost", cost: null });
    if (looks === 6 + 8) expect(said.at(-1)).toBe("failed: failed");
  }
  expect(said.filter((one) => one.startsWith("failed"))).toEqual(["failed: failed"]);
  expect(fake.isEnded).toBe(true);
});

test("loading may take a minute, in which it says nothing", () => {
  const { clock, said, fake } = started();
  clock.advance(milli(59_000));
  expect(said).toEqual([]);
  clock.advance(milli(3_000));
  expect(said).toEqual(["failed: failed"]);
  expect(fake.isEnded).toBe(true);
});

test("one that has loaded and gets nothing of its device within twenty seconds has failed, however often it says so", async () => {
  const { clock, said, fake, worker } = started();
  const cost = { msPerFrame: 5, share: 0.1, delayMs: 5, framesPerSecond: 30 };
  const wait = (halves: number, says: EffectCost | null) => {
    for (let half = 0; half < halves; half++) {
      fake.say({ type: "cost", cost: says });
      clock.advance(milli(500));
    }
  };
  wait(39, null);
  wait(1, cost);
  wait(39, null);
  expect(
    said.filter((one) => one !== "cost"),
    "something came",
  ).toEqual([]);
  wait(1, null);
  expect([said.at(-1), await worker.started]).toEqual(["failed: failed", false]);
});

test("one whose device ends before the first frame has failed; after it, it has not", async () => {
  for (const [runs, says] of [
    [false, "failed: failed"],
    [true, "running"],
  ] as const) {
    const { fake, said, worker } = started();
    if (runs) fake.say({ type: "running" });
    fake.say({ type: "ended" });
    expect(said).toEqual([says]);
    expect(await worker.started).toBe(runs);
  }
});

test("an error, and its own word that it failed, end it with that; nothing that it says later counts", async () => {
  for (const [break_, why] of [
    [(fake: FakeWorker) => fake.dispatchEvent(new Event("error")), "failed"],
    [(fake: FakeWorker) => fake.say({ type: "failed", why: "silent" }), "silent"],
  ] as const) {
    const { fake, said, worker } = started();
    break_(fake);
    fake.say({ type: "running" });
    expect(said).toEqual([`failed: ${why}`]);
    expect(await worker.started).toBe(false);
  }
});

test("closed before it has started, it has not failed", async () => {
  const { clock, said, worker, fake } = started();
  worker.close();
  clock.advance(milli(100_000));
  expect([said, await worker.started, fake.isEnded]).toEqual([[], false, true]);
});
