import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type Down, PROTOCOL_VERSION, parseDown, type Up } from "@sealcast/protocol";
import type { Clock } from "@sealcast/time";
import { expect, onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { type Config, type Limits, readConfig } from "./config.ts";
import { createLog } from "./log.ts";
import { start } from "./server.ts";

export const importMap = '{"integrity":{"/assets/app-1a2b.js":"sha384-AAAA"}}';
export const script = `console.log("${"sealed ".repeat(200)}");`;

/** A server on a free port for the length of a test, with a small client to serve, and what it logs. */
export async function startForTest(
  options: { clock?: Clock; limits?: Partial<Limits>; config?: Partial<Config> } = {},
) {
  const { config, limits, ...surroundings } = options;
  const clientDir = await builtClient();
  const logged: string[] = [];
  const log = createLog("debug", { write: (line) => void logged.push(line) });
  const defaults = readConfig({ PORT: "0", CLIENT_DIR: clientDir });
  const limited = { ...defaults, ...config, limits: { ...defaults.limits, ...limits } };
  const server = await start(limited, { log, ...surroundings });
  const address = `localhost:${server.port}`;
  onTestFinished(() => server.stop());
  return { server, logged, address, url: `http://${address}`, connect: () => Connected.to(address) };
}

/** A directory as the client's build leaves it, removed after the test. */
async function builtClient(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "sealcast-client-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await mkdir(join(dir, "assets"));
  await writeFile(
    join(dir, "index.html"),
    `<!doctype html><script type="importmap">${importMap}</script><title>Sealcast</title>`,
  );
  await writeFile(join(dir, "favicon.svg"), "<svg/>");
  const asset = join(dir, "assets/app-1a2b.js");
  await writeFile(asset, script);
  await writeFile(`${asset}.br`, brotliCompressSync(script));
  await writeFile(`${asset}.gz`, gzipSync(script));
  await writeFile(join(dir, "assets/media-two-layers.worker-3c4d.js"), script);
  return dir;
}

/** A socket of a page that this server has served. */
export class Connected {
  readonly socket: WebSocket;
  readonly received: Down[] = [];
  readonly closed: Promise<number>;

  constructor(address: string, options: ClientOptions = {}) {
    this.socket = new WebSocket(`ws://${address}/signal`, { origin: `http://${address}`, ...options });
    this.socket.on("error", () => {});
    this.socket.on("message", (data) => {
      const parsed = parseDown(String(data));
      this.received.push(parsed.ok ? parsed.value : expect.unreachable());
      this.socket.emit("received");
    });
    this.closed = new Promise((done) => void this.socket.on("close", done));
    onTestFinished(() => this.socket.terminate());
  }

  static async to(address: string, options?: ClientOptions): Promise<Connected> {
    const connected = new Connected(address, options);
    await once(connected.socket, "open");
    return connected;
  }

  say(message: Up): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Joins a room, and waits until it has. */
  async join(room: string, more: Partial<Extract<Up, { type: "join" }>> = {}) {
    this.say({ type: "join", version: PROTOCOL_VERSION, room, resume: null, state: null, ...more });
    return this.next("joined");
  }

  /** The next message of this type, counted from what was taken before. */
  async next<T extends Down["type"]>(type: T): Promise<Extract<Down, { type: T }>> {
    for (;;) {
      const found = this.received.findIndex((message) => message.type === type);
      const [message] = found === -1 ? [] : this.received.splice(0, found + 1).slice(-1);
      if (message) return message as Extract<Down, { type: T }>;
      await once(this.socket, "received");
    }
  }
}
