import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Clock, systemClock } from "@sealcast/time";
import type { Bus } from "./bus/bus.ts";
import { type Config, SetupError } from "./config.ts";
import { securityHeaders } from "./headers.ts";
import { createApp } from "./http.ts";
import type { Log } from "./log.ts";
import { Metrics, serveMetrics } from "./metrics.ts";
import { randomId } from "./random.ts";
import { LiveRelays } from "./relay/live-relays.ts";
import { LiveKit } from "./relay/livekit.ts";
import { Rooms } from "./rooms/rooms.ts";
import type { RoomOptions } from "./rooms/seat.ts";
import { Addresses } from "./sockets/addresses.ts";
import { loadClient } from "./sockets/client.ts";
import { guardConnections, refusalOf, watchProxy } from "./sockets/intake.ts";
import { startSignalling } from "./sockets/signalling.ts";
import { startStun } from "./stun.ts";
import { turnCredentials } from "./turn.ts";

/** Connections that the system may hold for us until they are accepted: when everybody comes back at once. */
const MAX_WAITING = 4_096;
/** Milliseconds for a client to send a request's headers, and all of it, which is looked at every 2 s: bodies are small. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 2_000 };
/** The same, for a TLS handshake. */
const handshakeTimeout = 10_000;

export interface Running {
  readonly port: number;
  readonly stunPort: number | null;
  readonly metricsPort: number | null;
  /** Tells clients to come again, and stops: within 5 s when they answer, 15 s when they do not. Once is enough. */
  stop(): Promise<void>;
}

interface Reports {
  readonly metrics: Metrics;
  readonly log: Log;
}

interface Surroundings {
  readonly log: Log;
  readonly clock?: Clock;
}

/** Serves the client, the signalling socket, STUN and metrics. Throws SetupError for what a person must put right. */
export async function start(config: Config, { log: write, clock = systemClock }: Surroundings): Promise<Running> {
  const metrics = new Metrics();
  const log: Log = (event) => {
    metrics.count(event);
    write(event);
  };
  const client = await loadClient(config.clientDir);
  const lab = config.labDir === null ? null : await loadClient(config.labDir);
  const server = await createServer(config.tls);
  const ports = await openPorts(config, server, metrics, log);
  const https = config.tls !== null;
  const { traffic } = metrics;
  const relay = config.relay && new LiveKit({ config: config.relay, log, traffic: metrics.relay });
  const liveRelays =
    config.liveRelays && new LiveRelays({ config: config.liveRelays, clock, log, traffic: metrics.liveRelays });
  const { turn } = config;
  const giveTurn =
    turn &&
    (() => {
      traffic.turnGiven++;
      return turnCredentials(turn, Date.now());
    });
  const { stunPort } = ports;
  const dropped = () => traffic.dropped++;
  const options = { clock, randomId, stunPort, relay, liveRelays, turn: giveTurn, dropped };
  const shared = config.redis && (await startShared(config.redis, options, { metrics, log }));
  const rooms = shared?.rooms ?? new Rooms(options);
  const bus: Bus = shared ?? rooms;
  const intake = { ...config, addresses: new Addresses(config.limits, clock), clock, log };
  guardConnections(server, intake);
  const stopWatching = config.behindProxy ? watchProxy(server, intake) : () => {};
  const signalling = startSignalling(server, { ...intake, bus, traffic, https });
  metrics.watch(() => ({ sockets: signalling.sockets, unjoined: signalling.unjoined, ...rooms.size }));
  let stopped: Promise<void> | null = null;
  const state = () => (stopped === null ? (shared?.state ?? "ok") : "stopping");
  const sites = {
    client,
    lab,
    relay: relay && { url: relay.url, meshPeople: config.meshPeople },
    liveRelays,
    liveRelayUrls: config.liveRelays?.urls ?? [],
    meshViewers: config.meshViewers,
    hasTurn: turn !== null,
  };
  respond(server, createApp(sites, state).fetch, {
    headers: securityHeaders(https),
    // Relays ask for thousands of viewers, and by the name that they know this server by.
    refusal: (request) => (liveRelays?.isRelay(request.url) ? null : refusalOf(request, intake)),
    log,
  });

  const stop = async () => {
    log({ event: "stopping" });
    stopWatching();
    await signalling.drain();
    rooms.close();
    await shared?.close();
    ports.close();
    log({ event: "stopped" });
  };
  return { ...ports, stop: () => (stopped ??= stop()) };
}

