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
import { knockKey, type Link, newLink, token } from "./rooms/door.cases.ts";
import { start } from "./server.ts";
import type { AddressLimits } from "./sockets/addresses.ts";

export const importMap = '{"integrity":{"/assets/app-1a2b.js":"sha384-AAAA"}}';
export const script = `console.log("${"sealed ".repeat(200)}");`;

interface Options {
  readonly clock?: Clock;
  readonly limits?: Partial<Limits>;
  readonly config?: Partial<Config>;
}

/** What a test limits of an address; of the rest it has enough. */
export function shares(limits: Partial<AddressLimits>): AddressLimits {
  return { ...readConfig({}).limits.loopback, ...limits };
}

/** A server on a free port for the length of a test, with a small client to serve, and what it logs. */
export async function startForTest(options: Options = {}) {
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

/** A server that tells its metrics, and the figure of one line of them. */
export async function startMeasured(options: Options = {}) {
  const started = await startForTest({
    ...options,
    config: { ...options.config, metrics: { port: 0, host: "127.0.0.1" } },
  });
  const url = `http://127.0.0.1:${started.server.metricsPort}/metrics`;
  const read = async () => (await fetch(url)).text();
  const figure = async (name: string) => {
    const line = (await read()).split("\n").find((text) => text.startsWith(`${name} `));
    return line === undefined ? null : Number(line.slice(name.length));
  };
  return { ...started, url, read, figure };
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
  const webAssembly = ["media-two-layers", "vault", "chunk", "captions", "background", "noise"];
  const workers = [...webAssembly, "media", "keys", "ranges", "live-relay", "player"];
  for (const worker of workers) await writeFile(join(dir, `assets/${worker}.worker-3c4d.js`), script);
  return dir;
}

/** A socket of a page that this server has served. */
export class Connected {
  /** Of the server, as the socket's request named it. */
  readonly address: string;
  readonly socket: WebSocket;
  readonly received: Down[] = [];
  readonly closed: Promise<number>;
  /** The server's challenge. */
  nonce = "";

  constructor(address: string, options: ClientOptions = {}) {
    this.address = address.toLowerCase();
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
    connected.nonce = (await connected.next("challenge")).nonce;
    return connected;
  }

  say(message: Up): void {
    this.socket.send(JSON.stringify(message));
  }

  /** What this socket says of a link's door. */
  prove(link: Link, use: Parameters<Link["prove"]>[0]): { door: string; signature: string } {
    return link.prove(use, { host: this.address, nonce: this.nonce });
  }

  sayJoin(link: Link, more: Partial<Extract<Up, { type: "join" }>> = {}): void {
    this.say({ type: "join", version: PROTOCOL_VERSION, ...this.prove(link, "join"), resume: null, ...more });
  }

  /** Joins a room, and waits until it has. */
  async join(link: Link = newLink(), more: Partial<Extract<Up, { type: "join" }>> = {}) {
    this.sayJoin(link, more);
    return this.next("joined");
  }

  /** Joins a room and enters the epoch of this name. */
  async enter(link: Link, epoch = "epoch") {
    const joined = await this.join(link);
    this.say({ type: "enter", token: token(epoch), knockKey: knockKey(epoch) });
    await this.next("entered");
    return joined;
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
