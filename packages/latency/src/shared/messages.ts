/** To the reader's worker, which answers with `Sighting`s. What carries pictures is transferred. */
export type ToReader =
  | { readonly type: "picture"; readonly frame: VideoFrame; readonly presented: number }
  | { readonly type: "track"; readonly pictures: ReadableStream<VideoFrame> };
