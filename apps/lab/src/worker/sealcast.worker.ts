import { importBaseKey, random } from "@sealcast/crypto";
import type { KeyNews } from "@sealcast/keys/messages";
import { deliver, replay } from "./replay.ts";

const EPOCH = 1;
const LEAF = 0;

replay({
  async prepare() {
    await import("@sealcast/media/worker");
    const { port1, port2 } = new MessageChannel();
    deliver({ type: "keys", port: port2 });
    const tell = (news: KeyNews) => port1.postMessage(news);
    tell({ type: "epoch", epoch: EPOCH, leaf: LEAF, baseKey: await importBaseKey(random(32)), outerKey: null });
    tell({ type: "send", epoch: EPOCH });
  },
  sealing: (track) => ({ id: `s${track}`, side: "seal", kind: "video", source: "camera", instance: track }),
  opening: (track) => ({ id: `o${track}`, side: "open", kind: "video", source: "camera", leaf: LEAF }),
  wantsKeyFrame(message) {
    const { type, id } = message as { type: string; id?: string };
    return type === "key-frame-needed" ? Number(id?.slice(1)) : null;
  },
});
