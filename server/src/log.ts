import type { Down } from "@sealcast/protocol";
import { type DestinationStream, pino } from "pino";

/**
 * All that the server ever logs. Numbers and fixed words only: no room, member, token, address, header or content.
 * `info` is for what happens once in a process; what clients cause is `debug`.
 */
export type Event =
  | {
      readonly event: "listening";
      readonly port: number;
      readonly stunPort: number | null;
      readonly metricsPort: number | null;
      readonly https: boolean;
    }
  | { readonly event: "stopping" }
  | { readonly event: "stopped" }
  | { readonly event: "stun-failed"; readonly code: string }
  /** The media relay was not reached (0), or refused, with this status of HTTP. */
  | { readonly event: "relay-failed"; readonly status: number }
  /** The same of a relay of live streams. */
  | { readonly event: "live-relay-failed"; readonly status: number }
  | { readonly event: "proxy-silent" }
  | { readonly event: "redis-away" }
  | { readonly event: "redis-connected" }
  | { readonly event: "room-lost" }
  | { readonly event: "connection-refused" }
  | { readonly event: "answer-untaken" }
  | { readonly event: "request-refused"; readonly status: number }
  | { readonly event: "socket-refused"; readonly status: number; readonly sockets: number }
  | { readonly event: "socket-opened"; readonly sockets: number }
  | { readonly event: "socket-closed"; readonly code: number; readonly sockets: number }
  | { readonly event: "socket-terminated"; readonly why: "silent" | "too-slow" | "flooding" }
  | { readonly event: "socket-rests"; readonly budget: Budget }
  | { readonly event: "join-refused" }
  | { readonly event: "fault"; readonly code: Extract<Down, { type: "fault" }>["code"] };

/** Of which a client took more than there is. */
export type Budget = "messages" | "socket" | "address" | "room";

export type Log = (event: Event) => void;

const levels = {
  listening: "info",
  stopping: "info",
  stopped: "info",
  "stun-failed": "warn",
  "relay-failed": "warn",
  "live-relay-failed": "warn",
  "proxy-silent": "warn",
  "redis-away": "warn",
  "redis-connected": "info",
  "room-lost": "debug",
  "connection-refused": "debug",
  "answer-untaken": "debug",
  "request-refused": "debug",
  "socket-rests": "debug",
  "socket-refused": "debug",
  "socket-opened": "debug",
  "socket-closed": "debug",
  "socket-terminated": "debug",
  "join-refused": "debug",
  fault: "debug",
} as const satisfies Record<Event["event"], string>;

/** One line of JSON per event; to standard output by default. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` };
  const logger = destination ? pino(options, destination) : pino(options);
  return (event) => logger[levels[event.event]](event);
}
