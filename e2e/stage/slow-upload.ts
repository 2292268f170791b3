import { connect, createServer, type Server, type Socket } from "node:net";
import { milli, systemClock } from "@sealcast/time";

/** Stands before a program at a port of this computer, and takes what comes for it as slowly as is asked. */
export class SlowUpload {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Bytes a second, of all connections together. */
  #rate = Number.POSITIVE_INFINITY;
  /** When what was taken so far may have been taken, milliseconds of the system's clock. */
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
    from.on("data", (bytes) => {
      this.#taken += bytes.length;
      to.write(bytes);
      this.#rest(from, bytes.length);
    });
  }

  #rest(socket: Socket, bytes: number): void {
    const now = systemClock.now();
    this.#busyUntil = Math.max(this.#busyUntil, now) + (1_000 * bytes) / this.#rate;
    if (this.#busyUntil <= now) return;
    socket.pause();
    systemClock.after(milli(this.#busyUntil - now), () => socket.resume());
  }
}
