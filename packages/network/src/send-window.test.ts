import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { MAX_FILE_MESSAGE as PART_BYTES } from "./file-messages.ts";
import { SendWindow } from "./send-window.ts";

/** Seconds of a network that carries a number of bytes a second behind a delay, of which someone else takes a share from `others.from` on. */
function run(
  seconds: number,
  network: { bytesPerSecond: number; delayMs: number; others?: { from: number; share: number } },
) {
  const window = new SendWindow();
  const queue: { sent: number; due: number }[] = [];
  const queued: number[] = [];
  let [free, arrived] = [0, 0];
  for (let now = 0; now < seconds * 1_000; now++) {
    while (queue[0] !== undefined && queue[0].due <= now) {
      const { sent } = queue.shift()!;
      arrived += PART_BYTES;
      queued.push(now - sent - network.delayMs);
      window.arrived(PART_BYTES, milli(now - sent), milli(now));
    }
    const share = network.others !== undefined && now >= network.others.from * 1_000 ? network.others.share : 0;
    while (window.hasRoom) {
      free = Math.max(free, now) + PART_BYTES / ((network.bytesPerSecond * (1 - share)) / 1_000);
      window.sent(PART_BYTES);
      queue.push({ sent: now, due: free + network.delayMs });
    }
  }
  return { bytesPerSecond: arrived / seconds, queued: queued.slice(queued.length >> 1), window };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

test.each([
  [500_000, 20],
  [2_000_000, 40],
  [10_000_000, 10],
])("fills most of a network of %i bytes a second, and lengthens its queue by little", (bytesPerSecond, delayMs) => {
  const { bytesPerSecond: reached, queued } = run(30, { bytesPerSecond, delayMs });
  expect(reached).toBeGreaterThan(0.7 * bytesPerSecond);
  const part = (1_000 * PART_BYTES) / bytesPerSecond;
  expect(median(queued)).toBeLessThan(100 + part);
});

test("gives way when others take half of the network", () => {
  const { queued } = run(40, { bytesPerSecond: 1_000_000, delayMs: 30, others: { from: 10, share: 0.5 } });
  expect(median(queued)).toBeLessThan(130);
});

test("two parts may always be on their way, whatever the delay", () => {
  const window = new SendWindow();
  for (let at = 0; at < 400; at++) {
    if (!window.hasRoom) expect.unreachable("nothing is on its way");
    window.sent(PART_BYTES);
    window.arrived(PART_BYTES, milli(at < 20 ? 1 : 5_000), milli(at * 100));
  }
  expect(window.bytes).toBe(2 * PART_BYTES);
});

test("a page that is slow at times makes no network slow: the shortest of a few delays counts", () => {
  const window = new SendWindow();
  for (let at = 0; at < 400; at++) {
    window.sent(PART_BYTES);
    window.arrived(PART_BYTES, milli(at % 5 === 0 ? 20 : 220), milli(20 * at));
  }
  expect(window.bytes).toBeGreaterThan(10 * PART_BYTES);
});

test("however fast the network, no more than twelve megabytes a second leave", () => {
  const { bytesPerSecond } = run(10, { bytesPerSecond: 200_000_000, delayMs: 10 });
  expect(bytesPerSecond).toBeGreaterThan(5_000_000);
  expect(bytesPerSecond).toBeLessThan(14_000_000);
});
