/** What Chromium has on pages; the platform's types know it as something that workers alone have, for video. */
declare class MediaStreamTrackProcessor<T> {
  constructor(init: { track: MediaStreamTrack; maxBufferSize?: number });
  readonly readable: ReadableStream<T>;
}

/** A second of sound in pieces of 10 ms: none is lost while the worker is busy. */
const MOST_PIECES = 100;

export function canReadFrames(): boolean {
  return "MediaStreamTrackProcessor" in globalThis;
}

/** Only where `canReadFrames`. To be transferred. The track stays the caller's. */
export function framesOf(track: MediaStreamTrack): ReadableStream<VideoFrame> {
  return new MediaStreamTrackProcessor<VideoFrame>({ track }).readable;
}

/** Only where `canReadFrames`. To be transferred. The track stays the caller's. */
export function soundOf(track: MediaStreamTrack): ReadableStream<AudioData> {
  return new MediaStreamTrackProcessor<AudioData>({ track, maxBufferSize: MOST_PIECES }).readable;
}
