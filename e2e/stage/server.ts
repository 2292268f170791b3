import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** As pino numbers levels. */
const WARN = 40;
const MAIN = fileURLToPath(new URL("../../server/dist/main.js", import.meta.url));

/** The real server as its own process, on a port that stays the same across a restart. */
export class Server {
  readonly port: number;
  /** Every line that it logged, at the level that tells most. */
  readonly logged: string[] = [];
  readonly #environment: Readonly<Record<string, string>>;
  #process: ChildProcess | null = null;

  private constructor(port: number, environment: Readonly<Record<string, string>>) {
    this.port = port;
    this.#environment = environment;
  }

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Server> {
    const server = new Server(await freePort(), environment);
    await server.#run();
    return server;
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** Kills the process as a crash would, and starts a new one that remembers nothing. */
  async crashAndRestart(): Promise<void> {
    await this.#end("SIGKILL");
    await this.#run();
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #run(): Promise<void> {
    const env = { ...process.env, ...this.#environment, PORT: String(this.port), LOG_LEVEL: "debug" };
    const running = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"] });
    this.#process = running;
    createInterface(running.stdout).on("line", (line) => this.#log(line));
    const died = once(this.#process, "exit").then(([code]) => {
      throw new Error(`The server ended with code ${code} before it was healthy.`);
    });
    died.catch(() => undefined);
    await Promise.race([healthy(`${this.url}/healthz`), died]);
  }

  #log(line: string): void {
    this.logged.push(line);
    if (JSON.parse(line).level >= WARN) console.warn(line);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#process;
    if (running === null || running.exitCode !== null) return;
    const exit = once(running, "exit");
    running.kill(signal);
    await exit;
    this.#process = null;
  }
}

/** Resolves when a server answers there. */
export async function healthy(url: string): Promise<void> {
  for (;;) {
    const up = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Free for TCP and for UDP: the server answers STUN on the same one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const probe = createServer();
    await once(probe.listen(0), "listening");
    const address = probe.address();
    if (address === null || typeof address === "string") throw new Error("No free port was given.");
    const isFree = await isFreeForUdp(address.port);
    probe.close();
    if (isFree) return address.port;
  }
}

async function isFreeForUdp(port: number): Promise<boolean> {
  const probe = createSocket("udp4");
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.bind(port, () => probe.close(() => resolve(true)));
  });
}
