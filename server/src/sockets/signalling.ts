import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { MAX_MESSAGE } from "@sealcast/protocol";
import { type Clock, milli } from "@sealcast/time";
import { WebSocketServer } from "ws";
import type { Bus } from "../bus/bus.ts";
import type { Limits } from "../config.ts";
import { securityHeaders } from "../headers.ts";
import type { Log } from "../log.ts";
import type { Traffic } from "../metrics.ts";
import { clientAddress } from "./address.ts";
import type { Addresses } from "./addresses.ts";
import { Backlog } from "./backlog.ts";
import { Connection } from "./connection.ts";
import { hostOf, refusalOf } from "./intake.ts";

const PATH = "/signal";
const TOO_MANY_REQUESTS = 429;
const RETRY_AFTER_SECONDS = 5;
/** RFC 6455, section 7.4.1, and the registry of its codes: the service restarts, come again. */
const SERVICE_RESTART = 1012;
/** One socket in 2 ms, or clients would all come back at once; no more than 5 s in total. */
const CLOSE_EVERY = 2;
const MAX_SPREAD = 5_000;
/** For the last sockets to answer the close. */
const GRACE = 10_000;

export interface SignallingServer {
  /** Open sockets, and how many of them have not joined a room. */
  readonly sockets: number;
  readonly unjoined: number;
  /** Takes no more sockets and closes those there are; done when the last one is gone, at most 15 s later. */
  drain(): Promise<void>;
}

interface Options {
  readonly bus: Bus;
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly log: Log;
  readonly traffic: Traffic;
  readonly limits: Limits;
  readonly https: boolean;
  readonly behindProxy: boolean;
  readonly publicHosts: readonly string[] | null;
}

/** Accepts the signalling sockets of an HTTP server. */
export function startSignalling(server: Server, options: Options): SignallingServer {
  const { bus, addresses, clock, log, traffic, limits, https } = options;
  const sockets = openSockets();
  const backlog = new Backlog();
  let unjoined = 0;
  let isDraining = false;

  const refusal = (request: IncomingMessage): number | null => {
    if (request.url?.split("?", 1)[0] !== PATH) return 404;
    if (!isSameOrigin(request)) return 403;
    const isFull = sockets.clients.size >= limits.sockets || unjoined >= limits.unjoined;
    return isDraining || isFull ? 503 : refusalOf(request, options);
  };

  server.on("upgrade", (request, stream, head) => {
    const address = clientAddress(request, options.behindProxy);
    const status = refusal(request);
    const visit = status === null && address !== null ? addresses.visit(address) : null;
    if (visit === null) {
      const known = status ?? TOO_MANY_REQUESTS;
      log({ event: "socket-refused", status: known, sockets: sockets.clients.size });
      return refuse(stream, known, https);
    }
    stream.once("close", visit.end);
    // The answer to the request and the challenge leave as one packet.
    stream.cork();
    process.nextTick(() => stream.uncork());
    sockets.handleUpgrade(request, stream, head, (socket) => {
      unjoined++;
      log({ event: "socket-opened", sockets: sockets.clients.size });
      const host = hostOf(request);
      new Connection(socket, { bus, clock, log, traffic, backlog, visit, host, settled: () => unjoined-- });
      socket.on("close", (code) => {
        log({ event: "socket-closed", code, sockets: sockets.clients.size });
      });
    });
  });

  return {
    get sockets() {
      return sockets.clients.size;
    },
    get unjoined() {
      return unjoined;
    },
    drain() {
      isDraining = true;
      return closeAll(sockets, clock);
    },
  };
}

function openSockets(): WebSocketServer {
  const options = {
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
    maxFragments: 16,
    // Milliseconds for the other side to answer a close.
    closeTimeout: 5_000,
  };
  return new WebSocketServer(options);
}

/** A page of another site may open a socket here, but cannot lie about its origin. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const origin = headers.origin ?? "";
  return URL.canParse(origin) && new URL(origin).host === headers.host?.toLowerCase();
}

function refuse(stream: Duplex, status: number, https: boolean): void {
  const retry = status === 503 || status === TOO_MANY_REQUESTS ? { "Retry-After": String(RETRY_AFTER_SECONDS) } : {};
  const headers = { ...securityHeaders(https), ...retry, "Content-Length": "0", Connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  stream.on("error", () => stream.destroy());
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n`, () => stream.destroy());
}

async function closeAll({ clients }: WebSocketServer, clock: Clock): Promise<void> {
  const open = [...clients];
  const spread = Math.min(MAX_SPREAD, open.length * CLOSE_EVERY);
  const closed = open.map((socket) => new Promise<void>((done) => void socket.once("close", () => done())));
  const timers = open.map((socket, i) =>
    clock.after(milli((spread * i) / open.length), () => socket.close(SERVICE_RESTART, "restarting")),
  );
  timers.push(
    clock.after(milli(spread + GRACE), () => {
      for (const socket of clients) socket.terminate();
    }),
  );
  await Promise.all(closed);
  for (const stop of timers) stop();
}
