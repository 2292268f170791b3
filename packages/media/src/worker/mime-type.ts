import type { MediaKind } from "../shared/messages.ts";
import type { EncodedFrame } from "./outlet.ts";

/**
 * The MIME type of one track's frames. Reading a frame's metadata takes about as long as a quarter of its encryption, and
 * a codec changes at a key frame only: the frames after one have its type. Where that is ever wrong, the receiver
 * refuses the frame, since the tag covers the codec.
 */
export class MimeType {
  /** Sound has no key frames, and is asked each time. */
  readonly #asksAlways: boolean;
  #known: string | undefined;

  constructor(kind: MediaKind) {
    this.#asksAlways = kind === "audio";
  }

  of(frame: EncodedFrame, isKey: boolean): string | undefined {
    if (this.#known === undefined || isKey || this.#asksAlways) this.#known = frame.getMetadata().mimeType;
    return this.#known;
  }

  /** After a frame that did not pass the next one is asked, whatever it is. */
  forget(): void {
    this.#known = undefined;
  }
}
