import type { CameraShape } from "@sealcast/media";

export type Quality = "low-data" | "smooth" | "sharp";
export const QUALITIES: readonly Quality[] = ["smooth", "sharp", "low-data"];

interface Preset {
  /** Of the camera, and at most of a screen. */
  shape: CameraShape;
  /** What one viewer's link is taken to carry at most: the picture gets about three quarters of it. */
  bitsPerSecond: number;
}

export const PRESETS: Record<Quality, Preset> = {
  "low-data": { shape: { lines: 360, framesPerSecond: 20 }, bitsPerSecond: 750_000 },
  smooth: { shape: { lines: 720, framesPerSecond: 30 }, bitsPerSecond: 2_800_000 },
  sharp: { shape: { lines: 1080, framesPerSecond: 30 }, bitsPerSecond: 4_500_000 },
};
