import type { Source } from "@sealcast/frame";
import type { FromMedia, MediaKind, ToMedia, TrackReport, TransformOptions } from "../shared/messages.ts";

/** A transform in one of the pool's workers. */
export interface Attachment {
  id: string;
  /** Resolves when the worker holds the track and, on the sealing side, a key: only then may media be attached. */
  ready: Promise<void>;
  /** Call when the track's connection is closed. */
  release(): void;
}

const MAX_WORKERS = 4;
/** A worker that has not reported by then is busy or dead. */
const REPORT_WITHIN_MS = 1_000;
/** A video frame costs several times an audio frame's work. */
const LOAD: Record<MediaKind, number> = { audio: 1, video: 4 };

interface Slot {
  worker: Worker;
  load: number;
}

/**
 * Places whole tracks on workers: a track stays with one worker for life, since browsers silently drop frames that come
 * back in another order. Owns its workers; `close` ends them.
 */
export class MediaPool {
  readonly #slots: Slot[];
  readonly #ready = new Map<string, () => void>();
  readonly #asked = new Map<number, (tracks: TrackReport[]) => void>();
  #ids = 0;
  #requests = 0;
  #instances = 0;

  /** `keys` hands one end of a channel to the keys worker, which speaks to each media worker directly. */
  constructor(spawn: () => Worker, keys: (port: MessagePort) => void, cores: number = navigator.hardwareConcurrency) {
    const size = Math.min(Math.max(cores, 1), MAX_WORKERS);
    this.#slots = Array.from({ length: size }, () => ({ worker: spawn(), load: 0 }));
    for (const { worker } of this.#slots) {
      worker.addEventListener("message", ({ data }: MessageEvent<FromMedia>) => this.#heard(data));
      const channel = new MessageChannel();
      keys(channel.port1);
      post(worker, { type: "keys", port: channel.port2 }, [channel.port2]);
    }
  }

  /** The counters of every live transform as they are now, by attachment id. A worker that does not answer is left out. */
  async report(): Promise<Map<string, TrackReport>> {
    const reports = await Promise.all(this.#slots.map(({ worker }) => this.#ask(worker)));
    return new Map(reports.flat().map((report) => [report.id, report]));
  }

  /** Call in the task that made the transceiver, before any await. */
  seal(sender: RTCRtpSender, kind: MediaKind, source: Source): Attachment {
    const options = { id: this.#id(), side: "seal", kind, source, instance: this.#instances++ } as const;
    return this.#attach(options, (transform) => {
      sender.transform = transform;
    });
  }

  /** Call inside the `track` event or in the task that made the transceiver, before any await. */
  open(receiver: RTCRtpReceiver, kind: MediaKind, source: Source, leaf: number): Attachment {
    return this.#attach({ id: this.#id(), side: "open", kind, source, leaf }, (transform) => {
      receiver.transform = transform;
    });
  }

  close(): void {
    for (const { worker } of this.#slots) worker.terminate();
  }

  #id(): string {
    return `t${this.#ids++}`;
  }

  #attach(options: TransformOptions, set: (transform: RTCRtpScriptTransform) => void): Attachment {
    const slot = this.#slots.reduce((least, next) => (next.load < least.load ? next : least));
    const load = LOAD[options.kind];
    slot.load += load;
    const ready = new Promise<void>((resolve) => this.#ready.set(options.id, resolve));
    set(new RTCRtpScriptTransform(slot.worker, options));
    return {
      id: options.id,
      ready,
      release: () => {
        slot.load -= load;
        this.#ready.delete(options.id);
        post(slot.worker, { type: "release", id: options.id });
      },
    };
  }

  #ask(worker: Worker): Promise<TrackReport[]> {
    const request = this.#requests++;
    return new Promise((resolve) => {
      const silent = setTimeout(() => this.#answer(request, []), REPORT_WITHIN_MS);
      this.#asked.set(request, (tracks) => {
        clearTimeout(silent);
        resolve(tracks);
      });
      post(worker, { type: "report", request });
    });
  }

  #heard(message: FromMedia): void {
    if (message.type === "ready") this.#ready.get(message.id)?.();
    else this.#answer(message.request, message.tracks);
  }

  #answer(request: number, tracks: TrackReport[]): void {
    this.#asked.get(request)?.(tracks);
    this.#asked.delete(request);
  }
}

function post(worker: Worker, message: ToMedia, transfer: Transferable[] = []): void {
  worker.postMessage(message, transfer);
}
