import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** One address of several servers: each signalling socket goes to the next that takes connections, all else to the first. */
export class Balancer {
  readonly #ports: readonly number[];
  readonly #open = new Set<Socket>();
  readonly #server = createServer({ pauseOnConnect: false }, (page) => this.#take(page));
  /** Signalling sockets so far. */
  #count = 0;

  static async before(...ports: number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    await once(balancer.#server.listen(0), "listening");
    return balancer;
  }

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #take(page: Socket): void {
    this.#keep(page);
    page.once("data", (first: Buffer) => {
      page.pause();
      const isSignalling = first.toString("latin1").startsWith("GET /signal");
      this.#try(page, first, isSignalling ? this.#count++ : 0, this.#ports.length);
    });
  }

  #try(page: Socket, first: Buffer, which: number, tries: number): void {
    const port = this.#ports[which % this.#ports.length];
    if (tries === 0 || port === undefined) return void page.destroy();
    const node = connect(port, "localhost");
    this.#keep(node);
    const next = () => this.#try(page, first, which + 1, tries - 1);
    node.once("error", next);
    node.once("connect", () => {
      node.off("error", next);
      node.write(first);
      page.pipe(node).pipe(page);
      for (const [one, other] of [
        [page, node],
        [node, page],
      ] as const)
        one.once("close", () => other.destroy());
    });
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#open.delete(socket));
  }
}
