/** What a composer is told, once: the frames of the two pictures, and where those that it makes of them go. All transferred. */
export interface Composing {
  screen: ReadableStream<VideoFrame>;
  camera: ReadableStream<VideoFrame>;
  composed: WritableStream<VideoFrame>;
}
