import { expect, test } from "vitest";
import { arrivalMs, burst, lagPercent, type PacketCipher, paced } from "./bandwidth.ts";

const PACKET = new Uint8Array(1250);

/** A clock that moves by itself a little, and as much as `seal` takes. */
function machine(sealMs: (number: number) => number) {
  let ms = 5;
  const starts: number[] = [];
  return {
    starts,
    now: () => (ms += 0.001),
    seal: async (number: number) => {
      starts.push(ms - 5);
      ms += sealMs(number);
    },
  };
}

test("1250 bytes at 10 Mbit/s take a millisecond", () => {
  expect(arrivalMs(1250, 10)).toBe(1);
});

test("a cipher that is fast enough gets each packet when it has come, and all of them", async () => {
  const { seal, now, starts } = machine(() => 0.5);
  const run = await paced({ mbitPerS: 10, ms: 100 }, [PACKET], seal, now);
  expect(run.packets).toBe(100);
  expect(run.dueMs).toBeCloseTo(100);
  for (const [number, start] of starts.entries()) expect(start - (number + 1)).toBeCloseTo(0, 1);
  expect(lagPercent(run)).toBeCloseTo(0.5, 1);
});

test("packets come while one is sealed: a short stall is made good", async () => {
  const { seal, now } = machine((number) => (number === 10 ? 20 : 0.5));
  const run = await paced({ mbitPerS: 10, ms: 100 }, [PACKET], seal, now);
  expect(run.packets).toBe(100);
  expect(lagPercent(run)).toBeLessThan(1);
});

test("a cipher that is too slow lags by what it lacks", async () => {
  const { seal, now } = machine(() => 1.1);
  const run = await paced({ mbitPerS: 10, ms: 100 }, [PACKET], seal, now);
  expect(run.packets).toBe(100);
  expect(lagPercent(run)).toBeCloseTo(11, 0);
});

test("one that is far too slow is given up, and the figures are of what it sealed", async () => {
  const { seal, now, starts } = machine(() => 10);
  const run = await paced({ mbitPerS: 10, ms: 100 }, [PACKET], seal, now);
  expect(run.packets).toBe(starts.length);
  expect(run.packets).toBeLessThan(15);
  expect(run.dueMs).toBeCloseTo(run.packets);
  expect(run.tookMs / run.packets).toBeCloseTo(10, 0);
});

test("packets of different lengths come in turn, each in its own time", async () => {
  const { seal, now, starts } = machine(() => 0);
  const run = await paced({ mbitPerS: 10, ms: 7 }, [PACKET, new Uint8Array(2500)], seal, now);
  expect(starts.map(Math.round)).toEqual([1, 3, 4, 6, 7]);
  expect(run.dueMs).toBeCloseTo(7);
});

test("one packet comes even where none would in time", async () => {
  const { seal, now } = machine(() => 0);
  const run = await paced({ mbitPerS: 1, ms: 1 }, [PACKET], seal, now);
  expect(run.packets).toBe(1);
  expect(run.dueMs).toBeCloseTo(10);
});

const JOB = { type: "burst", cipher: "test", load: 1250, packets: 5, rounds: 3 } as const;
const flipped = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte) => byte ^ 1);

test("every round seals and opens all packets with a cipher of its own, and one more warms up", async () => {
  const numbers: number[][] = [];
  const { bytes } = await burst(JOB, [PACKET, new Uint8Array(10)], async () => {
    const sealed: number[] = [];
    numbers.push(sealed);
    const seal = (number: number, packet: Uint8Array) => {
      sealed.push(number);
      return flipped(packet);
    };
    return { seal, open: (_, packet) => flipped(packet) };
  });
  expect(numbers).toEqual(Array(4).fill([0, 1, 2, 3, 4]));
  expect(bytes).toBe(3 * 1250 + 2 * 10);
});

test.for<[string, PacketCipher["open"]]>([
  ["refuses", () => null],
  ["shortens", (_, packet) => packet.slice(1)],
  ["changes", (_, packet) => flipped(packet)],
])("a cipher that %s a packet has no figures", async ([, open]) => {
  const job = burst(JOB, [PACKET], async () => ({ seal: (_, packet) => packet.slice(), open }));
  await expect(job).rejects.toThrow("a packet");
});
