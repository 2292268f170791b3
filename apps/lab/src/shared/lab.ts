import type { BandwidthPage } from "../../experiments/bandwidth/bandwidth.ts";
import type { BatchPage } from "../../experiments/batch/batch.ts";
import type { PassedFrame, PathArm, PathCodec, PathKind } from "../../experiments/frame-path/frame-path.ts";
import type { FilmEncoding, Leak, LeakTest } from "../../experiments/leakage/leakage.ts";
import type { LiveKeysPage } from "../../experiments/live-keys/live-keys.ts";
import type { MeasuringCostPage } from "../../experiments/measuring-cost/measuring-cost.ts";
import type { RelayPage } from "../../experiments/relay/relay.ts";
import type { SelectivePage } from "../../experiments/selective/selective.ts";
import type { SignaturesPass, SignaturesPassed } from "../../experiments/signatures/signatures.ts";
import type { LabVault } from "../../experiments/vault/vault.ts";
import type { ComparedFigure } from "./report.ts";
import type { ResultsFile } from "./results.ts";

/** What the command asks of the page: the one object `lab` there. Times are milliseconds. */
export interface LabPage
  extends SelectivePage,
    BandwidthPage,
    BatchPage,
    LiveKeysPage,
    MeasuringCostPage,
    RelayPage,
    LabVault {
  /** Has the browser save these pictures decoded, as a file that a camera can show. */
  saveRaw(jpegs: readonly Uint8Array<ArrayBuffer>[]): Promise<void>;
  /** Records the camera's picture as VP8 frames; replaces what was recorded before. */
  record(of: FilmedClip): Promise<{ bytes: number; keyFrames: number }>;
  /** Replays the recorded frames through a product's workers. Rejects when what comes out is not what went in. */
  replay(step: ReplayStep): Promise<Residence>;
  /** Decodes the first `count` recorded frames into raw pictures for `sealPass`. */
  decode(count: number): Promise<{ bytes: number }>;
  /** The chunk pool's plan on this machine. */
  plan(): Promise<{ splitFrom: number; chunkBytes: number }>;
  /** Milliseconds that sealing this many bytes took. The first pass of an arm also starts its workers, and checks opening. */
  sealPass(pass: SealPass): Promise<{ ms: number; bytes: number }>;
  /** Encodes the raw pictures of `decode`, which are of this size, over and over. */
  encodePass(of: EncodePass): Promise<EncodePassed>;
  /** Seals and then opens all recorded frames, as fast as they go. */
  signaturesPass(of: SignaturesPass): Promise<SignaturesPassed>;
  /** Sends the camera's picture and the microphone's sound over a connection. Rejects when the picture does not arrive whole. */
  passFrames(block: PathBlock): Promise<PathPassed>;
  /** Films this many of the camera's pictures for `leak`: in which encodings it can be had, and the SSIM of a grey picture. */
  film(frames: number): Promise<{ encodings: FilmEncoding[]; greySsim: number }>;
  /** Seals the film under a policy and attacks it. */
  leak(test: LeakTest): Promise<Leak>;
  /** What the attacks so far showed: a PNG, in Base64. */
  leakSheet(): Promise<string>;
  /** The values of each arm with their medians: an SVG. */
  plotMeasured(file: ResultsFile): string;
  /** A paper's table beside ours, all figures of one table: an SVG. */
  plotCompared(figures: readonly ComparedFigure[]): string;
}

export interface FilmedClip {
  width: number;
  height: number;
  bitsPerSecond: number;
  frames: number;
}

export type ProductName = "sealcast" | "livekit";

export interface ReplayStep {
  product: ProductName;
  workers: number;
  tracks: number;
  /** Not measured, before `ms`. */
  warmUp: number;
  ms: number;
}

/** From when a frame was due to when it came out of both transforms. */
export interface Residence {
  p50: number;
  p95: number;
  /** Frames that had not come out in the end; they count as taking for ever. */
  lost: number;
}

export type Cipher = "AES-256-GCM" | "AES-256-CTR";

export interface SealPass {
  frames: "raw" | "encoded";
  cipher: Cipher;
  threads: number;
  /** At least this many bytes are sealed. */
  bytes: number;
}

export interface EncodePass {
  /** Lower case, as "video/vp8". */
  mimeType: string;
  width: number;
  height: number;
  bitsPerSecond: number;
  frames: number;
}

export interface EncodePassed {
  ms: number;
  bytes: number;
}

export interface PathBlock {
  arm: PathArm;
  codec: PathCodec;
  /** Not measured, after the far end has shown the first picture and before `ms`. */
  warmUp: number;
  ms: number;
}

/** What came through a connection's transforms. */
export interface PathPassed extends Record<PathKind, { frames: PassedFrame[]; lost: number }> {
  /** Pictures that the far end decoded meanwhile. */
  decoded: number;
}
