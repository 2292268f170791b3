import type { Eavesdropped, FromEavesdropper, ToEavesdropper } from "@sealcast/media";
import { spawnEavesdropper } from "../workers.ts";
import type { Measurable } from "./measurable.ts";

export type { Eavesdropped };

interface Told {
  /** What they make of it. */
  picture: (picture: ImageBitmap) => void;
  heard: (heard: Eavesdropped) => void;
}

/** Has someone without a key listen to what leaves a transform. Ends with the function that is returned. */
export function eavesdrop(
  { pool }: Measurable,
  transform: string,
  size: ToEavesdropper["size"],
  told: Told,
): () => void {
  const worker = spawnEavesdropper();
  const { port1, port2 } = new MessageChannel();
  const listening: ToEavesdropper = { port: port2, size };
  worker.postMessage(listening, [port2]);
  worker.addEventListener("message", ({ data }: MessageEvent<FromEavesdropper>) => {
    if (data.type === "picture") told.picture(data.picture);
    else told.heard(data.heard);
  });
  pool.eavesdrop(transform, port1);
  return () => {
    pool.eavesdrop(transform, null);
    worker.terminate();
  };
}
