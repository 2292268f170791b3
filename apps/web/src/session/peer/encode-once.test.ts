import { ManualClock, milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { EncodeOnce } from "./encode-once.ts";

async function tried(can: (codec: string) => boolean) {
  const changed = vi.fn();
  const clock = new ManualClock();
  const encoding = new EncodeOnce(clock, changed, async (codec) => can(codec));
  encoding.isOnce(2, "video/vp8");
  await vi.waitFor(() => expect(changed).toHaveBeenCalled());
  return { encoding, changed, clock };
}

test("for each until it is known that once for all works, then once from the second receiver on, and back", async () => {
  const encoding = new EncodeOnce(
    new ManualClock(),
    () => undefined,
    () => new Promise(() => undefined),
  );
  expect(encoding.isOnce(2, "video/vp8")).toBe(false);
  const { encoding: known } = await tried(() => true);
  expect([0, 1, 2, 7, 2, 1].map((receivers) => known.isOnce(receivers, "video/vp8"))).toEqual([
    false,
    false,
    true,
    true,
    true,
    false,
  ]);
});

test("for each where the browser cannot, and in a codec that it cannot", async () => {
  const { encoding } = await tried((codec) => codec !== "video/vp8");
  expect(encoding.isOnce(3, "video/vp8")).toBe(false);
  encoding.isOnce(3, "video/vp9");
  await vi.waitFor(() => expect(encoding.isOnce(3, "video/vp9")).toBe(true));
});

test("for each once it has failed, and tried again after 10 s, then 20, as long as the call lasts", async () => {
  const { encoding, changed, clock } = await tried(() => true);
  changed.mockClear();
  for (const seconds of [10, 20, 40]) {
    // Each of its encoders says so.
    for (let size = 0; size < 3; size++) encoding.fail();
    expect(changed).toHaveBeenCalledOnce();
    expect(encoding.isOnce(3, "video/vp8")).toBe(false);
    clock.advance(milli(1_000 * seconds - 1));
    expect(encoding.isOnce(3, "video/vp8")).toBe(false);
    clock.advance(milli(1));
    expect([encoding.isOnce(3, "video/vp8"), changed.mock.calls.length]).toEqual([true, 2]);
    changed.mockClear();
  }
  encoding.fail();
  encoding.close();
  clock.advance(milli(600_000));
  expect(encoding.isOnce(3, "video/vp8")).toBe(false);
});
