import { every, milli, systemClock } from "@sealcast/time";
import type { FromEffect, ToNoise } from "../../shared/messages.ts";
import { loadGtcrn } from "./gtcrn.ts";
import { Noise } from "./noise.ts";

declare const self: DedicatedWorkerGlobalScope;

const COST_GAP = milli(500);

const post = (message: FromEffect) => self.postMessage(message);

self.addEventListener("message", ({ data }: MessageEvent<ToNoise>) => {
  start(data).catch(() => post({ type: "failed", why: "failed" }));
});

async function start({ sound, treated }: ToNoise): Promise<void> {
  const suppressor = await loadGtcrn((share) => post({ type: "loading", share }));
  const noise = new Noise(suppressor, systemClock);
  every(systemClock, COST_GAP, () => {
    const { cost, keepsUp } = noise.look();
    post(keepsUp ? { type: "cost", cost } : { type: "failed", why: "too-slow" });
  });
  const fault = await noise.treat(sound, treated, () => post({ type: "running" }));
  post(fault === null ? { type: "ended" } : { type: "failed", why: fault });
}
