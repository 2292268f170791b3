import { livekit } from "../frame-path/path-livekit.in-worker.ts";
import { replay } from "./replay.in-worker.ts";

const picture = (number: number) => ({ number, kind: "video", codec: "vp8" }) as const;

replay({
  prepare: livekit.prepare,
  sealing: (track) => livekit.sealing(picture(track)),
  opening: (track) => livekit.opening(picture(track)),
  wantsKeyFrame: () => null,
});
