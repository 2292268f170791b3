import { MOST_SIZES } from "./encoding.ts";

/** What a stream's sound is called at a relay, and its picture in each size, the largest first. */
export const SOUND_TRACK = "audio";
export const PICTURE_TRACKS: readonly string[] = Array.from({ length: MOST_SIZES }, (_, tier) => `video${tier}`);

/** Of the two reports that tell of what is published, which are no transform's. */
export const PUBLISHED = { video: "published-video", audio: "published-audio" } as const;
