import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** The newest that `go install` builds. */
export const LIVEKIT_VERSION = "1.13.5";
export const MOQ_RELAY_VERSION = "0.17.10";

const { XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
const built = (name: string) => join(XDG_CACHE_HOME, "sealcast", name);
/** Where `npm run servers` builds them, once for all clones of the repository. */
export const LIVEKIT_PATH = built(`livekit-server-${LIVEKIT_VERSION}`);
export const MOQ_RELAY_PATH = built(`moq-relay-${MOQ_RELAY_VERSION}`);
/** Besides those of PATH. */
const FOLDERS = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

/** By name: the variable that names another one, and where it may stand besides. */
const known = {
  "livekit-server": { variable: "LIVEKIT_SERVER", besides: [LIVEKIT_PATH] },
  "moq-relay": { variable: "MOQ_RELAY", besides: [MOQ_RELAY_PATH] },
  "redis-server": { variable: "REDIS_SERVER", besides: [] },
  turnserver: { variable: "TURNSERVER", besides: [] },
} as const;

/**
 * Path of such a program; null where there is none.
 *
 * @throws Where the environment names one that is not there.
 */
export function findProgram(name: keyof typeof known): string | null {
  const { variable, besides } = known[name];
  const named = process.env[variable] ?? "";
  if (named !== "" && !existsSync(named)) throw new Error(`${variable} is "${named}", which is not there.`);
  if (named !== "") return named;
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...FOLDERS].filter((folder) => folder !== "");
  return [...folders.map((folder) => join(folder, name)), ...besides].find((path) => existsSync(path)) ?? null;
}

/** Of what a program writes: enough to see why it ended. */
const MAX_WORDS = 4_096;
const LOOK_EVERY_MS = 20;

/** A program of others as its own process, on a port that stays the same across a restart. It goes with this process at the latest. */
export class Program {
  readonly #path: string;
  readonly #args: readonly string[];
  readonly #port: number;
  #process: ChildProcess | null = null;
  #words = "";
  readonly #kill = () => void this.#process?.kill("SIGKILL");

  private constructor(path: string, args: readonly string[], port: number) {
    this.#path = path;
    this.#args = args;
    this.#port = port;
  }

  /** Done when it takes connections at `port` of this computer. */
  static async start(path: string, args: readonly string[], port: number): Promise<Program> {
    const program = new Program(path, args, port);
    await program.restart();
    return program;
  }

  /** Of its process, for what measures it; null while it is stopped. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** Starts it once more, after `stop`. */
  async restart(): Promise<void> {
    const running = spawn(this.#path, this.#args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#process = running;
    process.once("exit", this.#kill);
    for (const stream of [running.stdout, running.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#words = (this.#words + text).slice(-MAX_WORDS);
      });
    const died = this.ended().then((why) => {
      throw new Error(why);
    });
    died.catch(() => undefined);
    await Promise.race([listening(this.#port, running), died]);
  }

  /**
   * Done when it has ended, with a sentence that says so and its last words.
   *
   * @throws Where it could not be started.
   */
  async ended(): Promise<string> {
    const running = this.#process;
    if (running === null) return `${this.#path} is stopped.`;
    // Not "exit": its last words may come after that.
    const [code, signal] = await once(running, "close");
    return `${this.#path} ended (${signal ?? code}): ${this.#words}`;
  }

  /** Asks it to stop, or has it end at once as a crash would; done when it is gone. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const running = this.#process;
    process.off("exit", this.#kill);
    this.#process = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const exit = once(running, "exit");
    running.kill(signal);
    await exit;
  }
}

async function listening(port: number, running: ChildProcess): Promise<void> {
  const isGone = () => running.exitCode !== null || running.signalCode !== null;
  while (!isGone() && !(await isOpen(port))) await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    }).once("error", () => resolve(false));
  });
}
