import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { BandwidthRequest, Burst, BurstTimes, NodeCipher, Point, PointRun } from "./bandwidth.ts";

/** Seen from dist/command, where this runs. */
const CHILD = join(import.meta.dirname, "openssl-child.js");

/** A Node process whose OpenSSL has the paper's ciphers too. One request at a time. */
export class OpensslProcess {
  readonly #child: ChildProcess = fork(CHILD, { execArgv: ["--openssl-legacy-provider"] });

  burst(burst: Burst<NodeCipher>): Promise<BurstTimes> {
    return this.#ask(burst);
  }

  point(point: Point<NodeCipher>): Promise<PointRun> {
    return this.#ask(point);
  }

  close(): void {
    this.#child.removeAllListeners();
    this.#child.kill();
  }

  #ask<Answer>(request: BandwidthRequest<NodeCipher>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#child.removeAllListeners();
      this.#child.once("message", (figures) => resolve(figures as Answer));
      this.#child.once("exit", () => reject(new Error("Node's OpenSSL failed: see the lines above")));
      this.#child.send(request);
    });
  }
}
