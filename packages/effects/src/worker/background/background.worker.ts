import { every, milli, systemClock } from "@sealcast/time";
import type { FromEffect, ToBackground } from "../../shared/messages.ts";
import { Background } from "./background.ts";
import { loadSegmenter } from "./segmenter.ts";

declare const self: DedicatedWorkerGlobalScope;

const COST_GAP = milli(500);

const post = (message: FromEffect) => self.postMessage(message);
/** What was asked for while the model loaded. */
const wanted: { background: Background | null; later: ToBackground[] } = { background: null, later: [] };

self.addEventListener("message", ({ data }: MessageEvent<ToBackground>) => {
  if (data.type === "start") start(data).catch(() => post({ type: "failed", why: "failed" }));
  else if (wanted.background === null) wanted.later.push(data);
  else hear(wanted.background, data);
});

async function start({ frames, treated, backdrop }: Extract<ToBackground, { type: "start" }>): Promise<void> {
  const segment = await loadSegmenter((share) => post({ type: "loading", share }));
  const background = new Background(segment, backdrop, systemClock);
  wanted.background = background;
  for (const message of wanted.later) hear(background, message);
  every(systemClock, COST_GAP, () => post({ type: "cost", cost: background.meter.take() }));
  await background.treat(frames, treated, () => post({ type: "running" }));
  post({ type: "ended" });
}

function hear(background: Background, message: ToBackground): void {
  if (message.type === "backdrop") background.show(message.backdrop);
  if (message.type === "most-height") background.mostHeight = message.height;
}
