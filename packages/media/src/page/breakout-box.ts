/** What Chromium has for media in workers; the types of the platform know it as something that workers alone have. */
interface BreakoutBox {
  MediaStreamTrackGenerator: new (init: {
    kind: "video";
  }) => MediaStreamTrack & { readonly writable: WritableStream<VideoFrame> };
  MediaStreamTrackProcessor: new <Piece = VideoFrame>(init: {
    track: MediaStreamTrack;
  }) => { readonly readable: ReadableStream<Piece> };
}

/** Whether pictures can be read from tracks and written to tracks here. */
export function hasBreakoutBox(): boolean {
  return "MediaStreamTrackGenerator" in globalThis && "MediaStreamTrackProcessor" in globalThis;
}

/** Only where `hasBreakoutBox`. The track stays the caller's. */
export function framesOf(track: MediaStreamTrack): ReadableStream<VideoFrame> {
  return new (breakoutBox().MediaStreamTrackProcessor)({ track }).readable;
}

/** The same of a track of sound. */
export function soundOf(track: MediaStreamTrack): ReadableStream<AudioData> {
  return new (breakoutBox().MediaStreamTrackProcessor)<AudioData>({ track }).readable;
}

/** Only where `hasBreakoutBox`. A track of the frames that are written to it. */
export function writtenTrack(): MediaStreamTrack & { readonly writable: WritableStream<VideoFrame> } {
  return new (breakoutBox().MediaStreamTrackGenerator)({ kind: "video" });
}

/** Only where `hasBreakoutBox`. Whether it is such a track. */
export function isWritten(track: MediaStreamTrack): boolean {
  return track instanceof breakoutBox().MediaStreamTrackGenerator;
}

function breakoutBox(): BreakoutBox {
  return globalThis as unknown as BreakoutBox;
}
