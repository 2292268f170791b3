/** One file that the engine is made of. */
export interface ModelFile {
  readonly url: string;
  /** Its exact length: another one is not taken. */
  readonly bytes: number;
}

/** What the page says to captions.worker.ts; "open" comes first, once. */
export type ToCaptions =
  | { readonly type: "open"; readonly model: Readonly<Record<ModelPart, ModelFile>> }
  /** Captions are made of this sound from now on, once the engine is ready. `sound` is transferred. */
  | { readonly type: "hear"; readonly source: string; readonly sound: ReadableStream<AudioData> }
  /** Nothing of this source any more, not even of what was heard and waits. */
  | { readonly type: "forget"; readonly source: string };

export type ModelPart = "runtime" | "encoder" | "decoder";

export type FromCaptions =
  | { readonly type: "loading"; readonly share: number }
  | { readonly type: "ready" }
  /** What was said at this source, as text that is not empty. */
  | { readonly type: "caption"; readonly source: string; readonly text: string }
  /** Which share of one core making captions took of late, 0 to 1. */
  | { readonly type: "cost"; readonly share: number }
  /** Whether captions are left out now since the computer is too slow. */
  | { readonly type: "behind"; readonly isBehind: boolean }
  /** A file did not come, or the engine does not run: nothing more comes. */
  | { readonly type: "failed" };
