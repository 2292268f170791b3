import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { openLab } from "../../command/bench.ts";
import type { Experiment } from "../../command/experiment.ts";
import { BROKEN, type BrokenPass, type BrokenPassed } from "./batch-child.command.ts";
import { type BatchArm, gpuOf, batch as inPage } from "./experiment.ts";

const CHILD = join(import.meta.dirname, "batch-child.js");
const WEBGPU = "--enable-unsafe-webgpu";
const SOFTWARE = "--use-webgpu-adapter=swiftshader";

export const batch: Experiment = {
  async run(bench) {
    const broken = new Broken();
    const gpu = await openGpu();
    try {
      const comparators = BROKEN.map((scheme) => broken.arm(scheme));
      return await inPage(bench, gpu, comparators);
    } finally {
      broken.close();
      await gpu?.close();
    }
  },
};

/** A browser that may use a graphics processor: this machine's, or else the program that stands in for one. */
async function openGpu() {
  for (const more of [[WEBGPU], [WEBGPU, SOFTWARE]]) {
    const lab = await openLab({ more });
    const gpu = await gpuOf(lab);
    if (gpu !== null) return { ...gpu, close: lab.close };
    await lab.close();
  }
  return null;
}

/** The paper's ciphers, in a Node process whose OpenSSL has them. One pass at a time. */
class Broken {
  readonly #child: ChildProcess = fork(CHILD, { execArgv: ["--openssl-legacy-provider"] });

  arm(scheme: BrokenPass["scheme"]): BatchArm {
    return {
      scheme: `${scheme} (broken)`,
      by: "1 Node process",
      paper: scheme.includes("over") ? "AES over DES (broken)" : scheme.startsWith("DES") ? "DES (broken)" : "AES",
      run: (images) => this.#pass({ scheme, images }),
    };
  }

  close(): void {
    this.#child.removeAllListeners();
    this.#child.kill();
  }

  #pass(pass: BrokenPass): Promise<BrokenPassed> {
    return new Promise((resolve, reject) => {
      this.#child.removeAllListeners();
      this.#child.once("message", (passed) => resolve(passed as BrokenPassed));
      this.#child.once("exit", () => reject(new Error("Node's OpenSSL failed: see the lines above")));
      this.#child.send(pass);
    });
  }
}
