import { every, milli, systemClock } from "@sealcast/time";
import type { FromEavesdropper, ToEavesdropper } from "../../shared/eavesdropping.ts";
import type { Overheard } from "../../shared/timings.ts";
import { Eavesdropper } from "./eavesdropper.ts";

declare const self: DedicatedWorkerGlobalScope;

const TELL_GAP = milli(500);

self.addEventListener("message", ({ data }: MessageEvent<ToEavesdropper>) => {
  const tell = (what: FromEavesdropper, transfer: Transferable[] = []) => self.postMessage(what, transfer);
  const eavesdropper = new Eavesdropper(data.size, (picture) => tell({ type: "picture", picture }, [picture]));
  data.port.onmessage = ({ data: overheard }: MessageEvent<Overheard>) => void eavesdropper.hear(overheard);
  every(systemClock, TELL_GAP, () => tell({ type: "heard", heard: eavesdropper.heard }));
});