/** Loaded only where several nodes share rooms. */
async function startShared(redis: NonNullable<Config["redis"]>, rooms: RoomOptions, { metrics, log }: Reports) {
  const [{ BusRedis }, { RedisStore }] = await Promise.all([
    import("./bus/redis/bus-redis.ts"),
    import("./bus/redis/redis-store.ts"),
  ]);
  const { clock, randomId } = rooms;
  const { exchanged } = metrics;
  const bus = new BusRedis({
    ...{ clock, randomId, rooms, secret: redis.secret, store: new RedisStore(redis.url) },
    changed: (isConnected) => log({ event: isConnected ? "redis-connected" : "redis-away" }),
    roomLost: () => log({ event: "room-lost" }),
    passed: (bytes) => {
      exchanged.messages++;
      exchanged.bytes += bytes;
    },
  });
  metrics.watchBus(() => bus.dealings);
  bus.start();
  return bus;
}

/** All of them or none. Nothing that comes is looked at before this task is done. */
async function openPorts(config: Config, server: Server, metrics: Metrics, log: Log) {
  const opened: { close(): void }[] = [];
  const close = () => {
    for (const one of opened) one.close();
  };
  const keep = <T extends { port: number; close(): void }>(one: T | null): number | null => {
    if (one) opened.push(one);
    return one?.port ?? null;
  };
  try {
    const stunPort = keep(config.stunPort === null ? null : await startStun(config.stunPort, config.host, log));
    const metricsPort = keep(config.metrics && (await serveMetrics(metrics, config.metrics)));
    const port = await listen(server, config);
    opened.push({ close: () => void server.close().closeAllConnections() });
    log({ event: "listening", port, stunPort, metricsPort, https: config.tls !== null });
    return { port, stunPort, metricsPort, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function createServer(tls: Config["tls"]): Promise<Server> {
  if (!tls) return createHttpServer(timeouts);
  const [cert, key] = await Promise.all([tls.cert, tls.key].map(readPem));
  return createHttpsServer({ ...timeouts, handshakeTimeout, cert, key });
}

const readPem = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((cause: unknown) => {
    throw new SetupError("tls-unreadable", `${path} cannot be read: correct TLS_CERT or TLS_KEY.`, cause);
  });

interface Answers {
  /** Set before anything looks at the request, so that no response goes without. */
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: (request: IncomingMessage) => number | null;
  readonly log: Log;
}

function respond(server: Server, fetch: Parameters<typeof getRequestListener>[0], answers: Answers): void {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  server.on("request", (request, response) => {
    for (const [name, value] of Object.entries(answers.headers)) response.setHeader(name, value);
    const status = answers.refusal(request);
    if (status === null) return void listener(request, response);
    answers.log({ event: "request-refused", status });
    response.writeHead(status, { "Content-Length": 0, Connection: "close" }).end();
  });
}

/** The port that it is. */
async function listen(server: Server, { port, host, limits }: Config): Promise<number> {
  server.maxConnections = limits.connections;
  server.listen({ port, backlog: MAX_WAITING, ...(host === null ? {} : { host }) });
  try {
    await once(server, "listening");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    throw new SetupError("port-taken", `Port ${port} is taken: stop what uses it, or set PORT to another.`, cause);
  }
  return (server.address() as AddressInfo).port;
}
