import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Experiment } from "../../command/experiment.ts";
import type { BlowfishPass, BlowfishPassed } from "./blowfish-child.command.ts";
import { vault as inPage } from "./experiment.ts";
import { openProfile } from "./profile.command.ts";

/** Seen from dist/command, where this runs. */
const CHILD = join(import.meta.dirname, "blowfish-child.js");

export const vault: Experiment = {
  async run(bench) {
    const lab = await openProfile();
    const blowfish = new Blowfish();
    const name = "Blowfish-128-CTR, RSA-2048 (broken; Node, ext4)";
    try {
      const { ask, memoryMB } = lab;
      return await inPage({ ...bench, ask, memoryMB }, [{ name, run: (bytes) => blowfish.pass(bytes) }]);
    } finally {
      blowfish.close();
      await lab.close();
    }
  },
};

/** The paper's cipher, in a Node process whose OpenSSL has it. Its files lie in a directory that `close` removes. */
class Blowfish {
  readonly #child: ChildProcess = fork(CHILD, { execArgv: ["--openssl-legacy-provider"] });
  readonly #directory = mkdtempSync(join(tmpdir(), "sealcast-lab-"));

  pass(bytes: number): Promise<BlowfishPassed> {
    return new Promise((resolve, reject) => {
      this.#child.removeAllListeners();
      this.#child.once("message", (passed) => resolve(passed as BlowfishPassed));
      this.#child.once("exit", () => reject(new Error("Node's OpenSSL failed: see the lines above")));
      const pass: BlowfishPass = { directory: this.#directory, bytes };
      this.#child.send(pass);
    });
  }

  close(): void {
    this.#child.removeAllListeners();
    this.#child.kill();
    rmSync(this.#directory, { recursive: true });
  }
}
