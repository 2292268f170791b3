import type { RecordedFrame } from "../../src/shared/replay.ts";
import type { SignaturesJob, SignaturesPass, SignaturesPassed } from "./signatures.ts";

/** The page's side of the worker in which frames are sealed and opened, with signatures or without. */
export class Signatures {
  readonly #worker = new Worker(new URL("./signatures.worker.ts", import.meta.url), { type: "module" });

  /** See LabPage. One at a time. */
  pass(frames: RecordedFrame[], { signed }: SignaturesPass): Promise<SignaturesPassed> {
    return new Promise((resolve, reject) => {
      this.#worker.onmessage = ({ data }: MessageEvent<SignaturesPassed>) => resolve(data);
      this.#worker.onerror = ({ message }) => reject(new Error(`the worker failed: ${message}`));
      this.#worker.postMessage({ frames, signed } satisfies SignaturesJob);
    });
  }
}
