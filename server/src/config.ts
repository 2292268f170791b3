import { fileURLToPath } from "node:url";
import { LiveRelayOrigin, MAX_LIVE_RELAYS, MAX_TURN_URLS, RelayOrigin, TurnUrl } from "@sealcast/protocol";
import * as v from "valibot";
import type { LiveRelaysConfig } from "./relay/live-relays.ts";
import type { RelayConfig } from "./relay/livekit.ts";
import type { AddressLimits } from "./sockets/addresses.ts";
import type { TurnConfig } from "./turn.ts";

/** What the environment configures. */
export interface Config {
  /** 0 takes any free one. */
  readonly port: number;
  /** Null: every address, IPv6 and IPv4. */
  readonly host: string | null;
  /** UDP; 0 takes any free one, null answers no STUN. */
  readonly stunPort: number | null;
  /** Null: there is no media relay. */
  readonly relay: RelayConfig | null;
  /** The most people of a call who send to each other directly; with one more their media goes over the relay. */
  readonly meshPeople: number;
  /** The most viewers of a stream who get a connection of their own; null: as many as pages see fit. */
  readonly meshViewers: number | null;
  /** Null: there are no relays of live streams. */
  readonly liveRelays: LiveRelaysConfig | null;
  /** Null: there is no TURN server. */
  readonly turn: TurnConfig | null;
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  /** The built client. */
  readonly clientDir: string;
  /** The lab's built page, for /lab; null: there is no such page. */
  readonly labDir: string | null;
  /** Paths of PEM files; null serves plain http. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Prometheus asks here, over plain http; null: nowhere. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
  /** Whether a proxy of ours stands before the server and names clients in X-Forwarded-For. */
  readonly behindProxy: boolean;
  /** What requests may name as `Host`, in lower case; null: anything. */
  readonly publicHosts: readonly string[] | null;
  /** Where several nodes share rooms; null: there is one node. `secret` is what all of them have, and nobody else. */
  readonly redis: { readonly url: string; readonly secret: Buffer } | null;
  readonly limits: Limits;
}

/** How much one process takes on. */
export interface Limits {
  /** TCP connections: past these, new ones are closed unheard. */
  readonly connections: number;
  /** Signalling sockets: past these, the server asks clients to come again. */
  readonly sockets: number;
  /** Of these, how many may be yet to join a room. */
  readonly unjoined: number;
  readonly address: AddressLimits;
  /** The same for this computer, where proxies and measurements run. */
  readonly loopback: AddressLimits;
}

/** What a person must put right before the server can start: the message says what and how. */
export class SetupError extends Error {
  readonly code: "config" | "client-missing" | "tls-unreadable" | "port-taken";

  constructor(code: SetupError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SetupError";
    this.code = code;
  }
}

const KIB = 1024;
const MIB = 1024 * KIB;
const levels = ["debug", "info", "warn", "error", "silent"] as const;
const notPort = "must be a port number from 0 to 65535";
const port = v.pipe(v.string(), v.regex(/^\d{1,5}$/, notPort), v.transform(Number), v.maxValue(65_535, notPort));
const notCount = "must be a whole number from 1 to 1000000";
const count = v.pipe(v.string(), v.regex(/^[1-9]\d{0,6}$/, notCount), v.transform(Number), v.maxValue(1e6, notCount));
const yesOrNo = v.picklist(["0", "1"], "must be 0 or 1");
const text = v.pipe(v.string(), v.minLength(1, "is empty: give it a value, or do not set it"));
const notHosts = "must be a host, or several with commas between: call.example.org,call.example.org:8443";
const hosts = v.pipe(
  v.string(),
  v.regex(/^[\w.:[\]-]+(,[\w.:[\]-]+)*$/, notHosts),
  v.transform((text) => text.toLowerCase().split(",")),
);

const notRedis = "must be an address like redis://host:6379 or rediss://user:password@host:6379";
const redisUrl = v.pipe(
  v.string(),
  v.check((text) => URL.canParse(text) && /^rediss?:\/\/./.test(text), notRedis),
);
/** As LiveKit itself has it. Who has credentials of a TURN server can try its secrets at home: what people choose is found. */
const SHORTEST_SECRET = 32;
const notSecret = `must have ${SHORTEST_SECRET} characters or more, as "openssl rand -hex 32" gives them`;
const notOrigin = (example: string) =>
  `must be a scheme and a host, with a port where it is not the usual one: ${example}`;
