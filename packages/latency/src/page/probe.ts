import type { LatencyProbe } from "../shared/probe.ts";
import type { ReportAbout } from "../shared/report.ts";
import type { Sighting } from "../shared/sighting.ts";
import { stampCameras } from "./camera.ts";
import { readVideo } from "./reader.ts";

async function watch(video: unknown, ms: number, firstWithinMs: number): Promise<Sighting[]> {
  if (!(video instanceof HTMLVideoElement)) throw new Error("Only of a <video> latency can be measured.");
  // See readVideo.
  if (window !== window.top) throw new Error("The browser's times of presentation are wrong within an iframe.");
  const seen: Sighting[] = [];
  let first: () => void;
  const began = new Promise<void>((resolve) => {
    first = resolve;
  });
  const stop = readVideo(video, (sighting) => {
    if (sighting.stamp !== null) first();
    seen.push(sighting);
  });
  try {
    const late = after(firstWithinMs).then(() => {
      throw new Error(`None of the ${seen.length} pictures that the video showed in ${firstWithinMs} ms had a stamp.`);
    });
    await Promise.race([began, late]);
    await after(ms);
    return seen.slice(seen.findIndex(({ stamp }) => stamp !== null));
  } finally {
    stop();
  }
}

function after(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

function about(): ReportAbout {
  return {
    made: new Date().toISOString(),
    browser: navigator.userAgent,
    cores: navigator.hardwareConcurrency,
  };
}

const probe: LatencyProbe = { watch, about };
Object.assign(globalThis, { latencyProbe: probe });
// The empty page that comes first is no secure one and has no devices.
if (globalThis.isSecureContext) stampCameras();
