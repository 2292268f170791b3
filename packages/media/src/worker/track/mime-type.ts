import type { MediaKind } from "../../shared/messages.ts";
import { STAND_IN_SIZE } from "../../shared/stand-in.ts";
import type { EncodedFrame } from "./frame-writer.ts";

/**
 * The MIME type of one track's frames. Reading a frame's metadata takes about as long as a quarter of its encryption, and
 * a codec changes at a key frame only: the frames after one have its type. Where that is ever wrong, the receiver
 * refuses the frame, since the tag covers the codec.
 */
export class MimeType {
  /** Sound has no key frames, and is asked each time. */
  readonly #asksAlways: boolean;
  #known: string | undefined;
  #isStandIn = false;

  constructor(kind: MediaKind) {
    this.#asksAlways = kind === "audio";
  }

  of(frame: EncodedFrame, isKey: boolean): string | undefined {
    if (this.#known === undefined || isKey || this.#asksAlways) this.#read(frame);
    return this.#known;
  }

  /** Whether the last frame that was asked about is a stand-in (see [Note: Stand-ins]). Sizes change at key frames, too. */
  get isStandIn(): boolean {
    return this.#isStandIn;
  }

  #read(frame: EncodedFrame): void {
    const metadata: RTCEncodedVideoFrameMetadata = frame.getMetadata();
    this.#known = metadata.mimeType;
    this.#isStandIn = metadata.width === STAND_IN_SIZE && metadata.height === STAND_IN_SIZE;
  }

  /** After a frame that did not pass the next one is asked, whatever it is. */
  forget(): void {
    this.#known = undefined;
  }
}
