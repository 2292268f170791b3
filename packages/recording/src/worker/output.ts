import { Mp4OutputFormat, Output, StreamTarget } from "mediabunny";
import { appendOnly } from "./append-only.ts";

/** A fragment begins with a key frame, so there is one so often: so much is lost by a crash, and what the muxer holds. */
export const KEY_FRAME_SECONDS = 1;
/** Less, since times are rounded. */
const LEAST_FRAGMENT_SECONDS = 0.9;

/**
 * A fragmented MP4 that is given to `append` as it is made; its tracks are to be added. What is appended must not be
 * transferred: the muxer looks at its length afterwards. `onMoov` gets the description of the tracks, once.
 */
export function recordingOutput(append: (bytes: Uint8Array) => void, onMoov: (moov: Uint8Array) => void): Output {
  return new Output({
    format: new Mp4OutputFormat({
      fastStart: "fragmented",
      minimumFragmentDuration: LEAST_FRAGMENT_SECONDS,
      onMoov: (moov) => onMoov(moov),
    }),
    target: new StreamTarget(appendOnly(append)),
  });
}
