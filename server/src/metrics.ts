import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { SetupError } from "./config.ts";
import type { Event } from "./log.ts";
import type { RelayTraffic } from "./relay/livekit.ts";

/** What passes through all sockets: plain numbers, since something is added for every message. */
export interface Traffic {
  messagesIn: number;
  messagesOut: number;
  /** In characters of text, of which each is a byte. */
  bytesIn: number;
  bytesOut: number;
  /** Messages that were not sent, since much was waiting already. */
  leftOut: number;
  /** Messages of viewers whom no host accepted, past what they may send, and what was asked for too often. */
  dropped: number;
  /** Credentials of the TURN server. */
  turnGiven: number;
  /** Seconds from a message's arrival until what follows from it was handed to the network. */
  readonly dwell: { observe(seconds: number): void };
}

/** How many there are now. */
export interface Levels {
  readonly sockets: number;
  readonly unjoined: number;
  readonly calls: number;
  readonly streams: number;
}

/** The same, of what nodes do for each other. */
interface BusLevels {
  /** Sockets here whose rooms are at others. */
  readonly forwarded: number;
  /** Sockets of others that have a seat here. */
  readonly guests: number;
  readonly isConnected: boolean;
}

/** What Prometheus gets: numbers and fixed words, as in the log. */
export class Metrics {
  readonly registry = new Registry();
  readonly traffic: Traffic = {
    messagesIn: 0,
    messagesOut: 0,
    bytesIn: 0,
    bytesOut: 0,
    leftOut: 0,
    dropped: 0,
    turnGiven: 0,
    dwell: new Histogram({
      name: "sealcast_message_dwell_seconds",
      help: "From a message's arrival until what follows from it was handed to the network",
      buckets: [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
      registers: [this.registry],
    }),
  };
  /** What passes between this node and others. */
  readonly exchanged = { messages: 0, bytes: 0 };
  readonly relay: RelayTraffic = { tokens: 0, removals: 0, failures: 0 };
  readonly liveRelays: RelayTraffic = { tokens: 0, removals: 0, failures: 0 };
  readonly #opened = this.#counter("sealcast_sockets_opened_total", "Upgrades accepted");
  readonly #refused = this.#counter("sealcast_sockets_refused_total", "Upgrades refused, by HTTP status", "status");
  readonly #terminated = this.#counter("sealcast_sockets_terminated_total", "Sockets ended without a word", "why");
  readonly #faults = this.#counter("sealcast_faults_total", "Sockets ended with a word", "code");
  readonly #rests = this.#counter("sealcast_socket_rests_total", "Sockets not read for a while, by budget", "budget");
  readonly #connectionsRefused = this.#counter(
    "sealcast_connections_refused_total",
    "Connections past an address's share",
  );
  readonly #requestsRefused = this.#counter("sealcast_requests_refused_total", "Requests refused, by status", "status");
  readonly #untaken = this.#counter(
    "sealcast_answers_untaken_total",
    "Connections ended since an answer was not taken",
  );
  readonly #roomsLost = this.#counter("sealcast_rooms_lost_total", "Rooms that another node took over");
  readonly #joinsRefused = this.#counter("sealcast_joins_refused_total", "Joins past the limit of an address");

  constructor() {
    const { traffic, relay, liveRelays } = this;
    this.#sampledCounter("sealcast_messages_in_total", "Messages that came", () => traffic.messagesIn);
    this.#sampledCounter("sealcast_messages_out_total", "Messages sent", () => traffic.messagesOut);
    this.#sampledCounter("sealcast_bytes_in_total", "Bytes of messages that came", () => traffic.bytesIn);
    this.#sampledCounter("sealcast_bytes_out_total", "Bytes of messages sent", () => traffic.bytesOut);
    this.#sampledCounter(
      "sealcast_messages_left_out_total",
      "Messages not sent to busy sockets",
      () => traffic.leftOut,
    );
    this.#sampledCounter(
      "sealcast_messages_dropped_total",
      "Messages of viewers not accepted yet, and asked too often",
      () => traffic.dropped,
    );
    this.#sampledCounter("sealcast_relay_tokens_total", "Tokens of the media relay", () => relay.tokens);
    this.#sampledCounter("sealcast_relay_removals_total", "Removed from the media relay", () => relay.removals);
    this.#sampledCounter(
      "sealcast_relay_failures_total",
      "Media relay not reached, or it refused",
      () => relay.failures,
    );
    this.#sampledCounter(
      "sealcast_live_relay_tokens_total",
      "Tokens of the relays of live streams",
      () => liveRelays.tokens,
    );
    this.#sampledCounter(
      "sealcast_live_relay_removals_total",
      "Sent away from the relays of live streams",
      () => liveRelays.removals,
    );
    this.#sampledCounter(
      "sealcast_live_relay_failures_total",
      "A relay of live streams not reached, or it refused",
      () => liveRelays.failures,
    );
    this.#sampledCounter(
      "sealcast_turn_credentials_total",
      "Credentials of the TURN server that were given",
      () => traffic.turnGiven,
    );
  }

  watch(levels: () => Levels): void {
    this.#level("sealcast_sockets", "Open signalling sockets", () => levels().sockets);
    this.#level("sealcast_sockets_unjoined", "Of these, not in a room yet", () => levels().unjoined);
    this.#level("sealcast_calls", "Rooms of calls, those lately emptied included", () => levels().calls);
    this.#level("sealcast_streams", "Rooms of streams, those lately emptied included", () => levels().streams);
  }

  /** Where several nodes share rooms. */
  watchBus(levels: () => BusLevels): void {
    const { exchanged } = this;
    this.#level("sealcast_redis_connected", "Whether other nodes can be reached", () => Number(levels().isConnected));
    this.#level("sealcast_sockets_forwarded", "Sockets here whose rooms other nodes have", () => levels().forwarded);
    this.#level("sealcast_guests", "Sockets of other nodes in rooms here", () => levels().guests);
    this.#sampledCounter("sealcast_node_messages_total", "Messages from and to other nodes", () => exchanged.messages);
    this.#sampledCounter("sealcast_node_bytes_total", "Their bytes, sealed", () => exchanged.bytes);
  }

  count(event: Event): void {
    switch (event.event) {
      case "socket-opened":
        return this.#opened.inc();
      case "socket-refused":
        return this.#refused.inc({ status: event.status });
      case "socket-terminated":
        return this.#terminated.inc({ why: event.why });
      case "socket-rests":
        return this.#rests.inc({ budget: event.budget });
      case "connection-refused":
        return this.#connectionsRefused.inc();
      case "request-refused":
        return this.#requestsRefused.inc({ status: event.status });
      case "answer-untaken":
        return this.#untaken.inc();
      case "fault":
        return this.#faults.inc({ code: event.code });
      case "room-lost":
        return this.#roomsLost.inc();
      case "join-refused":
        return this.#joinsRefused.inc();
    }
  }

  #counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #sampledCounter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  #level(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}

/**
 * Answers Prometheus, on a port of its own that need not be reachable from outside: with the process's CPU, memory and
 * event loop besides. Throws SetupError when the port is taken.
 */
export async function serveMetrics(metrics: Metrics, { port, host }: { port: number; host: string }) {
  collectDefaultMetrics({ register: metrics.registry });
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") return void response.writeHead(404).end();
    response.setHeader("Content-Type", metrics.registry.contentType);
    response.end(await metrics.registry.metrics());
  });
  await listen(server, port, host);
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const what = `METRICS_PORT ${port} on METRICS_HOST ${host}`;
    throw new SetupError("port-taken", `${what} cannot be listened on: stop what uses it, or set another.`, cause);
  }
}
