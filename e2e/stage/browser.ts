import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import {
  type Browser,
  chromium as engine,
  type PlaywrightTestOptions,
  type PlaywrightWorkerOptions,
} from "@playwright/test";
import { executablePath, fakeDevices, flags, media, readProcess } from "@sealcast/testbed";

/** Flags for a camera that plays the clip of that height, a microphone that beeps, and consent to both. */
export const camera = (lines: 360 | 720): string[] => fakeDevices(lines === 360 ? media.film360 : media.film720);

const WAV = { headerBytes: 44, bytesPerSecond: 2 * 16_000 };

/** Flags besides: the microphone hears someone read aloud, over and over. */
export function readingAloud(): string[] {
  return [`--use-file-for-fake-audio-capture=${media.reading}`];
}

/**
 * Flags besides: the microphone hears someone speak for this many of every 26 seconds, from when it is opened. Several who
 * come one after the other speak in turns. Writes a file into `folder`.
 */
export function speakingFor(seconds: number, folder: string): string[] {
  const file = join(folder, "speaking.wav");
  writeFileSync(
    file,
    readFileSync(media.reading).fill(0, WAV.headerBytes + 2 * Math.round((seconds * WAV.bytesPerSecond) / 2)),
  );
  return [`--use-file-for-fake-audio-capture=${file}`];
}

/** A browser of its own, as a computer of its own has. */
interface Apart {
  browser: Browser;
  /** To all its processes at once, as when a computer crashes or loses its network. */
  signal: (signal: "SIGSTOP" | "SIGKILL") => void;
  /** It gets what the other browsers leave of the machine, as if it had one of its own. */
  giveWay: () => void;
  /** Ends the browser's own process for cameras or for sound: every track of it ends, as when the device is unplugged. */
  unplug: (device: keyof typeof SERVICES) => void;
}

/** What those processes are called. */
const SERVICES = { camera: "video_capture.mojom", sound: "audio.mojom" };

export async function apart(): Promise<Apart> {
  const server = await engine.launchServer(chromium(camera(360)).launchOptions ?? {});
  const browser = await engine.connect(server.wsEndpoint());
  const processes = () => withDescendants(server.process().pid ?? Number.NaN);
  // Some may have ended meanwhile: the others get it all the same.
  const signal = (signal: "SIGSTOP" | "SIGKILL") =>
    void spawnSync("kill", ["-s", signal.slice(3), ...processes().map(String)]);
  const giveWay = () => {
    for (const pid of processes()) setPriority(pid, constants.priority.PRIORITY_LOW);
  };
  const unplug = (device: keyof typeof SERVICES) => {
    const found = processes().filter((pid) => readProcess(String(pid), "cmdline").includes(SERVICES[device]));
    if (found.length === 0) throw new Error(`The browser has no process for its ${device}.`);
    for (const pid of found) process.kill(pid, "SIGKILL");
  };
  return { browser, signal, giveWay, unplug };
}

function withDescendants(pid: number): number[] {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const processes = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const of = (parent: number): number[] =>
    processes.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid, ...of(pid)] : []));
  return [pid, ...of(pid)];
}

/** How every test's browser is started. */
export function chromium(args: string[]): Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> {
  return {
    browserName: "chromium",
    locale: "en-US",
    launchOptions: { executablePath, args: [...flags, ...args, "--autoplay-policy=no-user-gesture-required"] },
  };
}
