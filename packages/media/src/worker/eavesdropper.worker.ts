import type { ToEavesdropper } from "../shared/eavesdropping.ts";
import type { Overheard } from "../shared/timings.ts";
import { Eavesdropper } from "./eavesdropper.ts";

declare const self: DedicatedWorkerGlobalScope;

const TELL_EVERY_MS = 500;

self.addEventListener("message", ({ data }: MessageEvent<ToEavesdropper>) => {
  const eavesdropper = new Eavesdropper(data);
  data.port.onmessage = ({ data: overheard }: MessageEvent<Overheard>) => void eavesdropper.hear(overheard);
  setInterval(() => self.postMessage(eavesdropper.seen), TELL_EVERY_MS);
});
