import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./ports.ts";
import { root } from "./root.ts";

/** As pino numbers levels. */
const WARN = 40;
const MAIN = join(root, "server/dist/main.js");

interface Start {
  /** A free one unless given. */
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** What runs it: a command with its arguments, Node's come last. */
  readonly under?: readonly string[];
}

/** The real server as its own process, on a port that stays the same across a restart. It goes with this process at the latest. */
export class Server {
  readonly port: number;
  /** Every line that it logged. */
  readonly logged: string[] = [];
  readonly #start: Start;
  #process: ChildProcess | null = null;
  readonly #kill = () => void this.#process?.kill();

  private constructor(port: number, start: Start) {
    this.port = port;
    this.#start = start;
  }

  /** Done when it listens. */
  static async start(start: Start = {}): Promise<Server> {
    const server = new Server(start.port ?? (await freePort()), start);
    await server.#run();
    return server;
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** Kills the process as a crash would, and starts a new one that remembers nothing. */
  async crashAndRestart(): Promise<void> {
    await this.stop("SIGKILL");
    await this.#run();
  }

  /** Asks it to stop, or has it end at once; done when it is gone. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const running = this.#process;
    process.off("exit", this.#kill);
    if (running === null || running.exitCode !== null) return;
    const exit = once(running, "exit");
    running.kill(signal);
    await exit;
    this.#process = null;
  }

  async #run(): Promise<void> {
    const { environment, under = [] } = this.#start;
    const env = { ...process.env, LOG_LEVEL: "info", ...environment, PORT: String(this.port) };
    const [program = "", ...args] = [...under, process.execPath, MAIN];
    const running = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    this.#process = running;
    process.once("exit", this.#kill);
    const died = once(running, "exit").then(([code]) => {
      throw new Error(`The server ended with code ${code} before it listened.`);
    });
    died.catch(() => undefined);
    const listening = new Promise<void>((resolve) => {
      createInterface(running.stdout).on("line", (line) => {
        if (this.#log(line) === "listening") resolve();
      });
    });
    await Promise.race([listening, died]);
  }

  /** Gives the event's name. */
  #log(line: string): string {
    this.logged.push(line);
    const { level, event } = JSON.parse(line);
    if (level >= WARN) process.stderr.write(`${line}\n`);
    return event;
  }
}
