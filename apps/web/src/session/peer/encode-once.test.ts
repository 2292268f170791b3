import { expect, test, vi } from "vitest";
import { EncodeOnce } from "./encode-once.ts";

async function tried(can: (codec: string) => boolean) {
  const changed = vi.fn();
  const encoding = new EncodeOnce(changed, async (codec) => can(codec));
  encoding.isOnce(2, "video/vp8");
  await vi.waitFor(() => expect(changed).toHaveBeenCalled());
  return { encoding, changed };
}

test("for each until it is known that once for all works, then once from the second receiver on, and back", async () => {
  const encoding = new EncodeOnce(
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

test("for each for the rest of the call once it has failed", async () => {
  const { encoding, changed } = await tried(() => true);
  changed.mockClear();
  encoding.fail();
  expect(changed).toHaveBeenCalledOnce();
  expect(encoding.isOnce(3, "video/vp8")).toBe(false);
});
