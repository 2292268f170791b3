import { importBaseKey, random } from "@sealcast/crypto";
import type { KeyUpdate } from "@sealcast/keys/messages";
import type { PathKind } from "../shared/frame-path.ts";
import type { PathProduct } from "./path-product.ts";
import { deliver } from "./replay.ts";

const EPOCH = 1;
const LEAF = 0;
const SOURCES: Record<PathKind, string> = { audio: "microphone", video: "camera" };

export const sealcast: PathProduct = {
  async prepare() {
    await import("@sealcast/media/worker");
    const { port1, port2 } = new MessageChannel();
    deliver({ type: "keys", port: port2 });
    const tell = (news: KeyUpdate) => port1.postMessage(news);
    tell({
      type: "epoch",
      id: EPOCH,
      epoch: EPOCH,
      leaf: LEAF,
      leaves: [0, 1],
      baseKey: await importBaseKey(random(32)),
      outerKey: null,
    });
    tell({ type: "send", epoch: EPOCH });
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
  }),
};
