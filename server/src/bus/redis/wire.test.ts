import { setImmediate as turn } from "node:timers/promises";
import { ManualClock } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { envelopeOf, Sealing } from "./sealing.ts";
import type { StoreSession } from "./store.ts";
import { GATHER, type NodeLine, Wire } from "./wire.ts";

const secret = Buffer.alloc(32, 7);
const [own, other] = ["a".repeat(22), "b".repeat(22)];

/** A wire, and what it publishes. */
function wireOf({ publish, broken }: { publish?: StoreSession["publish"]; broken?: () => void } = {}) {
  const clock = new ManualClock();
  const published: Buffer[] = [];
  const heard: NodeLine[] = [];
  const keep = async (_to: string, bytes: Buffer) => published.push(bytes) > 0;
  const wire = new Wire({
    ...{ secret, clock, node: own, session: { publish: publish ?? keep } as unknown as StoreSession },
    heard: (_from, line) => heard.push(line),
    deaf: () => {},
    broken: broken ?? (() => expect.unreachable()),
    passed: () => {},
  });
  const sealing = new Sealing(secret, own, other);
  const opened = () =>
    published.map((bytes) => sealing.open(envelopeOf(bytes) ?? expect.unreachable())?.split("\n") ?? []);
  return { clock, wire, published, opened, heard };
}

test("what is said in one turn, and then within some milliseconds, is one message: in its order, to many links once", async () => {
  const { clock, wire, opened } = wireOf();
  wire.say(other, "down", 1, "one");
  wire.say(other, "down", 2, "one");
  wire.say(other, "down", 1, "two");
  await turn();
  for (const word of ["three", "four", "five"]) {
    wire.say(other, "up", 3, word);
    await turn();
  }
  expect(opened()).toEqual([["down 1,2 one", "down 1 two"]]);
  clock.advance(GATHER);
  expect(opened().slice(1)).toEqual([["up 3 three", "up 3 four", "up 3 five"]]);
  clock.advance(GATHER);
  wire.say(other, "rest", 3, "50");
  await turn();
  expect(opened().slice(2), "after a while nothing waits").toEqual([["rest 3 50"]]);
});

test("what waits for a node is bounded, be it of many links alone, and the last words do not wait", async () => {
  const { wire, published, opened } = wireOf();
  wire.say(other, "join", 1, "x");
  await turn();
  for (let i = 0; i < 300; i++) wire.say(other, "up", 1, `${i}${"x".repeat(1_000)}`);
  expect(published.length).toBe(2);
  for (let i = 0; i < 40_000; i++) wire.say(other, "up", 1, "same");
  expect(published.length).toBe(3);
  wire.say(other, "gone", 1);
  wire.close();
  expect(opened().at(-1)?.at(-1)).toBe("gone 1 ");
});

test("where the store takes nothing, the node gets another name, once, and never while a room sends", async () => {
  const broken = vi.fn();
  const { wire } = wireOf({ publish: () => new Promise<boolean>(() => {}), broken });
  for (let i = 0; i < 40; i++) wire.say(other, "up", 1, `${i}${"x".repeat(1024 * 1024)}`);
  expect(broken).not.toHaveBeenCalled();
  await turn();
  expect(broken).toHaveBeenCalledOnce();
});

test("a word of no line is passed over, and the lines around it are heard", () => {
  const { wire, heard } = wireOf();
  const text = ["up 1,2 a b", "unheard 3 of", "up", "gone 4 "].join("\n");
  wire.receive(new Sealing(secret, other, own).seal(0, text));
  expect(heard).toEqual([
    { kind: "up", links: [1, 2], text: "a b" },
    { kind: "up", links: [0], text: "" },
    { kind: "gone", links: [4], text: "" },
  ]);
});
