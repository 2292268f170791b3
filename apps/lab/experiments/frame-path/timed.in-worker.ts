import type { Passage } from "./frame-path.ts";

type Frame = RTCEncodedVideoFrame | RTCEncodedAudioFrame;

interface Pipe {
  readonly readable: ReadableStream<Frame>;
  readonly writable: WritableStream<Frame>;
}

/**
 * A transform's streams, through which each frame's time with the product is taken. Neither touches a frame's data
 * before the product has written it: the browser copies them out when they are first read, which is the product's cost.
 */
export class TimedPipe implements Pipe {
  readonly readable: ReadableStream<Frame>;
  readonly writable: WritableStream<Frame>;
  #passed: Passage[] = [];
  /** When each frame that the product has went in. */
  #since = new Map<Frame, number>();

  constructor({ readable, writable }: Pipe) {
    this.readable = new ReadableStream({ start: (controller) => void this.#pump(readable.getReader(), controller) });
    const writer = writable.getWriter();
    this.writable = new WritableStream({
      write: (frame) => {
        this.#note(frame, performance.now());
        // Rejects once the connection is closed.
        writer.write(frame).catch(() => undefined);
      },
    });
  }

  /** What passed since the last call, and how many frames did not. */
  take(): { passed: Passage[]; lost: number } {
    const taken = { passed: this.#passed, lost: this.#since.size };
    this.#passed = [];
    this.#since = new Map();
    return taken;
  }

  /** Lets frames in as they come, however slow the product is: what they wait is its time too. */
  async #pump(reader: ReadableStreamDefaultReader<Frame>, into: ReadableStreamDefaultController<Frame>): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done || value === undefined) return into.close();
      this.#since.set(value, performance.now());
      into.enqueue(value);
    }
  }

  #note(frame: Frame, now: number): void {
    const since = this.#since.get(frame);
    this.#since.delete(frame);
    const { rtpTimestamp } = frame.getMetadata();
    // A frame that went in before the last take belongs to nobody.
    if (since === undefined || rtpTimestamp === undefined) return;
    this.#passed.push({ rtpTimestamp, us: 1000 * (now - since), bytes: frame.data.byteLength });
  }
}
