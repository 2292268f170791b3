/** A frame as the browser hands it to a transform, or as it came over a relay. `getMetadata` carries the codec. */
export interface EncodedFrame {
  data: ArrayBuffer;
  /** Of sound there is none. */
  readonly type?: RTCEncodedVideoFrame["type"];
  getMetadata(): RTCEncodedVideoFrameMetadata;
}

/** Of sound, which has none, never. */
export function isKeyFrame(frame: EncodedFrame): boolean {
  return frame.type === "key";
}

/** Where frames leave for one link. A frame goes out in the frame object that it came in: the browser wants its own. */
export class FrameWriter {
  readonly #stream: WritableStreamDefaultWriter<EncodedFrame>;

  constructor(writable: WritableStream<EncodedFrame>) {
    this.#stream = writable.getWriter();
  }

  /** Takes ownership of `data`. Frames leave in the order of the calls. */
  send(frame: EncodedFrame, data: ArrayBuffer): void {
    frame.data = data;
    // Rejects once the connection is closed or the transform replaced: there is nobody left to send to.
    this.#stream.write(frame).catch(() => undefined);
  }
}
