import type { FromEavesdropper, ToEavesdropper } from "@sealcast/media";
import { spawnEavesdropper } from "../workers.ts";
import type { Measurable } from "./measurable.ts";

export type { FromEavesdropper };

/**
 * Has somebody without a key listen to what leaves a transform, and shows in the canvas what they make of it. The canvas is
 * used up. Ends with the function that is returned.
 */
export function eavesdrop(
  { pool }: Measurable,
  transform: string,
  { canvas, size }: { canvas: HTMLCanvasElement; size: ToEavesdropper["size"] },
  seen: (seen: FromEavesdropper) => void,
): () => void {
  const worker = spawnEavesdropper();
  const { port1, port2 } = new MessageChannel();
  const offscreen = canvas.transferControlToOffscreen();
  const listening: ToEavesdropper = { port: port2, canvas: offscreen, size };
  worker.postMessage(listening, [port2, offscreen]);
  worker.addEventListener("message", ({ data }: MessageEvent<FromEavesdropper>) => seen(data));
  pool.eavesdrop(transform, port1);
  return () => {
    pool.eavesdrop(transform, null);
    worker.terminate();
  };
}
