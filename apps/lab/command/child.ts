import { type ChildProcess, type Serializable, spawn } from "node:child_process";
import { join } from "node:path";

/** A process of the command's own that does one task at a time and answers each: what it costs is not this one's. */
export class Child<Task extends Serializable, Answer> {
  readonly #name: string;
  readonly #child: ChildProcess;

  /** `name`: as `dist/command` has it, where this runs. `under`: a program that starts it, as `taskset` does. */
  constructor(name: string, under: readonly string[] = []) {
    this.#name = name;
    const [program = "", ...args] = [...under, process.execPath, join(import.meta.dirname, `${name}.js`)];
    this.#child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  }

  /** Rejects when the process ends. */
  do(task: Task): Promise<Answer> {
    return new Promise((done, failed) => {
      this.#child.removeAllListeners();
      this.#child.once("message", (answer) => done(answer as Answer));
      this.#child.once("exit", () => failed(new Error(`${this.#name} ended: see the lines above`)));
      this.#child.send(task);
    });
  }

  close(): void {
    this.#child.removeAllListeners();
    this.#child.kill();
  }
}
