import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Clock, systemClock } from "@sealcast/time";
import { loadClient } from "./client.ts";
import { type Config, SetupError } from "./config.ts";
import { securityHeaders } from "./headers.ts";
import { createApp } from "./http.ts";
import type { Log } from "./log.ts";
import { Rooms, randomId } from "./rooms.ts";
import { type Limits, startSignalling } from "./signalling.ts";
import { type Stun, startStun } from "./stun.ts";

/** Past this many TCP connections new ones are not accepted; sockets are refused politely well before. */
const MAX_CONNECTIONS = 10_000;
const defaultLimits: Limits = { sockets: 8_000, unjoined: 500 };
/** Milliseconds for a client to send a request's headers, and all of it: nothing here takes a body. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 15_000 };

export interface Running {
  readonly port: number;
  readonly stunPort: number | null;
  /** Tells clients to come again, and stops: within 5 s when they answer, 15 s when they do not. Once is enough. */
  stop(): Promise<void>;
}

interface Surroundings {
  readonly log: Log;
  readonly clock?: Clock;
  readonly limits?: Limits;
}

/** Serves the client, the signalling socket and STUN. Throws SetupError for what a person must put right. */
export async function start(
  config: Config,
  { log, clock = systemClock, limits = defaultLimits }: Surroundings,
): Promise<Running> {
  const client = await loadClient(config.clientDir);
  const server = await createServer(config.tls);
  const stun = config.stunPort === null ? null : await startStun(config.stunPort, config.host, log);
  const stunPort = stun?.port ?? null;
  const https = config.tls !== null;
  const rooms = new Rooms({ clock, randomId, stunPort });
  const signalling = startSignalling(server, { rooms, clock, log, limits, https });
  let stopped: Promise<void> | null = null;

  respond(server, createApp(client, () => stopped !== null).fetch, securityHeaders(https));
  await listen(server, config, stun);
  const { port } = server.address() as AddressInfo;
  log({ event: "listening", port, stunPort, https });

  const stop = async () => {
    log({ event: "stopping" });
    await signalling.drain();
    rooms.close();
    stun?.close();
    server.close();
    server.closeAllConnections();
    log({ event: "stopped" });
  };
  return { port, stunPort, stop: () => (stopped ??= stop()) };
}

async function createServer(tls: Config["tls"]): Promise<Server> {
  if (!tls) return createHttpServer(timeouts);
  const [cert, key] = await Promise.all([tls.cert, tls.key].map(readPem));
  return createHttpsServer({ ...timeouts, cert, key });
}

const readPem = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((cause: unknown) => {
    throw new SetupError("tls-unreadable", `${path} cannot be read: correct TLS_CERT or TLS_KEY.`, cause);
  });

/** The headers are set before anything looks at the request, so that no response goes without. */
function respond(
  server: Server,
  fetch: Parameters<typeof getRequestListener>[0],
  headers: Readonly<Record<string, string>>,
): void {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("request", (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    void listener(request, response);
  });
}

async function listen(server: Server, { port, host }: Config, stun: Stun | null): Promise<void> {
  server.listen(host === null ? { port } : { port, host });
  try {
    await once(server, "listening");
  } catch (cause) {
    stun?.close();
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    throw new SetupError("port-taken", `Port ${port} is taken: stop what uses it, or set PORT to another.`, cause);
  }
}