const isOrigin = (url: string) => URL.canParse(url) && ["", "/"].includes(new URL(url).pathname);
const notRelay = notOrigin("wss://relay.example.org");
const relayUrl = v.pipe(
  text,
  v.check((url) => v.is(RelayOrigin, url) && isOrigin(url), notRelay),
);
const notApi = notOrigin("http://livekit:7880");
const apiUrl = v.pipe(
  text,
  v.check((url) => /^https?:\/\/[^/?#@]+$/.test(url) && isOrigin(url), notApi),
);
const origins = (isOne: (url: string) => boolean, message: string) =>
  v.pipe(
    v.string(),
    v.transform((text) => text.split(",")),
    v.check((urls) => urls.length <= MAX_LIVE_RELAYS && urls.every(isOne), message),
  );
const notLiveRelays = `must be one to ${MAX_LIVE_RELAYS} schemes and hosts with commas between: https://live.example.org,https://live2.example.org:4443`;
const liveRelayUrls = origins((url) => v.is(LiveRelayOrigin, url) && isOrigin(url), notLiveRelays);
const notInternal = `must be one to ${MAX_LIVE_RELAYS} addresses with commas between: http://10.0.0.5:4490,http://10.0.0.6:4490`;
const internalUrls = origins((url) => v.is(apiUrl, url), notInternal);
const notTurn = `must be one to ${MAX_TURN_URLS} TURN URLs with commas between: turn:turn.example.org:3478,turns:turn.example.org:443`;
const turnUrls = v.pipe(
  v.string(),
  v.transform((text) => text.split(",")),
  v.check((urls) => urls.length <= MAX_TURN_URLS && urls.every((url) => v.is(TurnUrl, url) && isPort(url)), notTurn),
);
const secret = v.pipe(v.string(), v.minLength(SHORTEST_SECRET, notSecret));
const notWord = "stands in addresses, and so must have only letters, digits, - and _";

const Environment = v.object({
  PORT: v.optional(port, "8080"),
  HOST: v.optional(text),
  STUN_PORT: v.optional(port),
  LIVEKIT_URL: v.optional(relayUrl),
  LIVEKIT_API_URL: v.optional(apiUrl),
  LIVEKIT_API_KEY: v.optional(text),
  LIVEKIT_API_SECRET: v.optional(secret),
  MESH_PEOPLE: v.optional(count, "8"),
  MESH_VIEWERS: v.optional(count),
  LIVE_RELAYS: v.optional(liveRelayUrls),
  LIVE_RELAY_INTERNAL: v.optional(internalUrls),
  LIVE_RELAY_SECRET: v.optional(v.pipe(secret, v.regex(/^[\w-]+$/, notWord))),
  TURN_URL: v.optional(turnUrls),
  TURN_SECRET: v.optional(secret),
  LOG_LEVEL: v.optional(v.picklist(levels, `must be one of ${levels.join(", ")}`), "info"),
  CLIENT_DIR: v.optional(text),
  LAB_DIR: v.optional(text),
  TLS_CERT: v.optional(text),
  TLS_KEY: v.optional(text),
  METRICS_PORT: v.optional(port),
  METRICS_HOST: v.optional(text, "127.0.0.1"),
  BEHIND_PROXY: v.optional(yesOrNo, "0"),
  MAX_CONNECTIONS: v.optional(count, "10000"),
  MAX_SOCKETS: v.optional(count, "8000"),
  PUBLIC_HOST: v.optional(hosts),
  REDIS_URL: v.optional(redisUrl),
  REDIS_SECRET: v.optional(v.pipe(v.string(), v.minLength(SHORTEST_SECRET, notSecret))),
  CONNECTIONS_PER_ADDRESS: v.optional(count),
  SOCKETS_PER_ADDRESS: v.optional(count),
  JOINS_PER_MINUTE: v.optional(count),
  KIB_PER_SECOND: v.optional(count),
});

/** Enough for everybody behind the address of a company or school. */
const address: AddressLimits = {
  connectionsPerAddress: 600,
  requestsPerMinute: 6_000,
  socketsPerAddress: 200,
  joinsPerMinute: 60,
  bytesPerSecond: 4 * MIB,
  keptPerAddress: 4 * MIB,
};
/** A proxy that does not say whom it speaks for, or a measurement: the process's own limits hold. */
const loopback: AddressLimits = {
  connectionsPerAddress: 1_000_000,
  requestsPerMinute: 10_000_000,
  socketsPerAddress: 1_000_000,
  joinsPerMinute: 1_000_000,
  bytesPerSecond: 1_000_000 * MIB,
  keptPerAddress: 1_000_000 * MIB,
};
/** One that has just opened joins at once, unless it means no good. */
const MAX_UNJOINED = 500;

/** Throws SetupError that names each variable at fault. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const parsed = v.safeParse(Environment, environment);
  if (!parsed.success) {
    const faults = parsed.issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}.`);
    throw new SetupError("config", faults.join("\n"));
  }
  const { PORT, HOST, STUN_PORT, LOG_LEVEL, CLIENT_DIR, LAB_DIR, TLS_CERT, TLS_KEY } = parsed.output;
  const { METRICS_PORT, METRICS_HOST, BEHIND_PROXY } = parsed.output;
  return {
    port: PORT,
    host: HOST ?? null,
    stunPort: STUN_PORT === 0 ? null : (STUN_PORT ?? PORT),
    relay: relayOf(parsed.output),
    meshPeople: parsed.output.MESH_PEOPLE,
    meshViewers: parsed.output.MESH_VIEWERS ?? null,
    liveRelays: liveRelaysOf(parsed.output),
    turn: turnOf(parsed.output),
    logLevel: LOG_LEVEL,
    clientDir: CLIENT_DIR ?? fileURLToPath(new URL("../../apps/web/dist", import.meta.url)),
    labDir: LAB_DIR ?? null,
    tls: tlsOf(TLS_CERT, TLS_KEY),
    metrics: METRICS_PORT === undefined ? null : { port: METRICS_PORT, host: METRICS_HOST },
    behindProxy: BEHIND_PROXY === "1",
    publicHosts: parsed.output.PUBLIC_HOST ?? null,
    redis: redisOf(parsed.output),
    limits: limitsOf(parsed.output),
  };
}

type Environment = v.InferOutput<typeof Environment>;

function limitsOf(environment: Environment): Limits {
  const { MAX_CONNECTIONS: connections, MAX_SOCKETS: sockets } = environment;
  if (sockets > connections) throw new SetupError("config", "MAX_SOCKETS must not be above MAX_CONNECTIONS.");
  const { KIB_PER_SECOND: kib } = environment;
  const limited = (limits: AddressLimits): AddressLimits => ({
    connectionsPerAddress: environment.CONNECTIONS_PER_ADDRESS ?? limits.connectionsPerAddress,
    requestsPerMinute: limits.requestsPerMinute,
    socketsPerAddress: environment.SOCKETS_PER_ADDRESS ?? limits.socketsPerAddress,
    joinsPerMinute: environment.JOINS_PER_MINUTE ?? limits.joinsPerMinute,
    bytesPerSecond: kib === undefined ? limits.bytesPerSecond : kib * KIB,
    keptPerAddress: limits.keptPerAddress,
  });
  return { connections, sockets, unjoined: MAX_UNJOINED, address: limited(address), loopback: limited(loopback) };
}

function relayOf(environment: Environment): Config["relay"] {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: key, LIVEKIT_API_SECRET: secret, LIVEKIT_API_URL } = environment;
  if (url && key && secret) return { url, api: LIVEKIT_API_URL ?? url.replace(/^ws/, "http"), key, secret };
  if (url || key || secret || LIVEKIT_API_URL) {
    const names = "LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET";
    throw new SetupError("config", `${names} belong together: set all of them, or none.`);
  }
  return null;
}

function liveRelaysOf(environment: Environment): Config["liveRelays"] {
  const { LIVE_RELAYS: urls, LIVE_RELAY_INTERNAL: internal, LIVE_RELAY_SECRET: secret, REDIS_URL } = environment;
  if (!urls && !internal && !secret) return null;
  if (!urls || !internal || !secret) {
    const names = "LIVE_RELAYS, LIVE_RELAY_INTERNAL and LIVE_RELAY_SECRET";
    throw new SetupError("config", `${names} belong together: set all of them, or none.`);
  }
  // Who was sent away is known to the process that did it.
  if (REDIS_URL) throw new SetupError("config", "LIVE_RELAYS takes a single process: set it, or REDIS_URL.");
  return { urls, internal, secret };
}

function turnOf({ TURN_URL: urls, TURN_SECRET: secret }: Environment): Config["turn"] {
  if (urls && secret) return { urls, secret };
  if (urls || secret) throw new SetupError("config", "TURN_URL and TURN_SECRET belong together: set both, or neither.");
  return null;
}

/** Whether its port, where it names one, is one. */
function isPort(url: string): boolean {
  const port = /^turns?:(?:\[.*\]|[^:?]+)(?::(\d+))?(?:\?|$)/.exec(url);
  return port !== null && Number(port[1] ?? 1) > 0 && Number(port[1] ?? 1) <= 65_535;
}

function tlsOf(cert: string | undefined, key: string | undefined): Config["tls"] {
  if (cert && key) return { cert, key };
  if (cert || key) throw new SetupError("config", "TLS_CERT and TLS_KEY belong together: set both, or neither.");
  return null;
}

function redisOf({ REDIS_URL: url, REDIS_SECRET: secret }: Environment): Config["redis"] {
  if (url && secret) return { url, secret: Buffer.from(secret) };
  if (url || secret)
    throw new SetupError("config", "REDIS_URL and REDIS_SECRET belong together: set both, or neither.");
  return null;
}
