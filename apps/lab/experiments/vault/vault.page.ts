import { indexOf, Player } from "@sealcast/recording";
import { type OpenFile, streamed, VaultClient } from "@sealcast/vault";
import chunkUrl from "@sealcast/vault/chunk-worker?worker&url";
import vaultUrl from "@sealcast/vault/worker?worker&url";
import { longRecording } from "./long-recording.page.ts";
import type {
  FromVaultWorker,
  LabVault,
  RecordingMade,
  SeekKind,
  ToVaultWorker,
  VaultPass,
  VaultPassed,
} from "./vault.ts";

const PASSPHRASE = "a passphrase of the lab";
/** Times are those of frames, 30 a second. */
const FRAME_SECONDS = 1 / 30;
/** What a person waits for at most, and then some. */
const PATIENCE_MS = 20_000;
/** As a slider gives them while it is dragged. */
const DRAGGED = 8;
const DRAG_GAP_MS = 30;
/** Less than the player reads ahead: all fragments are read. */
const STRIDE_SECONDS = 8;

/** Each pass has workers of its own, as each file of the product has. */
export function vault(): LabVault {
  let played: Played | null = null;
  const opened = () => {
    if (played === null) throw new Error("no recording was made");
    return played;
  };
  return {
    async vaultPass(pass) {
      const chunks = Array.from({ length: pass.arm.type === "sealed" ? pass.arm.workers : 0 }, startChunks);
      const worker = new Worker(new URL("./vault.worker.ts", import.meta.url), { type: "module" });
      try {
        return await passed(worker, pass, chunks.map(portTo));
      } finally {
        for (const each of [worker, ...chunks]) each.terminate();
      }
    },
    async makeRecording(bytes) {
      played = await Played.make(bytes);
      return played.made;
    },
    seeks: (kind, count) => opened().seeks(kind, count),
    readThrough: () => opened().readThrough(),
    playThrough: () => opened().playThrough(),
  };
}

/** A long recording in a vault of this page, in the product's own player. */
class Played {
  readonly made: RecordingMade;
  readonly #vault: VaultClient;
  readonly #id: string;
  readonly #video: HTMLVideoElement;
  readonly #player: Player;
  #error: Error | null = null;

  static async make(bytes: number): Promise<Played> {
    const vault = new VaultClient({
      vault: () => new Worker(vaultUrl, { type: "module" }),
      chunks: startChunks,
      ranges: () => Promise.reject(new Error("a recording plays without a service worker")),
    });
    await vault.call("setUp", PASSPHRASE);
    const since = performance.now();
    const writing = await vault.create({ title: "Long", kind: "video/mp4", people: [] });
    const seconds = await longRecording(bytes, (fragment) => writing.append(fragment));
    await writing.finish({ seconds, kind: "video/mp4", people: [], thumbnail: new Uint8Array() });
    const makeMs = performance.now() - since;
    const file = await vault.open(writing.id);
    const [indexMs, index] = await timed(() => indexOf(file));
    const [walkMs] = await timed(() => indexOf(file, { ...index, fragments: [] }));
    const made = { bytes: file.entry.bytes, seconds, fragments: index.fragments.length, makeMs, indexMs, walkMs };
    return new Played(vault, writing.id, file, index, made);
  }

  private constructor(
    vault: VaultClient,
    id: string,
    file: OpenFile,
    index: Awaited<ReturnType<typeof indexOf>>,
    made: RecordingMade,
  ) {
    this.made = made;
    this.#vault = vault;
    this.#id = id;
    this.#video = Object.assign(document.createElement("video"), { muted: true, width: 640 });
    document.body.append(this.#video);
    this.#player = new Player(this.#video, file, index, (error) => {
      this.#error = error;
      this.#player.close();
    });
  }

  /** Milliseconds of each seek, from when the time is set to when its frame is presented. */
  async seeks(kind: SeekKind, count: number): Promise<number[]> {
    const { seconds } = this.made;
    const times: number[] = [];
    await this.#seek(seconds / 2);
    for (let n = 0; n < count; n++) {
      // Spread over the file, in no order: the golden ratio's multiples.
      const at = ((n + 1) * 0.618_034) % 1;
      if (kind === "random") times.push(await this.#seek(at * (seconds - 2)));
      if (kind === "to and fro") times.push(await this.#seek(seconds * (n % 2 === 0 ? 0.2 : 0.7)));
      if (kind === "dragged") times.push(await this.#drag(at * (seconds - 60)));
    }
    return times;
  }

  /** MB a second, of the whole file in pieces of a megabyte. */
  async readThrough(): Promise<number> {
    const file = await this.#vault.open(this.#id);
    let bytes = 0;
    const [ms] = await timed(async () => {
      for await (const piece of streamed(file)) bytes += piece.length;
    });
    if (bytes !== this.made.bytes) throw new Error(`of ${this.made.bytes} bytes ${bytes} were read`);
    return bytes / 1e3 / ms;
  }

  /** Every fragment goes through the player. */
  async playThrough(): Promise<void> {
    for (let at = 0; at < this.made.seconds - 1; at += STRIDE_SECONDS) await this.#seek(at);
  }

  async #drag(to: number): Promise<number> {
    for (let n = DRAGGED; n > 0; n--) {
      this.#video.currentTime = to + 5 * n;
      await new Promise((next) => setTimeout(next, DRAG_GAP_MS));
    }
    return this.#seek(to);
  }

  async #seek(to: number): Promise<number> {
    const at = Math.floor(to) + 0.5;
    const since = performance.now();
    const seeked = new Promise((done) => this.#video.addEventListener("seeked", done, { once: true }));
    const presented = this.#presented(at);
    this.#video.currentTime = at;
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(this.#error ?? new Error(`no frame of ${at} s came`)), PATIENCE_MS),
    );
    await Promise.race([Promise.all([seeked, presented]), late]);
    return performance.now() - since;
  }

  /** Resolves when the frame of this time is presented. */
  async #presented(at: number): Promise<void> {
    for (;;) {
      const { mediaTime } = await new Promise<VideoFrameCallbackMetadata>((done) =>
        this.#video.requestVideoFrameCallback((_, metadata) => done(metadata)),
      );
      if (Math.abs(mediaTime - at) < 1.5 * FRAME_SECONDS) return;
    }
  }
}

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, T]> {
  const since = performance.now();
  const result = await work();
  return [performance.now() - since, result];
}

function startChunks(): Worker {
  return new Worker(chunkUrl, { type: "module" });
}

function portTo(worker: Worker): MessagePort {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  return port1;
}

function passed(worker: Worker, pass: VaultPass, ports: MessagePort[]): Promise<VaultPassed> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FromVaultWorker>) => {
      if ("error" in data) reject(new Error(data.error));
      else resolve(data);
    };
    worker.onerror = ({ message }) => reject(new Error(message));
    const ask: ToVaultWorker = { ...pass, ports };
    worker.postMessage(ask, ports);
  });
}
