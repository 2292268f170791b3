import { beforeEach, expect, it, vi } from "vitest";
import type { PlayerFigures } from "../shared/messages.ts";

vi.mock("./stream-output.ts", () => ({
  StreamOutput: { open: async () => ({ outputs: {}, close: () => undefined }) },
  transferablesOf: () => [],
}));

import { WorkerPlayer } from "./worker-player.ts";

/** Answers nothing by itself. */
class TestWorker extends EventTarget {
  posted = 0;

  postMessage(): void {
    this.posted++;
  }

  terminate(): void {}

  says(figures: Partial<PlayerFigures>): void {
    this.dispatchEvent(new MessageEvent("message", { data: { type: "figures", figures } }));
  }
}

let worker: TestWorker;
let player: WorkerPlayer;
beforeEach(async () => {
  worker = new TestWorker();
  player = await WorkerPlayer.open(worker as unknown as Worker, "smoothest", () => undefined);
});

it("answers what was asked when it is closed, and what is asked later, with the latest figures", async () => {
  const first = player.figures();
  worker.says({ shown: 7 });
  expect(await first).toEqual({ shown: 7 });
  const second = player.figures();
  player.close();
  expect(await second).toEqual({ shown: 7 });
  const posted = worker.posted;
  expect(await player.figures()).toEqual({ shown: 7 });
  expect(worker.posted).toBe(posted);
});

it("answers what was asked of a worker that fails, with nothing where it never said any", async () => {
  const asked = player.figures();
  worker.dispatchEvent(new Event("error"));
  expect(await asked).toMatchObject({ shown: 0, latenessMs: 0 });
});
