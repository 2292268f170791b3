import { beginEpoch, LEAF } from "../../src/worker/epoch.ts";
import { deliver } from "../capacity/replay.in-worker.ts";
import type { PathKind } from "./frame-path.ts";
import type { PathProduct } from "./path-product.in-worker.ts";

const SOURCES: Record<PathKind, string> = { audio: "microphone", video: "camera" };

export const sealcast: PathProduct = {
  async prepare() {
    await import("@sealcast/media/worker");
    const { port1, port2 } = new MessageChannel();
    deliver({ type: "keys", port: port2 });
    await beginEpoch((update) => port1.postMessage(update));
  },
  sealing: ({ kind, number }) => ({
    id: `s${number}`,
    side: "seal",
    kind,
    source: SOURCES[kind],
    instance: number,
    signed: null,
  }),
  opening: ({ kind, number }) => ({
    id: `o${number}`,
    side: "open",
    kind,
    source: SOURCES[kind],
    leaf: LEAF,
    signed: null,
    relay: null,
  }),
};
