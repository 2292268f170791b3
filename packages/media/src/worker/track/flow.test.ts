import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { flow } from "./flow.ts";
import type { EncodedFrame } from "./frame-writer.ts";
import { WorkerLoad } from "./worker-load.ts";

/** A frame as far as flow looks at it. */
function frame(name: string, type?: "key" | "delta"): EncodedFrame & { name: string } {
  return { name, ...(type && { type }) } as unknown as EncodedFrame & { name: string };
}

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

/** Puts all frames in at once; working on each takes `cost` milliseconds. */
async function run(kind: "audio" | "video", frames: EncodedFrame[], cost: (name: string) => number) {
  const worked: string[] = [];
  let late = 0;
  let finish: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const done = () => worked.length + late === frames.length && finish();
  const readable = new ReadableStream<EncodedFrame>({
    start(controller) {
      for (const each of frames) controller.enqueue(each);
      controller.close();
    },
  });
  // Reads everything before the first frame is done, as a real stream does while encryption takes its time.
  const read = new Promise<void>((resolve) => {
    setTimeout(resolve);
  });
  const ended = flow(
    readable,
    {
      kind,
      load: new WorkerLoad(clock),
      came: () => undefined,
      async frame(each) {
        await read;
        const { name } = each as unknown as { name: string };
        clock.advance(milli(cost(name)));
        worked.push(name);
        done();
      },
      late() {
        late++;
        done();
      },
    },
    clock,
  );
  await Promise.all([ended, all]);
  return { worked, late };
}

describe("flow", () => {
  it("works on every frame in order while it keeps up", async () => {
    const frames = ["a", "b", "c"].map((name) => frame(name, "delta"));
    expect(await run("video", frames, () => 10)).toEqual({ worked: ["a", "b", "c"], late: 0 });
  });

  it("leaves out video that waited past the deadline, up to the next key frame in time", async () => {
    const frames = [frame("a", "key"), frame("b", "delta"), frame("c", "key"), frame("d", "delta")];
    const { worked, late } = await run("video", frames, (name) => (name === "a" ? 150 : 0));
    expect({ worked, late }).toEqual({ worked: ["a"], late: 3 });
  });

  it("goes on from a key frame that came in time", async () => {
    let tooSlow = true;
    const source = new TransformStream<EncodedFrame, EncodedFrame>();
    const writer = source.writable.getWriter();
    const worked: string[] = [];
    let late = 0;
    const ended = flow(
      source.readable,
      {
        kind: "video",
        load: new WorkerLoad(clock),
        came: () => undefined,
        async frame(each) {
          worked.push((each as unknown as { name: string }).name);
          await vi.waitUntil(() => !tooSlow);
        },
        late: () => late++,
      },
      clock,
    );
    await writer.write(frame("key 1", "key"));
    await writer.write(frame("delta 1", "delta"));
    await writer.write(frame("delta 2", "delta"));
    clock.advance(milli(150));
    tooSlow = false;
    await vi.waitUntil(() => late === 2);
    for (const next of [frame("delta 3", "delta"), frame("key 2", "key"), frame("delta 4", "delta")])
      await writer.write(next);
    await writer.close();
    await ended;
    expect(worked).toEqual(["key 1", "key 2", "delta 4"]);
    expect(late).toBe(3);
  });

  it("leaves out only the audio frames that are late themselves", async () => {
    const frames = ["a", "b"].map((name) => frame(name));
    expect(await run("audio", frames, () => 150)).toEqual({ worked: ["a"], late: 1 });
  });
});
