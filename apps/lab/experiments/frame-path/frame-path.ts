/** What the page and a frame-path worker say to each other, and which opened frame belongs to which sealed one. */

export type PathArm = "sealcast" | "livekit" | "bare" | "pass";
export type PathCodec = "vp8" | "vp9";
export type PathKind = "audio" | "video";

/** The only message to the worker itself. It answers over the port when the arm's module is loaded and has its keys. */
export interface PathStart {
  arm: PathArm;
  port: MessagePort;
}

/** To the worker, over the port, which answers with what passed since the last one; "end" also forgets the transforms. */
export type PathRequest = "take" | "end";

/** Handed to RTCRtpScriptTransform. */
export interface PathOptions {
  side: "seal" | "open";
  track: PathTrack;
}

export interface PathTrack {
  /** Never used before with the same worker. */
  number: number;
  kind: PathKind;
  codec: PathCodec | "opus";
}

/** A frame that came out of a transform. */
export interface Passage {
  rtpTimestamp: number;
  /** From when the frame was there to be read until it was written, in microseconds. */
  us: number;
  /** Its size as it came out. */
  bytes: number;
}

/** What one transform did since it was last asked. */
export interface Passages extends PathOptions {
  passed: Passage[];
  /** Frames that have not come out. */
  lost: number;
}

/** A frame that was sealed and opened. */
export interface PassedFrame {
  sealUs: number;
  openUs: number;
  /** As the encoder made it. */
  bytes: number;
  /** Bytes that sealing added. */
  added: number;
}

/**
 * The frames that were both sealed and opened. Both lists are in the order of the frames, which browsers keep, so that
 * even frames with one timestamp find their own.
 */
export function pair(sealed: readonly Passage[], opened: readonly Passage[]): PassedFrame[] {
  const frames: PassedFrame[] = [];
  let next = 0;
  for (const { rtpTimestamp, us, bytes } of opened) {
    const index = sealed.findIndex((passage, at) => at >= next && passage.rtpTimestamp === rtpTimestamp);
    const seal = sealed[index];
    if (seal === undefined) continue;
    next = index + 1;
    frames.push({ sealUs: seal.us, openUs: us, bytes, added: seal.bytes - bytes });
  }
  return frames;
}
