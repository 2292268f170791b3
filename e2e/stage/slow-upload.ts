import { connect, createServer, type Socket, type Server as TcpServer } from "node:net";
import type { TestFixture } from "@playwright/test";
import type { Server } from "@sealcast/testbed";
import { milli, systemClock } from "@sealcast/time";
import { startRelayed } from "./relayed.ts";

export interface SlowServer {
  readonly server: Server;
  readonly upload: SlowUpload;
}

/** A server with one connection for viewers, and a relay for all others that takes what pages send as slowly as is asked; null where there is no moq-relay. */
export const slow: TestFixture<SlowServer | null, object> = async ({}, use) => {
  const uploads: SlowUpload[] = [];
  const started = await startRelayed(async ([{ url, internal }]) => {
    const upload = await SlowUpload.before(Number(new URL(url).port));
    uploads.push(upload);
    return [{ url: upload.url, internal }];
  });
  const [upload] = uploads;
  await use(started === null || upload === undefined ? null : { server: started.server, upload });
  await started?.stop();
  upload?.close();
};

/** Bytes. */
const SLICE = 1_024;

/** Stands before a program at a port of this computer, and takes what comes for it as slowly as is asked. */
class SlowUpload {
  readonly #server: TcpServer;
  readonly #sockets = new Set<Socket>();
  /** Bytes a second, of all connections together. */
  #rate = Number.POSITIVE_INFINITY;
  /** Milliseconds: until then the way is taken by what was taken so far. */
  #busyUntil = 0;
  #taken = 0;

  private constructor(port: number) {
    this.#server = createServer((socket) => this.#pass(socket, connect(port, "127.0.0.1")));
  }

  static async before(port: number): Promise<SlowUpload> {
    const slow = new SlowUpload(port);
    await new Promise<void>((done) => slow.#server.listen(0, "127.0.0.1", done));
    return slow;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("it has no port");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Bytes so far. */
  get taken(): number {
    return this.#taken;
  }

  takes(bytesPerSecond: number): void {
    this.#rate = bytesPerSecond;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #pass(from: Socket, to: Socket): void {
    for (const [one, other] of [[from, to] as const, [to, from] as const]) {
      this.#sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
    to.pipe(from);
    void this.#carry(from, to).catch(() => to.destroy());
  }

  /** A little at a time, as a slow way does: what is not taken yet waits at the sender. */
  async #carry(from: Socket, to: Socket): Promise<void> {
    for await (const bytes of from as AsyncIterable<Buffer>)
      for (let at = 0; at < bytes.length; at += SLICE) {
        const slice = bytes.subarray(at, at + SLICE);
        this.#taken += slice.length;
        await this.#turn(slice.length);
        to.write(slice);
      }
  }

  async #turn(bytes: number): Promise<void> {
    const now = systemClock.now();
    this.#busyUntil = Math.max(this.#busyUntil, now) + (1_000 * bytes) / this.#rate;
    if (this.#busyUntil > now) await new Promise<void>((done) => systemClock.after(milli(this.#busyUntil - now), done));
  }
}
