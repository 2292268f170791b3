import { fileURLToPath } from "node:url";
import type { PlaywrightTestOptions, PlaywrightWorkerOptions } from "@playwright/test";
import { executablePath, flags } from "../../chromium.ts";

/** Flags for a camera that plays the clip of that many lines, a microphone that beeps, and consent to both. */
export function camera(lines: 360 | 720): string[] {
  const file = lines === 360 ? "bunny-640x360-25fps.mjpeg" : "bunny-1280x720-25fps.mjpeg";
  return [
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-video-capture=${fileURLToPath(new URL(`../media/${file}`, import.meta.url))}`,
  ];
}

/** Flags besides: the microphone hears somebody read aloud, over and over. */
export function readingAloud(): string[] {
  const file = fileURLToPath(new URL("../media/sense-and-sensibility-16khz.wav", import.meta.url));
  return [`--use-file-for-fake-audio-capture=${file}`];
}

/** How every test's browser is started. */
export function chromium(args: string[]): Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> {
  return {
    browserName: "chromium",
    locale: "en-US",
    launchOptions: { executablePath, args: [...flags, ...args, "--autoplay-policy=no-user-gesture-required"] },
  };
}
