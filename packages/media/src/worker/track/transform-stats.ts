import type { DropReason } from "@sealcast/frame";
import { Histogram } from "@sealcast/metrics";
import { type Clock, type Milli, milli, systemClock } from "@sealcast/time";
import type { TrackReport } from "../../shared/messages.ts";
import type { FrameSample, Overheard, TrackTimings } from "../../shared/timings.ts";
import { FrameTimes } from "./frame-times.ts";
import { WorkerLoad } from "./worker-load.ts";

/** Bytes of a frame that are shown. */
const SAMPLE = 48;

/** Four seconds of video, over two of sound. */
const KEPT = 128;
/** Frames whose lengths are compared. */
const COMPARED = 25;

/** A frame that passed. */
interface Passed {
  epoch: number;
  mimeType: string | undefined;
  /** On the wire. */
  bytes: number;
  overhead: number;
  readable: boolean;
  /** It took a stand-in's place. */
  carried?: true;
}

interface TimedFrame {
  getMetadata(): Partial<Timed>;
}

/** A frame that is about to leave. */
interface Leaving {
  /** When its work began, and when the camera's frame came to the shared encoder. */
  since: Milli;
  encoding?: Milli;
  isKey: boolean;
  mimeType: string | undefined;
  /** The frame in clear, or its beginning; and all of it as it is on the wire. */
  clear: ArrayBuffer | Uint8Array;
  wire: ArrayBuffer;
}

/** What happened to one transform's frames. */
export class TransformStats {
  readonly #id: string;
  readonly #load: WorkerLoad;
  readonly #clock: Clock;
  readonly #kept: number;
  readonly #times = new Histogram();
  readonly #refused = new Map<string, { why: DropReason; epoch: number | null; count: number }>();
  #came = 0;
  #frames = 0;
  #bytes = 0;
  #readable = 0;
  #carried = 0;
  #leftOut = 0;
  #codec: string | null = null;
  #epoch: number | null = null;
  #overhead = 0;
  readonly #lengths: number[] = [];
  /** Only while per-frame timing is on. */
  #frameTimes: FrameTimes | null = null;
  #sample: FrameSample | null = null;
  #eavesdropper: { port: MessagePort; tag: number } | null = null;

  /** `kept`: frames whose times are kept while these are asked for. */
  constructor(id: string, load = new WorkerLoad(), clock: Clock = systemClock, kept = KEPT) {
    this.#id = id;
    this.#clock = clock;
    this.#load = load;
    this.#kept = kept;
  }

  /** A frame is about to be written out. Does nothing unless per-frame timing or an eavesdropper is on. */
  leaves(frame: TimedFrame, leaving: Leaving): void {
    if (this.#load.isWatched) this.#watch(frame, leaving);
    if (this.#eavesdropper !== null) overhear(this.#eavesdropper, leaving);
  }

  /** From now on each frame that leaves is copied to this port; null: no more. `tag`: bytes that sealing adds. */
  eavesdrop(eavesdropper: { port: MessagePort; tag: number } | null): void {
    this.#eavesdropper?.port.close();
    this.#eavesdropper = eavesdropper;
  }

  /** A frame came: it will pass, be refused or be left out. */
  came(): void {
    this.#came++;
  }

  /** A frame passed; `since` is when its work began. */
  passed(since: Milli, { epoch, mimeType, bytes, overhead, readable, carried }: Passed): void {
    this.#times.record((this.#clock.now() - since) * 1000);
    this.#lengths[this.#frames % COMPARED] = bytes;
    this.#frames++;
    this.#bytes += bytes;
    if (readable) this.#readable++;
    if (carried) this.#carried++;
    this.#epoch = epoch;
    this.#codec = mimeType ?? null;
    this.#overhead = overhead;
  }

  /** A stand-in went nowhere. */
  leftOut(): void {
    this.#leftOut++;
  }

  refused(why: DropReason, epoch: number | null): void {
    const key = `${epoch} ${why}`;
    const entry = this.#refused.get(key);
    if (entry !== undefined) entry.count++;
    else this.#refused.set(key, { why, epoch, count: 1 });
  }

  timings(): TrackTimings {
    const frames = this.#frameTimes?.all ?? new Float64Array();
    return { id: this.#id, times: this.#times.snapshot(), frames, sample: this.#sample };
  }

  #watch(frame: TimedFrame, { since, encoding = milli(Number.NaN), clear, wire }: Leaving): void {
    const { rtpTimestamp, captureTime, receiveTime } = frame.getMetadata();
    if (rtpTimestamp === undefined) return;
    this.#frameTimes ??= new FrameTimes(this.#kept);
    const times = [captureTime ?? receiveTime ?? Number.NaN, encoding, since, this.#clock.now()];
    this.#frameTimes.add([rtpTimestamp, ...times.map((time) => performance.timeOrigin + time)]);
    this.#sample = { clear: beginningOf(clear), wire: beginningOf(wire), bytes: wire.byteLength };
  }

  report(): TrackReport {
    return {
      id: this.#id,
      codec: this.#codec,
      epoch: this.#epoch,
      came: this.#came,
      frames: this.#frames,
      bytes: this.#bytes,
      readable: this.#readable,
      carried: this.#carried,
      leftOut: this.#leftOut,
      refused: [...this.#refused.values()],
      p50: this.#frames && this.#times.quantile(0.5),
      p95: this.#frames && this.#times.quantile(0.95),
      overhead: this.#overhead,
      lengths: new Set(this.#lengths).size,
    };
  }
}

/**
 * What browsers report of a frame; the types of the platform do not know all of it. Milliseconds of performance.now(). Of one that
 * goes over relays, where no browser makes packets, the time by which its host tells it from others is in the timestamp's place.
 */
export interface Timed {
  rtpTimestamp: number;
  captureTime: number;
  receiveTime: number;
}

/** A copy of what is shown of a frame. */
export function beginningOf(bytes: ArrayBuffer | Uint8Array): Uint8Array {
  const whole = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  return whole.slice(0, SAMPLE);
}

function overhear({ port, tag }: { port: MessagePort; tag: number }, { wire, isKey, mimeType = "" }: Leaving): void {
  const data = wire.slice(0);
  port.postMessage({ data, isKey, mimeType, tag } satisfies Overheard, [data]);
}
