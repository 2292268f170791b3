import { balanced } from "../../src/shared/balance.ts";
import type { Bench, Results, Row } from "../../src/shared/experiment.ts";
import type { PathPassed } from "../../src/shared/lab.ts";
import { mean, quantile, round } from "../../src/shared/statistics.ts";
import type { PathArm, PathCodec, PathKind } from "./frame-path.ts";

const ARMS: readonly PathArm[] = ["sealcast", "livekit", "bare", "pass"];
const CODECS: readonly PathCodec[] = ["vp8", "vp9"];
/** Each arm comes at every place twice. */
const ROUNDS = 8;
/** Of the frames that were opened, the share that is decoded at least: on a busy machine the decoder lags behind. */
const DECODED = 0.5;

/** Some seconds of one connection. */
interface Block extends PathPassed {
  arm: PathArm;
  codec: PathCodec;
}

export async function framePath(bench: Bench): Promise<Results> {
  const orders = balanced(ARMS, bench.quick ? 2 : ROUNDS);
  const blocks: Block[] = [];
  for (const [round, order] of orders.entries()) {
    bench.say(`Round ${round + 1} of ${orders.length}`);
    for (const codec of CODECS) for (const arm of order) blocks.push(await measure(bench, arm, codec));
  }
  const rows = CODECS.flatMap((codec) =>
    ARMS.map((arm) =>
      row(
        arm,
        codec,
        blocks.filter((block) => block.arm === arm && block.codec === codec),
      ),
    ),
  );
  return { rows, summary: summary(blocks) };
}

async function measure(bench: Bench, arm: PathArm, codec: PathCodec): Promise<Block> {
  const times = bench.quick ? { warmUp: 1_000, ms: 1_500 } : { warmUp: 2_000, ms: 5_000 };
  const passed = await bench.ask("passFrames", { arm, codec, ...times });
  const opened = passed.video.frames.length;
  if (opened === 0 || passed.decoded < DECODED * opened)
    throw new Error(`${arm}, ${codec}: of ${opened} pictures that came through, ${passed.decoded} were decoded`);
  bench.measured(`${arm}, ${codec}`, us(residences([{ arm, codec, ...passed }]), 0.5));
  return { arm, codec, ...passed };
}

function row(arm: PathArm, codec: PathCodec, blocks: readonly Block[]): Row {
  const frames = blocks.flatMap(({ video }) => video.frames);
  const seals = frames.map(({ sealUs }) => sealUs);
  const opens = frames.map(({ openUs }) => openUs);
  const [video, audio] = [added("video", blocks), added("audio", blocks)];
  const medians = blocks.map((block) => us(residences([block]), 0.5));
  return {
    codec,
    arm,
    sealP50Us: us(seals, 0.5),
    sealP95Us: us(seals, 0.95),
    openP50Us: us(opens, 0.5),
    openP95Us: us(opens, 0.95),
    p50Us: us(residences(blocks), 0.5),
    p95Us: us(residences(blocks), 0.95),
    leastBlockP50Us: Math.min(...medians),
    mostBlockP50Us: Math.max(...medians),
    videoBytes: round(mean(video), 1),
    videoBytesMost: Math.max(...video),
    audioBytes: round(mean(audio), 1),
    audioBytesMost: Math.max(...audio),
    frames: frames.length,
    lost: blocks.reduce((sum, { video }) => sum + video.lost, 0),
    decoded: blocks.reduce((sum, { decoded }) => sum + decoded, 0),
    bytesPerFrame: Math.round(mean(frames.map(({ bytes }) => bytes))),
  };
}

function summary(blocks: readonly Block[]): Record<string, number> {
  const of = (arm: PathArm) => blocks.filter((block) => block.arm === arm);
  const [ours, livekit, bare, pass] = [
    residences(of("sealcast")),
    residences(of("livekit")),
    residences(of("bare")),
    residences(of("pass")),
  ];
  const ratio = (to: readonly number[], q: number) => round(quantile(ours, q) / quantile(to, q), 3);
  return {
    oursP50Us: us(ours, 0.5),
    oursP95Us: us(ours, 0.95),
    livekitP50Us: us(livekit, 0.5),
    livekitP95Us: us(livekit, 0.95),
    bareP50Us: us(bare, 0.5),
    passP50Us: us(pass, 0.5),
    ratioP50: ratio(livekit, 0.5),
    ratioP95: ratio(livekit, 0.95),
    ratioToBareP50: ratio(bare, 0.5),
    bytesPerVideoFrame: round(mean(added("video", of("sealcast"))), 1),
    bytesPerAudioFrame: round(mean(added("audio", of("sealcast"))), 1),
  };
}

/** Seal plus open of every video frame; one that the network lost takes for ever. */
function residences(blocks: readonly Block[]): number[] {
  return blocks.flatMap(({ video: { frames, lost } }) => [
    ...frames.map(({ sealUs, openUs }) => sealUs + openUs),
    ...Array<number>(lost).fill(Number.POSITIVE_INFINITY),
  ]);
}

/** Bytes that sealing added to each frame. */
function added(kind: PathKind, blocks: readonly Block[]): number[] {
  return blocks.flatMap((block) => block[kind].frames.map(({ added }) => added));
}

function us(values: readonly number[], q: number): number {
  return Math.round(quantile(values, q));
}
