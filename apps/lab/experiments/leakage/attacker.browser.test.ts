import { expect, it } from "vitest";
import { Attacker, dataOf, encoded, type Intercepted } from "./attacker.page.ts";
import type { Strategy } from "./leakage.ts";

const SIZE = { width: 320, height: 180 };
const APART = 40_000;

const CONFIGS: VideoEncoderConfig[] = [
  { codec: "vp8" },
  { codec: "vp09.00.10.08" },
  { codec: "avc1.42001f", avc: { format: "annexb" as const } },
  { codec: "av01.0.04M.08" },
].map((codec) => ({ ...codec, ...SIZE, bitrate: 300_000, framerate: 25, latencyMode: "realtime" }));

/** Eight frames of a square that moves, readable but for those at the given places. */
async function track(config: VideoEncoderConfig, ...sealed: number[]): Promise<Intercepted[]> {
  const canvas = new OffscreenCanvas(SIZE.width, SIZE.height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws no pictures");
  const film = Array.from({ length: 8 }, (_, number) => {
    context.fillStyle = "navy";
    context.fillRect(0, 0, SIZE.width, SIZE.height);
    context.fillStyle = "white";
    context.fillRect(20 * number, 60, 60, 60);
    return new VideoFrame(canvas, { timestamp: number * APART });
  });
  const chunks = await encoded(config, film, 100);
  for (const picture of film) picture.close();
  return chunks.map((chunk, number) => {
    const readable = !sealed.includes(number);
    const data = readable ? dataOf(chunk) : crypto.getRandomValues(new Uint8Array(chunk.byteLength)).buffer;
    return { timestamp: chunk.timestamp, type: chunk.type, readable, data, hidden: 0 };
  });
}

async function watched(config: VideoEncoderConfig, strategy: Strategy, frames: readonly Intercepted[]) {
  const attacker = await Attacker.ready(config);
  const shown: number[] = [];
  await attacker.watch(strategy, frames, ({ timestamp }) => shown.push(timestamp / APART));
  return shown;
}

it.each(CONFIGS)("readable frames of $codec are all shown, in order", async (config) => {
  const frames = await track(config);
  const all = frames.map(({ timestamp }) => timestamp / APART);
  expect(await watched(config, "readable", frames)).toEqual(all);
  expect(await watched(config, "ciphertext", frames)).toEqual(all);
  expect(await watched(config, "unbroken", frames)).toEqual(all);
});

it.each(CONFIGS)("of sealed frames of $codec nothing is shown where they are left out", async (config) => {
  const frames = await track(config, 0, 1, 2, 3, 4, 5, 6, 7);
  expect(await watched(config, "readable", frames)).toEqual([]);
  expect(await watched(config, "unbroken", frames)).toEqual([]);
});

it("goes on behind a frame that the decoder refuses", async () => {
  const config = CONFIGS[1]!;
  // VP9 is sealed from the first byte on, and no decoder takes a frame without its marker.
  const frames = (await track(config)).map((frame, number) =>
    number === 3 ? { ...frame, readable: false, data: new Uint8Array(100).buffer } : frame,
  );
  const [key] = frames;
  const again = { ...key!, timestamp: 8 * APART };
  const shown = await watched(config, "ciphertext", [...frames, again]);
  expect(shown.slice(0, 3)).toEqual([0, 1, 2]);
  expect(shown).not.toContain(3);
  expect(shown.at(-1)).toBe(8);
});
