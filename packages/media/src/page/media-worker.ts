import type { SignedBatch, VideoSource } from "@sealcast/frame";
import { type Cancel, type Clock, every, type Milli, milli } from "@sealcast/time";
import type { FanOutOrder, FanOutReport, FanOutWish } from "../shared/fan-out.ts";
import type {
  FromMedia,
  RelayedOptions,
  StreamCounter,
  ToMedia,
  TrackReport,
  TransformOptions,
} from "../shared/messages.ts";
import type { WorkerTimings } from "../shared/timings.ts";

const PING_GAP = milli(100);
/** Loading its script takes a worker a while on a busy machine. */
const BORN_WITHIN = milli(5_000);
/** A worker that has not reported by then is busy or dead. Reports are asked for every half second. */
const REPORT_WITHIN = milli(400);

/** What a worker is to know of policies. */
export type PolicyRule = Extract<ToMedia, { type: "follow" | "announced" | "forget-policies" }>;

/** What a worker counted. */
export interface WorkerReport {
  tracks: TrackReport[];
  fanOuts: FanOutReport[];
  /** The highest counters sealed in the epoch that is sent in. */
  sealed: StreamCounter[];
}

/** Where frames of one track come from that came over a relay, where they go, and their MIME type. */
export interface RelayedPorts {
  readonly mimeType: string;
  readonly from: MessagePort;
  readonly to: MessagePort;
}

interface Events {
  heard(message: Extract<FromMedia, { id: string }>): void;
  wishes(source: VideoSource, wish: FanOutWish): void;
  /** A batch of signatures of the sound that goes to relays. */
  soundSigned(batch: Uint8Array): void;
  /** Said once. */
  dead(): void;
}

/** The page's side of one media worker: asks it every 100 ms whether it lives, since a worker that dies says nothing. */
export class MediaWorker {
  readonly #worker: Worker;
  readonly #events: Events;
  readonly #counters = new Map<string, StreamCounter>();
  readonly #asked = new Map<number, (report: WorkerReport) => void>();
  readonly #askedTimings = new Map<number, (timings: WorkerTimings | null) => void>();
  readonly #clock: Clock;
  readonly #stopPinging: Cancel;
  #requests = 0;
  /** Pings since the last sign of life. Time itself would not do: the page may have been busy, or asleep. */
  #unanswered = 0;
  #patience = BORN_WITHIN;
  readonly #livingPatience: Milli;

  /** `patience`: without an answer for longer the worker is taken for dead. */
  constructor(worker: Worker, keys: (port: MessagePort) => void, patience: Milli, clock: Clock, events: Events) {
    this.#worker = worker;
    this.#clock = clock;
    this.#events = events;
    this.#livingPatience = patience;
    worker.addEventListener("message", ({ data }: MessageEvent<FromMedia>) => this.#heard(data));
    const channel = new MessageChannel();
    keys(channel.port1);
    this.post({ type: "keys", port: channel.port2 }, [channel.port2]);
    this.#stopPinging = every(clock, PING_GAP, () => this.#ping());
  }

  /** The highest counters it has told of. */
  get counters(): StreamCounter[] {
    return [...this.#counters.values()];
  }

  transform(options: TransformOptions): RTCRtpScriptTransform {
    return new RTCRtpScriptTransform(this.#worker, options);
  }

  openRelayed(options: RelayedOptions, { mimeType, from, to }: RelayedPorts): void {
    this.post({ type: "open-relayed", options, mimeType, from, to }, [from, to]);
  }

  /** For a worker that takes another's place, before its first transform. */
  refuseUpTo(floors: StreamCounter[]): void {
    this.#remember(floors);
    this.post({ type: "floors", floors });
  }

  rule(rule: PolicyRule): void {
    this.post(rule);
  }

  /** `age`: how long ago it came. */
  verify(signed: SignedBatch, age: Milli): void {
    this.post({ type: "signatures", signed, age });
  }

  needKeyFrame(id: string): void {
    this.post({ type: "key-frame", id });
  }

  keyFrameComes(id: string): void {
    this.post({ type: "key-frame-comes", id });
  }

  fanOut(source: VideoSource, order: FanOutOrder, transfer: Transferable[] = []): void {
    this.post({ type: "fan-out", source, order }, transfer);
  }

  release(id: string): void {
    this.post({ type: "release", id });
  }

  report(): Promise<WorkerReport> {
    const request = this.#requests++;
    return new Promise((resolve) => {
      const nothing = { tracks: [], fanOuts: [], sealed: [] };
      const cancel = this.#clock.after(REPORT_WITHIN, () => this.#answer(request, nothing));
      this.#asked.set(request, (report) => {
        cancel();
        resolve(report);
      });
      this.post({ type: "report", request });
    });
  }

  /** Null where it does not answer. */
  timings(): Promise<WorkerTimings | null> {
    const request = this.#requests++;
    return new Promise((resolve) => {
      const cancel = this.#clock.after(REPORT_WITHIN, () => this.#timed(request, null));
      this.#askedTimings.set(request, (timings) => {
        cancel();
        resolve(timings);
      });
      this.post({ type: "timings", request });
    });
  }

  eavesdrop(id: string, port: MessagePort | null): void {
    this.post({ type: "eavesdrop", id, port }, port === null ? [] : [port]);
  }

  close(): void {
    this.#stopPinging();
    this.#worker.terminate();
  }

  #ping(): void {
    this.#unanswered++;
    if (this.#unanswered * PING_GAP <= this.#patience) return this.post({ type: "ping" });
    this.#stopPinging();
    this.#events.dead();
  }

  #heard(message: FromMedia): void {
    this.#unanswered = 0;
    this.#patience = this.#livingPatience;
    if (message.type === "alive") this.#remember(message.counters);
    else if (message.type === "report") this.#answer(message.request, message);
    else if (message.type === "timings") this.#timed(message.request, message.timings);
    else if (message.type === "sound-signed") this.#events.soundSigned(message.batch);
    else if (message.type === "fan-out-wishes") this.#events.wishes(message.source, message.wish);
    else this.#events.heard(message);
  }

  #remember(counters: readonly StreamCounter[]): void {
    for (const counter of counters) this.#counters.set(`${counter.epochId} ${counter.kid}`, counter);
  }

  #answer(request: number, report: WorkerReport): void {
    this.#asked.get(request)?.(report);
    this.#asked.delete(request);
  }

  #timed(request: number, timings: WorkerTimings | null): void {
    this.#askedTimings.get(request)?.(timings);
    this.#askedTimings.delete(request);
  }

  post(message: ToMedia, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
