/** A frame as the browser hands it to a transform. `getMetadata` carries the codec. */
export type EncodedFrame = RTCEncodedVideoFrame | RTCEncodedAudioFrame;

/** Where sealed frames leave for one link. A frame goes out in the frame object that it came in: the browser wants its own. */
export class Outlet {
  readonly #writer: WritableStreamDefaultWriter<EncodedFrame>;

  constructor(writable: WritableStream<EncodedFrame>) {
    this.#writer = writable.getWriter();
  }

  /** Takes ownership of `data`. */
  async send(frame: EncodedFrame, data: ArrayBuffer): Promise<void> {
    frame.data = data;
    await this.#writer.write(frame);
  }
}
