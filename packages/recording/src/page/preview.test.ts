import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import type { FromPreview } from "../shared/messages.ts";
import { previewOf } from "./preview.ts";

class WorkerDouble extends EventTarget {
  isEnded = false;
  postMessage(): void {}
  terminate(): void {
    this.isEnded = true;
  }
  say(data: FromPreview): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

const THUMBNAIL = Uint8Array.of(1);

test.each([
  ["the worker is done", ({ worker }: Scene) => worker.say({ type: "thumbnail", thumbnail: THUMBNAIL }), THUMBNAIL],
  ["the worker fails", ({ worker }: Scene) => void worker.dispatchEvent(new Event("error")), null],
  ["it takes too long", ({ clock }: Scene) => clock.advance(milli(20_000)), null],
  ["it is cancelled", ({ cancelling }: Scene) => cancelling.abort(), null],
])("what was found by then is told, and the worker ended, where %s", async (_, end, thumbnail) => {
  const scene = { worker: new WorkerDouble(), clock: new ManualClock(), cancelling: new AbortController() };
  const { worker, clock, cancelling } = scene;
  const preview = previewOf(new Blob([]), () => worker as unknown as Worker, cancelling.signal, clock);
  worker.say({ type: "seconds", seconds: 7 });
  end(scene);
  expect(await preview).toEqual({ seconds: 7, thumbnail });
  expect(worker.isEnded).toBe(true);
});

interface Scene {
  worker: WorkerDouble;
  clock: ManualClock;
  cancelling: AbortController;
}
