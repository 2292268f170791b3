import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import type { PlayerFrame } from "../shared/messages.ts";
import { Drops } from "./drops.ts";
import { SoundBuffer } from "./sound-buffer.ts";

const packet = (atMs: number, bytes = 100): PlayerFrame => ({
  track: "audio",
  group: 0,
  index: 0,
  timestampUs: 1_000 * atMs,
  data: new Uint8Array(bytes),
  receivedAtMs: milli(0),
});

function filled(times: readonly number[], bytes = 100) {
  const drops = new Drops();
  const buffer = new SoundBuffer(drops);
  for (const at of times) buffer.push(packet(at, bytes));
  const all = (playedMs: number) => {
    const taken: number[] = [];
    for (let one = buffer.take(playedMs, 100); one !== null; one = buffer.take(playedMs, 100))
      taken.push(one.timestampUs / 1_000);
    return taken;
  };
  return { buffer, drops: drops.counts, all };
}

test("packets are taken in the order in which they came, a little before their time; one whose time falls is left out", () => {
  const { buffer, all, drops } = filled([20, 0, 60, 40, 60, 140]);
  expect(all(0)).toEqual([20, 60]);
  buffer.push(packet(80));
  expect(all(100)).toEqual([140]);
  buffer.push(packet(140));
  buffer.push(packet(160));
  expect(all(100)).toEqual([160]);
  expect(drops).toEqual({ late: 5 });
});

test("what is over is left out", () => {
  const { all, drops } = filled([0, 20, 40, 60, 80, 100]);
  expect(all(110)).toEqual([60, 80, 100]);
  expect(drops).toEqual({ late: 3 });
});

test("of too much the oldest goes", () => {
  expect(filled(Array.from({ length: 700 }, (_, i) => 20 * i)).drops).toEqual({ overflow: 100 });
  expect(filled([0, 20, 40], 2 << 20).drops).toEqual({ overflow: 1 });
});
