import type { DropReason } from "@sealcast/frame";
import { type Clock, type Milli, milli, SerialQueue } from "@sealcast/time";
import { type Encoding, encoderConfig } from "../../shared/encoding.ts";
import { free } from "../free.ts";
import type { Sealer } from "../sealing/sealer.ts";
import { DEADLINE } from "../track/flow.ts";
import { beginningOf } from "../track/transform-stats.ts";
import type { WorkerLoad } from "../track/worker-load.ts";
import type { SealedFrame } from "./sealed-frame.ts";

/** A camera frame that finds as many before it is left out: nothing is gained by encoding late. */
const MOST_QUEUED = 3;
/** A bitrate that is as good as the one before. */
const SAME_RATE = 0.1;

interface Events {
  /** In order. */
  sealed(frame: SealedFrame): void;
  /** A frame was left out: those after it are of no use up to a key frame. */
  refused(why: DropReason, epoch: number | null): void;
  /** The encoder gave up. */
  failed(): void;
}

const NOTHING = new Uint8Array();

interface Encoded {
  data: ArrayBuffer;
  mimeType: string;
  isKey: boolean;
  layer: number;
  since: Milli;
  /** When the encoder got the camera's frame. */
  encoding: Milli;
}

/** The one encoder of a source at one size, and the one sealer of its frames. */
export class TierEncoder {
  readonly #sealer: Sealer;
  readonly #load: WorkerLoad;
  readonly #events: Events;
  readonly #clock: Clock;
  /** When each frame in the encoder came to it, by timestamp. */
  readonly #began = new Map<number, Milli>();
  #encoder: VideoEncoder | null = null;
  #encoding: Encoding | null = null;
  #wantsKey = false;
  /** Up to the next key frame nothing is worth sealing. */
  #skipping = false;
  readonly #sealing = new SerialQueue();
  #frames = 0;

  constructor(sealer: Sealer, load: WorkerLoad, clock: Clock, events: Events) {
    this.#clock = clock;
    this.#sealer = sealer;
    this.#load = load;
    this.#events = events;
  }

  /** What it encodes as now; null while it is stopped. */
  get encoding(): Encoding | null {
    return this.#encoding;
  }

  /** Frames sealed so far. */
  get frames(): number {
    return this.#frames;
  }

  /** The next frame will be a key frame. */
  needKey(): void {
    this.#wantsKey = true;
  }

  /** Reads the frame and leaves it to the caller. A size or codec other than before starts at a key frame. */
  encode(frame: VideoFrame, encoding: Encoding): void {
    try {
      const encoder = this.#set(encoding);
      if (encoder === null || encoder.encodeQueueSize >= MOST_QUEUED) return;
      this.#began.set(frame.timestamp, this.#clock.now());
      encoder.encode(frame, { keyFrame: this.#wantsKey });
      this.#wantsKey = false;
    } catch {
      this.#fail();
    }
  }

  /** Until the next frame comes. Counters go on where they stand. */
  stop(): void {
    if (this.#encoder !== null && this.#encoder.state !== "closed") this.#encoder.close();
    this.#encoder = null;
    this.#encoding = null;
    this.#began.clear();
  }

  #set(encoding: Encoding): VideoEncoder | null {
    const before = this.#encoding;
    const isOther = before?.mimeType !== encoding.mimeType;
    if (isOther) this.stop();
    const isResized = before?.width !== encoding.width || before.height !== encoding.height;
    const isSameHint = before?.isText === encoding.isText;
    const isSameRate = Math.abs(encoding.bitrate / (before?.bitrate ?? 0) - 1) < SAME_RATE;
    if (!isOther && !isResized && isSameHint && isSameRate) return this.#encoder;
    const config = encoderConfig(encoding);
    if (config === null) return null;
    this.#encoder ??= this.#start(encoding.mimeType);
    this.#encoder.configure(config);
    this.#encoding = encoding;
    this.#wantsKey ||= isOther || isResized;
    return this.#encoder;
  }

  #start(mimeType: string): VideoEncoder {
    return new VideoEncoder({
      output: (chunk, metadata) => this.#encoded(chunk, mimeType, metadata?.svc?.temporalLayerId ?? 0),
      error: () => this.#fail(),
    });
  }

  #fail(): void {
    this.stop();
    this.#events.failed();
  }

  #encoded(chunk: EncodedVideoChunk, mimeType: string, layer: number): void {
    const data = new ArrayBuffer(chunk.byteLength);
    chunk.copyTo(data);
    const encoding = this.#taken(chunk.timestamp);
    const encoded = { data, mimeType, isKey: chunk.type === "key", layer, since: this.#clock.now(), encoding };
    void this.#sealing.run(() => this.#seal(encoded));
  }

  /** When the frame came; those before it, which the encoder left out, are forgotten. */
  #taken(timestamp: number): Milli {
    const began = this.#began.get(timestamp) ?? milli(Number.NaN);
    for (const each of this.#began.keys()) if (each <= timestamp) this.#began.delete(each);
    return began;
  }

  async #seal(encoded: Encoded): Promise<void> {
    const waited = milli(this.#clock.now() - encoded.since);
    this.#load.waited(waited);
    this.#load.begin();
    await this.#work(encoded, waited > DEADLINE);
    this.#load.end();
  }

  async #work({ data, mimeType, isKey, layer, since, encoding }: Encoded, isLate: boolean): Promise<void> {
    if (this.#skipping && !isKey) return;
    if (isLate) return this.#refuse("late", null);
    const sealed = await this.#sealer.seal(data, mimeType, isKey).catch(() => null);
    if (sealed === null) return this.#refuse("failed", null);
    if (!sealed.ok) return this.#refuse(sealed.drop, sealed.epoch);
    this.#skipping = false;
    this.#frames++;
    const { epoch, overhead, readable } = sealed;
    const clear = this.#load.isWatched ? beginningOf(data) : NOTHING;
    const about = { mimeType, isKey, layer, since, encoding, epoch, overhead, readable };
    this.#events.sealed({ data: sealed.data, clear, ...about });
    free(data);
    free(sealed.spent);
  }

  #refuse(why: DropReason, epoch: number | null): void {
    this.#skipping = true;
    this.#events.refused(why, epoch);
  }
}
