import { once } from "node:events";
import { createServer, type Server as HttpServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

/** Of the protocol, or not: this end says what it likes. */
export type Message = Record<string, unknown> & { type: string };
type Hand = (message: Message) => readonly Message[];

export const pass: Hand = (message) => [message];
export const withhold =
  (...types: string[]): Hand =>
  (message) =>
    types.includes(message.type) ? [] : [message];

/**
 * A server in hostile hands, for those who open its address: the real one stands behind it. What comes of their sockets
 * can be withheld, altered, repeated and made up; pages are the real server's.
 */
export class Middle {
  /** What becomes of each message from the server. */
  down: Hand = pass;
  /** What becomes of each message to the server. */
  up: Hand = pass;
  /** In how many fragments each message goes to the page. */
  pieces = 1;
  /** All that came from the server. */
  readonly heard: Message[] = [];
  readonly #port: number;
  readonly #http: HttpServer;
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  #page: WebSocket | null = null;

  /** `port` is the real server's. */
  static async before(port: number): Promise<Middle> {
    const middle = new Middle(port);
    await once(middle.#http.listen(0), "listening");
    return middle;
  }

  private constructor(port: number) {
    this.#port = port;
    this.#http = createServer((from, to) => {
      const { method, url, headers } = from;
      const real = request({ port, method, path: url, headers }, (answer) => {
        to.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(to);
      });
      real.on("error", () => to.destroy());
      from.pipe(real);
    });
    this.#http.on("upgrade", (from, socket, head) => {
      this.#sockets.handleUpgrade(from, socket, head, (page) => this.#join(page, from));
    });
  }

  get url(): string {
    return `http://localhost:${(this.#http.address() as AddressInfo).port}`;
  }

  /** A link to the real server, as one that leads here. */
  lead(link: string): string {
    return link.replace(new URL(link).origin, this.url);
  }

  /** Says something to the page, as the server: bytes are a binary message. */
  say(what: Message | string | Uint8Array): void {
    if (what instanceof Uint8Array) this.#send(what, true);
    else this.sayAsText(Buffer.from(typeof what === "string" ? what : JSON.stringify(what)));
  }

  /** Says these bytes as text, which they may not be. */
  sayAsText(bytes: Uint8Array): void {
    this.#send(bytes, false);
  }

  async close(): Promise<void> {
    for (const page of this.#sockets.clients) page.terminate();
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, "close");
  }

  #join(page: WebSocket, { url, headers: { host, origin } }: IncomingMessage): void {
    const real = new WebSocket(`ws://localhost:${this.#port}${url}`, {
      headers: { host, origin },
      perMessageDeflate: false,
    });
    const opened = once(real, "open");
    this.#page = page;
    page.on("message", (text) => {
      const passOn = () => {
        for (const message of this.up(JSON.parse(text.toString()))) real.send(JSON.stringify(message));
      };
      opened.then(passOn, () => undefined);
    });
    real.on("message", (text) => {
      if (page !== this.#page) return;
      const message: Message = JSON.parse(text.toString());
      this.heard.push(message);
      for (const passed of this.down(message)) this.say(passed);
    });
    page.on("close", () => real.close());
    real.on("close", () => page.close());
    for (const end of [page, real]) end.on("error", () => end.terminate());
  }

  #send(data: Uint8Array, binary: boolean): void {
    const size = Math.ceil(data.length / this.pieces);
    for (let at = 0; at < data.length; at += size)
      this.#page?.send(data.subarray(at, at + size), { binary, fin: at + size >= data.length });
  }
}
