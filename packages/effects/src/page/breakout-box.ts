/** What Chromium has on pages, for video and sound; the platform's types know less of it, as something of workers. */
interface Box {
  MediaStreamTrackGenerator: new <T>(init: {
    kind: "video" | "audio";
  }) => MediaStreamTrack & { readonly writable: WritableStream<T> };
  MediaStreamTrackProcessor: new <T>(init: {
    track: MediaStreamTrack;
    maxBufferSize?: number;
  }) => { readonly readable: ReadableStream<T> };
}

/** A second of sound in pieces of 10 ms: none is lost while the worker is busy. */
const MOST_PIECES = 100;

/** Whether this browser gives what effects are made with: tracks that are read and written frame by frame. */
export function canTreat(): boolean {
  const needed = ["MediaStreamTrackGenerator", "MediaStreamTrackProcessor", "OffscreenCanvas", "WebAssembly"];
  return needed.every((name) => name in globalThis);
}

/** Only where `canTreat`. To be transferred. The track stays the caller's. */
export function framesOf(track: MediaStreamTrack): ReadableStream<VideoFrame> {
  return new (box().MediaStreamTrackProcessor)<VideoFrame>({ track }).readable;
}

/** Only where `canTreat`. To be transferred. The track stays the caller's. */
export function soundOf(track: MediaStreamTrack): ReadableStream<AudioData> {
  return new (box().MediaStreamTrackProcessor)<AudioData>({ track, maxBufferSize: MOST_PIECES }).readable;
}

/** Only where `canTreat`. A track of what is written to it, and of nothing else. */
export function writtenTrack<T>(kind: "video" | "audio") {
  return new (box().MediaStreamTrackGenerator)<T>({ kind });
}

function box(): Box {
  return globalThis as unknown as Box;
}
