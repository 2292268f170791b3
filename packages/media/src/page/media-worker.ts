import type { SignedBatch, VideoSource } from "@sealcast/frame";
import type { FanOutOrder, FanOutReport, FanOutWish } from "../shared/fan-out.ts";
import type { FromMedia, StreamCounter, ToMedia, TrackReport, TransformOptions } from "../shared/messages.ts";
import type { WorkerTimings } from "../shared/timings.ts";

const PING_EVERY_MS = 100;
/** Loading its script takes a worker a while on a busy machine. */
const BORN_WITHIN_MS = 5_000;
/** A worker that has not reported by then is busy or dead. Reports are asked for every half second. */
const REPORT_WITHIN_MS = 400;

/** What a worker is to know of policies. */
export type PolicyRule = Extract<ToMedia, { type: "follow" | "announced" | "forget-policies" }>;

/** What a worker counted. */
export interface WorkerReport {
  tracks: TrackReport[];
  fanOuts: FanOutReport[];
  /** The highest counters sealed in the epoch that is sent in. */
  sealed: StreamCounter[];
}

interface Events {
  heard(message: Extract<FromMedia, { id: string }>): void;
  wishes(source: VideoSource, wish: FanOutWish): void;
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
  readonly #pinging: ReturnType<typeof setInterval>;
  #requests = 0;
  /** Pings since the last sign of life. Time itself would not do: the page may have been busy, or asleep. */
  #unanswered = 0;
  #patience = BORN_WITHIN_MS;
  readonly #livingPatience: number;

  /** `patience`: milliseconds without an answer after which the worker is taken for dead. */
  constructor(worker: Worker, keys: (port: MessagePort) => void, patience: number, events: Events) {
    this.#worker = worker;
    this.#events = events;
    this.#livingPatience = patience;
    worker.addEventListener("message", ({ data }: MessageEvent<FromMedia>) => this.#heard(data));
    const channel = new MessageChannel();
    keys(channel.port1);
    this.#post({ type: "keys", port: channel.port2 }, [channel.port2]);
    this.#pinging = setInterval(() => this.#ping(), PING_EVERY_MS);
  }

  /** The highest counters it has told of. */
  get counters(): StreamCounter[] {
    return [...this.#counters.values()];
  }

  transform(options: TransformOptions): RTCRtpScriptTransform {
    return new RTCRtpScriptTransform(this.#worker, options);
  }

  /** For a worker that takes another's place, before its first transform. */
  refuseUpTo(floors: StreamCounter[]): void {
    this.#remember(floors);
    this.#post({ type: "floors", floors });
  }

  rule(rule: PolicyRule): void {
    this.#post(rule);
  }

  verify(signed: SignedBatch): void {
    this.#post({ type: "signatures", signed });
  }

  needKeyFrame(id: string): void {
    this.#post({ type: "key-frame", id });
  }

  keyFrameComes(id: string): void {
    this.#post({ type: "key-frame-comes", id });
  }

  fanOut(source: VideoSource, order: FanOutOrder, transfer: Transferable[] = []): void {
    this.#post({ type: "fan-out", source, order }, transfer);
  }

  release(id: string): void {
    this.#post({ type: "release", id });
  }

  report(): Promise<WorkerReport> {
    const request = this.#requests++;
    return new Promise((resolve) => {
      const silent = setTimeout(() => this.#answer(request, { tracks: [], fanOuts: [], sealed: [] }), REPORT_WITHIN_MS);
      this.#asked.set(request, (report) => {
        clearTimeout(silent);
        resolve(report);
      });
      this.#post({ type: "report", request });
    });
  }

  /** Null where it does not answer. */
  timings(): Promise<WorkerTimings | null> {
    const request = this.#requests++;
    return new Promise((resolve) => {
      const silent = setTimeout(() => this.#timed(request, null), REPORT_WITHIN_MS);
      this.#askedTimings.set(request, (timings) => {
        clearTimeout(silent);
        resolve(timings);
      });
      this.#post({ type: "timings", request });
    });
  }

  eavesdrop(id: string, port: MessagePort | null): void {
    this.#post({ type: "eavesdrop", id, port }, port === null ? [] : [port]);
  }

  close(): void {
    clearInterval(this.#pinging);
    this.#worker.terminate();
  }

  #ping(): void {
    this.#unanswered++;
    if (this.#unanswered * PING_EVERY_MS <= this.#patience) return this.#post({ type: "ping" });
    clearInterval(this.#pinging);
    this.#events.dead();
  }

  #heard(message: FromMedia): void {
    this.#unanswered = 0;
    this.#patience = this.#livingPatience;
    if (message.type === "alive") this.#remember(message.counters);
    else if (message.type === "report") this.#answer(message.request, message);
    else if (message.type === "timings") this.#timed(message.request, message.timings);
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

  #post(message: ToMedia, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
