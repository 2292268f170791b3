import { livekit } from "./path-livekit.ts";
import { replay } from "./replay.ts";

const picture = (number: number) => ({ number, kind: "video", codec: "vp8" }) as const;

replay({
  prepare: livekit.prepare,
  sealing: (track) => livekit.sealing(picture(track)),
  opening: (track) => livekit.opening(picture(track)),
  wantsKeyFrame: () => null,
});
