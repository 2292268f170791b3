import { ManualClock, milli } from "@sealcast/time";
import { expect, it } from "vitest";
import { SAMPLE_RATE } from "./sample-rate.ts";
import { UtteranceQueue } from "./utterance-queue.ts";

/** An engine that takes as long as the test says, and what is told. */
function open(transcribes: (sound: Float32Array) => Promise<string>) {
  const clock = new ManualClock();
  const told: unknown[] = [];
  const queue = new UtteranceQueue(clock, {
    transcribe: transcribes,
    caption: (source, text) => told.push(`${source}: ${text}`),
    cost: (share) => told.push(Math.round(100 * share)),
    behind: (isBehind) => told.push(isBehind ? "behind" : "goes on"),
    failed: () => told.push("failed"),
  });
  return { clock, queue, told };
}

/** One that answers when it is let. */
function held() {
  const waiting: ((text: string) => void)[] = [];
  const transcribe = () => new Promise<string>((resolve) => waiting.push(resolve));
  const answer = async (text: string) => {
    waiting.shift()?.(text);
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  return { transcribe, answer, waiting };
}

const seconds = (count: number) => new Float32Array(count * SAMPLE_RATE);

it("makes words of one utterance at a time, in their order", async () => {
  const { transcribe, answer, waiting } = held();
  const { queue, told } = open(transcribe);
  queue.add("ada", seconds(3));
  queue.add("ben", seconds(3));
  expect(waiting).toHaveLength(1);
  await answer("one");
  expect(waiting).toHaveLength(1);
  await answer("two");
  expect(told).toEqual(["ada: one", "ben: two"]);
});

it("an utterance without words is no caption", async () => {
  const { transcribe, answer } = held();
  const { queue, told } = open(transcribe);
  queue.add("ada", seconds(3));
  await answer("");
  expect(told).toEqual([]);
});

it("more than 15 s of sound that waits is dropped, nothing is taken for 10 s, and then it goes on", async () => {
  const { transcribe, answer, waiting } = held();
  const { queue, told, clock } = open(transcribe);
  for (let i = 0; i < 4; i++) queue.add("ada", seconds(7));
  expect(told).toEqual(["behind"]);
  queue.add("ada", seconds(1));
  await answer("the first");
  expect(waiting).toEqual([]);
  clock.advance(milli(10_000));
  queue.add("ada", seconds(1));
  await answer("the next");
  expect(told).toEqual(["behind", "ada: the first", "goes on", "ada: the next"]);
});

it("a computer that is too slow again rests twice as long", () => {
  const { queue, told, clock } = open(() => new Promise(() => {}));
  const flood = () => {
    for (let i = 0; i < 4; i++) queue.add("ada", seconds(7));
  };
  flood();
  clock.advance(milli(10_000));
  flood();
  clock.advance(milli(10_000));
  expect(told).toEqual(["behind", "goes on", "behind"]);
  clock.advance(milli(10_000));
  expect(told.at(-1)).toBe("goes on");
});

it("of a source that is forgotten no words come, neither of what waits nor of what is under way", async () => {
  const { transcribe, answer } = held();
  const { queue, told } = open(transcribe);
  queue.add("ada", seconds(1));
  queue.add("ada", seconds(1));
  queue.add("ben", seconds(1));
  queue.forget("ada");
  await answer("gone");
  await answer("stays");
  expect(told).toEqual(["ben: stays"]);
});

it("an engine that throws has failed: it is told once, and nothing more is tried", async () => {
  let tries = 0;
  const { queue, told } = open(() => {
    tries += 1;
    return Promise.reject(new Error("out of memory"));
  });
  queue.add("ada", seconds(1));
  queue.add("ada", seconds(1));
  for (let i = 0; i < 10; i++) await Promise.resolve();
  queue.add("ada", seconds(1));
  expect([told, tries]).toEqual([["failed"], 1]);
});

it("tells its share of the last 30 s", async () => {
  const { transcribe, answer } = held();
  const { queue, told, clock } = open(transcribe);
  clock.advance(milli(60_000));
  queue.add("ada", seconds(7));
  clock.advance(milli(3_000));
  await answer("");
  queue.tellCost();
  clock.advance(milli(40_000));
  queue.tellCost();
  expect(told).toEqual([10, 0]);
});
