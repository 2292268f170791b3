import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

test("tasks run one after the other in the order in which they come, and never within the call", async () => {
  const queue = new SerialQueue();
  const said: string[] = [];
  let finish: () => void = () => undefined;
  const slow = queue.run(async () => {
    said.push("slow begins");
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    said.push("slow ends");
  });
  const quick = queue.run(() => said.push("quick"));
  expect(said).toEqual([]);
  await Promise.resolve();
  expect(said).toEqual(["slow begins"]);
  finish();
  await Promise.all([slow, quick]);
  expect(said).toEqual(["slow begins", "slow ends", "quick"]);
});

test("each call gets what its own task gives", async () => {
  const queue = new SerialQueue();
  expect(await Promise.all([queue.run(() => 1), queue.run(async () => "two"), queue.run(() => null)])).toEqual([
    1,
    "two",
    null,
  ]);
});

test("a task that fails is heard of by its own caller alone, and the next one runs", async () => {
  const queue = new SerialQueue();
  const thrown = queue.run(() => {
    throw new Error("at once");
  });
  const rejected = queue.run(() => Promise.reject(new Error("later")));
  const next = queue.run(() => "next");
  await expect(thrown).rejects.toThrow("at once");
  await expect(rejected).rejects.toThrow("later");
  expect(await next).toBe("next");
});

test("a task that is added by another one runs after those that were there before", async () => {
  const queue = new SerialQueue();
  const said: string[] = [];
  let added: Promise<unknown> | null = null;
  const adding = queue.run(() => {
    added = queue.run(() => said.push("added"));
  });
  await Promise.all([adding, queue.run(() => said.push("second"))]);
  await added;
  expect(said).toEqual(["second", "added"]);
});
