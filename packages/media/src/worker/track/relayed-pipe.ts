import type { RelayedFrame } from "@sealcast/protocol";
import { systemClock } from "@sealcast/time";
import type { MediaKind } from "../../shared/messages.ts";
import type { EncodedFrame } from "./frame-writer.ts";
import { PictureOrder } from "./picture-order.ts";
import { SealedOrder } from "./sealed-order.ts";
import type { Pipe } from "./track.ts";
import type { Timed } from "./transform-stats.ts";

/** A relay's frame in the form in which an opening transform takes it and gives it on. */
class Relayed implements EncodedFrame {
  data: ArrayBuffer;
  readonly type?: "key" | "delta";
  readonly group: number;
  readonly index: number;
  readonly timestampUs: number;
  readonly #mimeType: string;
  readonly #receivedAt = systemClock.now();

  constructor({ group, index, timestampUs, data }: RelayedFrame, kind: MediaKind, mimeType: string) {
    this.data = data.buffer;
    this.group = group;
    this.index = index;
    this.timestampUs = timestampUs;
    this.#mimeType = mimeType;
    // Groups of pictures start with a key frame. Where one does not, the decoder refuses it.
    if (kind === "video") this.type = index === 0 ? "key" : "delta";
  }

  getMetadata(): RTCEncodedVideoFrameMetadata & Partial<Timed> {
    return { mimeType: this.#mimeType, rtpTimestamp: this.timestampUs, receiveTime: this.#receivedAt };
  }
}

interface RelayedPipe extends Pipe {
  close(): void;
}

/**
 * Sealed frames come over one port, and those that were let through leave over the other. Each frame has to be of `mimeType`: what
 * its sender sealed as another one does not open.
 */
export function relayedPipe(kind: MediaKind, mimeType: string, from: MessagePort, to: MessagePort): RelayedPipe {
  const readable = new ReadableStream<EncodedFrame>({
    start(controller) {
      from.onmessage = ({ data }: MessageEvent<RelayedFrame>) => controller.enqueue(new Relayed(data, kind, mimeType));
    },
  });
  const writable = new WritableStream<EncodedFrame>({
    write(frame) {
      if (!(frame instanceof Relayed)) return;
      const { group, index, timestampUs } = frame;
      const data = new Uint8Array(frame.data);
      to.postMessage({ group, index, timestampUs, data } satisfies RelayedFrame, [data.buffer]);
    },
  });
  const close = () => {
    from.close();
    to.close();
  };
  return { readable, writable, close, order: kind === "video" ? new PictureOrder() : new SealedOrder() };
}
