import type { Pace, PacketRequest, PacketSession, PacketTimes, Pictures } from "./selective.ts";

/** A worker that makes packets of pictures and seals them. */
export class PacketWorker {
  readonly #worker = new Worker(new URL("./selective.worker.ts", import.meta.url), { type: "module" });

  constructor(pictures: Uint8Array[]) {
    this.#worker.postMessage({ pictures } satisfies Pictures);
  }

  /** Calls must not overlap. */
  session(session: PacketSession): Promise<PacketTimes> {
    return new Promise((resolve, reject) => {
      this.#worker.onmessage = ({ data }: MessageEvent<PacketTimes>) => resolve(data);
      this.#worker.onerror = ({ message }) => reject(new Error(`a worker failed: ${message}`));
      this.#ask({ type: "session", ...session });
    });
  }

  /** Goes on until `close`. */
  pace(pace: Pace): void {
    this.#ask({ type: "pace", ...pace });
  }

  close(): void {
    this.#worker.terminate();
  }

  #ask(request: PacketRequest): void {
    this.#worker.postMessage(request);
  }
}

/** Not in the platform's types yet. Of an isolated page and its workers; the browser may take its time. */
interface MemoryMeter {
  measureUserAgentSpecificMemory(): Promise<{ bytes: number }>;
}

/** What the command's browsers take at most; others wait until they next clean up, half a minute perhaps. */
const PATIENCE_MS = 2_000;

/** Bytes that this page and its workers hold; NaN where the browser does not say so at once. */
export async function memory(): Promise<number> {
  const meter = performance as Performance & MemoryMeter;
  const late = new Promise<{ bytes: number }>((resolve) =>
    setTimeout(() => resolve({ bytes: Number.NaN }), PATIENCE_MS),
  );
  return (await Promise.race([meter.measureUserAgentSpecificMemory(), late])).bytes;
}
