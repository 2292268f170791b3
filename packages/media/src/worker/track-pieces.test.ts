import { ManualClock, milli } from "@sealcast/time";
import { expect, it, vi } from "vitest";
import { takeEach } from "./track-pieces.ts";

function track() {
  const clock = new ManualClock();
  const cancel = vi.fn();
  let stream: ReadableStreamDefaultController<{ close(): void }> | null = null;
  const readable = new ReadableStream<{ close(): void }>({
    start(controller) {
      stream = controller;
    },
    cancel,
  });
  let isWanted = true;
  const take = vi.fn();
  const ended = takeEach(readable, take, () => isWanted, clock);
  const give = async () => {
    const piece = { close: vi.fn() };
    stream?.enqueue(piece);
    await vi.waitFor(() => expect(take.mock.calls.length + piece.close.mock.calls.length).toBeGreaterThan(0));
    return piece;
  };
  const replace = () => {
    isWanted = false;
    take.mockClear();
  };
  return { clock, cancel, take, give, replace, ended, stream: () => stream };
}

it("gives what is wanted to be closed by who takes it", async () => {
  const { take, give } = track();
  const piece = await give();
  expect(take).toHaveBeenCalledExactlyOnceWith(piece);
  expect(piece.close).not.toHaveBeenCalled();
});

it("closes what comes of a stream that was replaced soon, and cancels it only once nothing can be on its way", async () => {
  const { clock, cancel, take, give, replace, ended } = track();
  await give();
  replace();
  clock.advance(milli(3_999));
  expect((await give()).close).toHaveBeenCalledOnce();
  expect(cancel).not.toHaveBeenCalled();
  clock.advance(milli(1));
  expect((await give()).close).toHaveBeenCalledOnce();
  await ended;
  expect(cancel).toHaveBeenCalledOnce();
  expect(take).not.toHaveBeenCalled();
});

it("ends where the track ends or fails", async () => {
  const one = track();
  one.stream()?.close();
  await expect(one.ended).resolves.toBeUndefined();
  const other = track();
  other.stream()?.error(new Error("the camera is gone"));
  await expect(other.ended).resolves.toBeUndefined();
});
