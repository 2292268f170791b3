import { CAMERA } from "../../src/shared/camera.ts";
import type { PathBlock, PathPassed } from "../../src/shared/lab.ts";
import { type Passages, type PathArm, type PathOptions, type PathRequest, type PathStart, pair } from "./frame-path.ts";
import { type Attach, Loopback } from "./loopback.page.ts";

/** A connection has this long until its far end decodes the first picture. */
const START_MS = 10_000;
const POLL_MS = 50;

/** Sends the camera's picture through an arm's transforms, on a fresh connection for each block. */
export class FramePath {
  readonly #media = navigator.mediaDevices.getUserMedia({ video: CAMERA, audio: true });
  /** Kept from block to block: their code is as warm as in a call. */
  readonly #workers = new Map<PathArm, Promise<PathWorker>>();
  #tracks = 0;

  /** See LabPage. */
  async run({ arm, codec, warmUp, ms }: PathBlock): Promise<PathPassed> {
    const starting = this.#workers.get(arm) ?? PathWorker.start(arm);
    this.#workers.set(arm, starting);
    const [worker, media] = await Promise.all([starting, this.#media]);
    const attach: Attach = (side, kind) =>
      worker.transform({ side, track: { number: this.#tracks++, kind, codec: kind === "audio" ? "opus" : codec } });
    const connection = new Loopback(attach);
    try {
      await connection.start(media, codec);
      if (!(await decodes(connection))) throw new Error(`${arm}, ${codec}: the far end decodes nothing`);
      await pause(warmUp);
      await worker.ask("take");
      const before = await connection.decoded();
      await pause(ms);
      const passages = await worker.ask("end");
      const { frames, height } = await connection.decoded();
      if (height !== CAMERA.height) throw new Error(`the picture came with ${height} lines, not ${CAMERA.height}`);
      return { video: passed(passages, "video"), audio: passed(passages, "audio"), decoded: frames - before.frames };
    } finally {
      connection.close();
    }
  }
}

/** A worker with an arm's module in it. */
class PathWorker {
  readonly #worker = new Worker(new URL("./frame-path.worker.ts", import.meta.url), { type: "module" });
  readonly #port: MessagePort;

  private constructor(port: MessagePort) {
    this.#port = port;
  }

  /** Resolves when the module is loaded and has its keys. */
  static async start(arm: PathArm): Promise<PathWorker> {
    const { port1, port2 } = new MessageChannel();
    const worker = new PathWorker(port1);
    const ready = worker.#answer();
    worker.#worker.postMessage({ arm, port: port2 } satisfies PathStart, [port2]);
    await ready;
    return worker;
  }

  transform(options: PathOptions): RTCRtpScriptTransform {
    return new RTCRtpScriptTransform(this.#worker, options);
  }

  /** Calls must not overlap. */
  ask(request: PathRequest): Promise<Passages[]> {
    const answer = this.#answer();
    this.#port.postMessage(request);
    return answer;
  }

  #answer(): Promise<Passages[]> {
    return new Promise((resolve, reject) => {
      this.#port.onmessage = ({ data }: MessageEvent<Passages[]>) => resolve(data);
      this.#worker.onerror = ({ message }) => reject(new Error(`a worker failed: ${message}`));
    });
  }
}

/** Whether the far end decodes pictures: waits for the first. */
async function decodes(connection: Loopback): Promise<boolean> {
  const deadline = performance.now() + START_MS;
  while ((await connection.decoded()).frames === 0) {
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
  return true;
}

function passed(passages: readonly Passages[], kind: "audio" | "video"): PathPassed["video"] {
  const at = (side: PathOptions["side"]) => {
    const transform = passages.find((other) => other.side === side && other.track.kind === kind);
    if (transform === undefined) throw new Error(`no transform to ${side} ${kind} was attached`);
    return transform;
  };
  const [sealed, opened] = [at("seal"), at("open")];
  return { frames: pair(sealed.passed, opened.passed), lost: sealed.lost + opened.lost };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
