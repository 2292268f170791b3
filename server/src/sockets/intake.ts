import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Cancel, type Clock, milli } from "@sealcast/time";
import type { Log } from "../log.ts";
import { clientAddress } from "./address.ts";
import type { Addresses } from "./addresses.ts";

/** For a client to take an answer: 1 MiB at 17 KiB a second. */
const TO_TAKE_AN_ANSWER = milli(60_000);
/** How long requests may come without a word of the proxy. */
const PROXY_SILENT = milli(60_000);

export const HEALTH = "/healthz";

interface Options {
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly log: Log;
  readonly behindProxy: boolean;
  /** What requests may name as `Host`, in lower case; null: anything. */
  readonly publicHosts: readonly string[] | null;
}

/** Ends connections past their address's share, before HTTP, and those that do not take an answer. */
export function guardConnections(server: Server, { addresses, behindProxy, clock, log }: Options): void {
  server.on("connection", (socket: Socket) => {
    // Behind a proxy all come from its address.
    if (behindProxy) return;
    const { remoteAddress } = socket;
    const end = remoteAddress === undefined ? null : addresses.connect(remoteAddress);
    if (end !== null) return void socket.once("close", end);
    log({ event: "connection-refused" });
    socket.destroy();
  });
  const unanswered = new WeakMap<Socket, Unanswered>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const requests = unanswered.get(socket) ?? new Unanswered(socket, clock, log);
    unanswered.set(socket, requests);
    requests.came();
    response.once("close", () => requests.taken());
  });
}

/** The requests of one connection whose answers it has not taken. The oldest one's time runs. */
class Unanswered {
  readonly #clock: Clock;
  readonly #late: () => void;
  #count = 0;
  #stop: Cancel = () => {};

  constructor(socket: Socket, clock: Clock, log: Log) {
    this.#clock = clock;
    this.#late = () => {
      log({ event: "answer-untaken" });
      socket.destroy();
    };
    socket.once("close", () => this.#stop());
  }

  came(): void {
    if (this.#count++ === 0) this.#wait();
  }

  taken(): void {
    this.#stop();
    if (--this.#count > 0) this.#wait();
  }

  #wait(): void {
    this.#stop = this.#clock.after(TO_TAKE_AN_ANSWER, this.#late);
  }
}

/** The HTTP status with which a request is refused, whatever it asks for; null: none. */
export function refusalOf(request: IncomingMessage, { addresses, behindProxy, publicHosts }: Options): number | null {
  const address = clientAddress(request, behindProxy);
  if (address === null) return 400;
  if (publicHosts && request.url !== HEALTH && !publicHosts.includes(hostOf(request))) return 421;
  return addresses.mayAsk(address) ? null : 429;
}

/** The `Host` header in lower case. */
export const hostOf = ({ headers }: IncomingMessage): string => headers.host?.toLowerCase() ?? "";

/** Warns where requests came, and the proxy that is said to be there named the client of none. Returns what ends it. */
export function watchProxy(server: Server, { clock, log }: Pick<Options, "clock" | "log">): Cancel {
  let named = 0;
  let unnamed = 0;
  const note = ({ headers, url }: IncomingMessage) => {
    if (headers["x-forwarded-for"] !== undefined) named++;
    else if (url !== HEALTH) unnamed++;
  };
  const look = () => {
    if (named === 0 && unnamed === 0) return wait();
    server.off("request", note).off("upgrade", note);
    if (named === 0) log({ event: "proxy-silent" });
  };
  let stop: Cancel = () => {};
  const wait = () => {
    stop = clock.after(PROXY_SILENT, look);
  };
  server.on("request", note).on("upgrade", note);
  wait();
  return () => stop();
}
