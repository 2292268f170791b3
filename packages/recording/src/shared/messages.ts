export interface RecordingShape {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
}

/** What all sound is mixed to. */
export const SOUND = { channels: 2, sampleRate: 48_000 };

/** In the order in which they are tried: what MP4 carries and MediaSource plays, the cheapest to encode first. */
export const VIDEO_CODECS = [
  { name: "avc", example: "avc1.64001f" },
  { name: "vp9", example: "vp09.00.31.08" },
  { name: "av1", example: "av01.0.05M.08" },
] as const;

export interface ShownVoice {
  readonly name: string;
  /** One of the pictures that were added; null for who has no camera on. */
  readonly picture: number | null;
}

export interface AddedPicture {
  readonly picture: number;
  /** Transferred. */
  readonly frames: ReadableStream<VideoFrame>;
}

/** What the page says to recorder.worker.ts; "open" comes first, once. */
export type ToRecorder =
  | { readonly type: "open"; readonly shape: RecordingShape; readonly sound: ReadableStream<AudioData> }
  | { readonly type: "start" }
  /** Pictures that no voice has any more are let go. */
  | { readonly type: "show"; readonly voices: readonly ShownVoice[]; readonly added: readonly AddedPicture[] }
  | { readonly type: "pause" }
  | { readonly type: "resume" }
  /** The sink has written this many bytes. */
  | { readonly type: "appended"; readonly bytes: number }
  /** Asks for the rest of the file. */
  | { readonly type: "stop" }
  /** Nothing more can be written. */
  | { readonly type: "abandon" };

export interface Ended {
  readonly mimeType: string;
  /** A JPEG of at most 32 KiB. */
  readonly thumbnail: Uint8Array | null;
}

export type FromRecorder =
  | { readonly type: "started" }
  /** For the end of the file. `seconds`: how long the file plays with these. */
  | { readonly type: "append"; readonly bytes: Uint8Array; readonly seconds: number }
  | { readonly type: "progress"; readonly seconds: number; readonly droppedFrames: number }
  /** The browser's encoders, or none is there: no more comes but "ended". */
  | { readonly type: "failed"; readonly reason: string }
  /** The last one. */
  | ({ readonly type: "ended" } & Ended);

/** From preview.worker.ts, which is given a file: in this order. */
export type FromPreview =
  /** How long it plays; null: it does not, or does not say. */
  | { readonly type: "seconds"; readonly seconds: number | null }
  /** A JPEG of at most 32 KiB; null: there is nothing to be seen. */
  | { readonly type: "thumbnail"; readonly thumbnail: Uint8Array | null };
