import type {
  FromPlayerWorker,
  PlayerConfig,
  PlayerEvent,
  PlayerFigures,
  PlayerFrame,
  PlayerMode,
  ToPlayerWorker,
} from "../shared/messages.ts";
import { StreamOutput, transferablesOf } from "./stream-output.ts";

const NO_FIGURES: PlayerFigures = {
  ...{ latenessMs: 0, targetMs: 0, bufferMs: 0, decoded: 0, came: 0, waiting: 0, shown: 0, dropped: {} },
  ...{ audioUnderruns: 0, jumps: 0, driftPpm: 0, pictures: new Float64Array() },
};

/** Plays a stream in a worker of its own. */
export class WorkerPlayer {
  readonly output: StreamOutput;
  readonly #worker: Worker;
  readonly #asked: ((figures: PlayerFigures) => void)[] = [];
  #latest = NO_FIGURES;
  #isClosed = false;

  /** @throws Where the browser has no AudioWorklet or does not load its script: then the worker ends. */
  static async open(worker: Worker, mode: PlayerMode, told: (event: PlayerEvent) => void): Promise<WorkerPlayer> {
    try {
      return new WorkerPlayer(worker, await StreamOutput.open(), mode, told);
    } catch (error) {
      worker.terminate();
      throw error;
    }
  }

  private constructor(worker: Worker, output: StreamOutput, mode: PlayerMode, told: (event: PlayerEvent) => void) {
    this.output = output;
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<FromPlayerWorker>) => {
      if (data.type === "event") return told(data.event);
      this.#latest = data.figures;
      this.#answer();
    });
    worker.addEventListener("error", () => this.#answer());
    const { outputs } = output;
    this.#post({ type: "open", outputs, mode }, transferablesOf(outputs));
  }

  set mode(mode: PlayerMode) {
    this.#post({ type: "mode", mode });
  }

  configure(config: PlayerConfig): void {
    this.#post({ type: "configure", config });
  }

  /** The other end of the port gives a track's frames from now on. */
  feed(track: PlayerFrame["track"], port: MessagePort): void {
    this.#post({ type: "feed", track, port }, [port]);
  }

  /** The latest that there are where the worker says none any more. */
  figures(): Promise<PlayerFigures> {
    if (this.#isClosed) return Promise.resolve(this.#latest);
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      this.#post({ type: "figures" });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#worker.terminate();
    this.output.close();
    this.#answer();
  }

  #answer(): void {
    for (const answer of this.#asked.splice(0)) answer(this.#latest);
  }

  #post(message: ToPlayerWorker, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
