import { systemClock } from "@sealcast/time";
import type { FromCaptions, ToCaptions } from "../shared/messages.ts";
import { Captioner } from "./captioner.ts";

declare const self: DedicatedWorkerGlobalScope;

const post = (message: FromCaptions) => self.postMessage(message);

let captioner: Captioner | null = null;

self.addEventListener("message", ({ data }: MessageEvent<ToCaptions>) => {
  if (data.type === "open") captioner = new Captioner(data.model, systemClock, post);
  else if (data.type === "hear") void captioner?.hear(data.source, data.sound);
  else captioner?.forget(data.source);
});
