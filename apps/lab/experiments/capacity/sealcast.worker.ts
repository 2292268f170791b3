import { sealcast } from "../frame-path/path-sealcast.in-worker.ts";
import { replay } from "./replay.in-worker.ts";

const picture = (number: number) => ({ number, kind: "video", codec: "vp8" }) as const;

replay({
  prepare: sealcast.prepare,
  sealing: (track) => sealcast.sealing(picture(track)),
  opening: (track) => sealcast.opening(picture(track)),
  wantsKeyFrame(message) {
    const { type, id } = message as { type: string; id?: string };
    return type === "key-frame-needed" ? Number(id?.slice(1)) : null;
  },
});
