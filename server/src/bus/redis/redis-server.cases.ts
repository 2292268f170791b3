import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const { REDIS_SERVER = "/usr/bin/redis-server" } = process.env;

/** Null where it is; else a word that says so. */
export const redisMissing = existsSync(REDIS_SERVER) ? null : `no redis-server at ${REDIS_SERVER}`;

/** A redis-server of this test's own, on a free port and in a folder of its own, that keeps nothing. */
export class RedisServer {
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  #process: ChildProcess | null = null;

  private constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = folder;
    this.url = `redis://127.0.0.1:${port}`;
  }

  static async start(): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), "sealcast-redis-"));
    const server = new RedisServer(await freePort(), folder);
    await server.restart();
    return server;
  }

  /** One for the length of a test. */
  static async forTest(): Promise<RedisServer> {
    const server = await RedisServer.start();
    onTestFinished(() => server.end());
    return server;
  }

  async end(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true });
  }

  /** Once it takes connections. */
  async restart(): Promise<void> {
    const args = ["--port", `${this.#port}`, "--bind", "127.0.0.1", "--save", "", "--dir", this.#folder];
    const started = spawn(REDIS_SERVER, args, { stdio: ["ignore", "pipe", "ignore"] });
    this.#process = started;
    let said = "";
    for await (const part of started.stdout) {
      said += String(part);
      if (said.includes("Ready to accept connections")) break;
    }
  }

  /** At once, as by a crash. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (running === null || running.exitCode !== null) return;
    const ended = once(running, "exit");
    running.kill("SIGKILL");
    await ended;
  }

  /** It keeps its connections, and answers nothing. */
  stop(): void {
    this.#process?.kill("SIGSTOP");
  }

  goOn(): void {
    this.#process?.kill("SIGCONT");
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
