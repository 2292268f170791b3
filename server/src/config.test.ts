import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

const MIB = 1024 * 1024;

test("an empty environment is enough", () => {
  expect(readConfig({})).toEqual({
    port: 8080,
    host: null,
    stunPort: 8080,
    relay: null,
    meshPeople: 8,
    meshViewers: null,
    liveRelays: null,
    turn: null,
    logLevel: "info",
    clientDir: expect.stringMatching(/apps\/web\/dist$/),
    labDir: null,
    tls: null,
    metrics: null,
    behindProxy: false,
    publicHosts: null,
    redis: null,
    limits: {
      connections: 10_000,
      sockets: 8_000,
      unjoined: 500,
      address: {
        connectionsPerAddress: 600,
        requestsPerMinute: 6_000,
        socketsPerAddress: 200,
        joinsPerMinute: 60,
        bytesPerSecond: 4 * MIB,
        keptPerAddress: 4 * MIB,
      },
      loopback: {
        connectionsPerAddress: 1_000_000,
        requestsPerMinute: 10_000_000,
        socketsPerAddress: 1_000_000,
        joinsPerMinute: 1_000_000,
        bytesPerSecond: 1_000_000 * MIB,
        keptPerAddress: 1_000_000 * MIB,
      },
    },
  });
});

test("every variable is read, others are not looked at", () => {
  const environment = {
    PORT: "0",
    HOST: "127.0.0.1",
    STUN_PORT: "3478",
    TURN_URL: "turn:turn.example.org:3478,turns:[2001:db8::1]:443?transport=tcp",
    TURN_SECRET: "s".repeat(32),
    LOG_LEVEL: "debug",
    CLIENT_DIR: "/client",
    LAB_DIR: "/lab",
  };
  const metrics = { METRICS_PORT: "9090", METRICS_HOST: "10.0.0.1" };
  const limits = { MAX_CONNECTIONS: "30", MAX_SOCKETS: "20", SOCKETS_PER_ADDRESS: "10", JOINS_PER_MINUTE: "5" };
  const wider = {
    CONNECTIONS_PER_ADDRESS: "30",
    KIB_PER_SECOND: "64",
    PUBLIC_HOST: "Call.example.org,[2001:db8::1]:8443",
  };
  const livekit = { LIVEKIT_URL: "wss://relay.example.org", LIVEKIT_API_KEY: "key" };
  const relay = { ...livekit, LIVEKIT_API_SECRET: "s".repeat(32), MESH_PEOPLE: "12" };
  const more = { TLS_CERT: "/c", TLS_KEY: "/k", HOME: "/root", BEHIND_PROXY: "1" };
  const redis = { REDIS_URL: "rediss://user:word@redis:6380/1", REDIS_SECRET: "r".repeat(32) };
  const shares = { connectionsPerAddress: 30, socketsPerAddress: 10, joinsPerMinute: 5, bytesPerSecond: 65_536 };
  expect(readConfig({ ...environment, ...metrics, ...limits, ...wider, ...relay, ...redis, ...more })).toEqual({
    port: 0,
    host: "127.0.0.1",
    stunPort: 3478,
    relay: { url: "wss://relay.example.org", api: "https://relay.example.org", key: "key", secret: "s".repeat(32) },
    meshPeople: 12,
    meshViewers: null,
    liveRelays: null,
    turn: {
      urls: ["turn:turn.example.org:3478", "turns:[2001:db8::1]:443?transport=tcp"],
      secret: "s".repeat(32),
    },
    logLevel: "debug",
    clientDir: "/client",
    labDir: "/lab",
    tls: { cert: "/c", key: "/k" },
    metrics: { port: 9090, host: "10.0.0.1" },
    behindProxy: true,
    publicHosts: ["call.example.org", "[2001:db8::1]:8443"],
    redis: { url: "rediss://user:word@redis:6380/1", secret: Buffer.from("r".repeat(32)) },
    limits: {
      connections: 30,
      sockets: 20,
      unjoined: 500,
      address: expect.objectContaining(shares),
      loopback: expect.objectContaining(shares),
    },
  });
});

test("the media relay may be reached by the server elsewhere than by pages", () => {
  const environment = {
    LIVEKIT_URL: "ws://localhost:7880",
    LIVEKIT_API_KEY: "key",
    LIVEKIT_API_SECRET: "s".repeat(32),
  };
  expect(readConfig(environment).relay?.api).toBe("http://localhost:7880");
  expect(readConfig({ ...environment, LIVEKIT_API_URL: "http://livekit:80" }).relay?.api).toBe("http://livekit:80");
});

const LIVE_RELAYS = "https://live.example.org,http://127.0.0.1:4443";
const LIVE_RELAY_INTERNAL = "http://10.0.0.5:4490,http://127.0.0.1:4490";
const LIVE_RELAY_SECRET = "s".repeat(32);

test("relays of live streams", () => {
  expect(readConfig({ LIVE_RELAYS, LIVE_RELAY_INTERNAL, LIVE_RELAY_SECRET }).liveRelays).toEqual({
    urls: ["https://live.example.org", "http://127.0.0.1:4443"],
    internal: ["http://10.0.0.5:4490", "http://127.0.0.1:4490"],
    secret: LIVE_RELAY_SECRET,
  });
});

test.each([
  "http://live.example.org",
  "https://live.example.org/path",
  "https://a;script-src *",
  "https://a:99999",
  "https://user@a",
  "https://a,",
  Array(9).fill("https://a").join(","),
])("%s are no relays of live streams", (wrong) => {
  expect(() => readConfig({ LIVE_RELAYS: wrong, LIVE_RELAY_INTERNAL, LIVE_RELAY_SECRET })).toThrow(
    "LIVE_RELAYS must be one to 8 schemes and hosts with commas between",
  );
});

test.each(["https://relay.example.org", "wss://relay.example.org/", "wss://a;script-src *", "wss://x:99999"])(
  "%s is no address of a media relay",
  (LIVEKIT_URL) => {
    const what = "must be a scheme and a host, with a port where it is not the usual one: wss://relay.example.org.";
    expect(() => readConfig({ LIVEKIT_URL })).toThrow(`LIVEKIT_URL ${what}`);
  },
);

test("STUN follows PORT unless it has one of its own, and 0 switches it off", () => {
  expect(readConfig({ PORT: "9000" }).stunPort).toBe(9000);
  expect(readConfig({ PORT: "9000", STUN_PORT: "0" }).stunPort).toBeNull();
});

const TURN_SECRET = "s".repeat(32);

test.each([
  ...[
    "turn.example.org",
    "stun:turn.example.org",
    "turn:",
    "turn:host:0",
    "turn:host:99999",
    "turn://host",
    "turn:a, turn:b",
  ],
  ...["turns:host?transport=udp", "turn:host?transport=tls", "turn:user@host", Array(9).fill("turn:host").join()],
])("TURN_URL=%s is refused", (TURN_URL) => {
  const message = expect.stringMatching(/^TURN_URL must be one to 8 TURN URLs with commas between: /);
  expect(() => readConfig({ TURN_URL, TURN_SECRET })).toThrow(expect.objectContaining({ code: "config", message }));
});

test.each([
  [{ PORT: "abc" }, "PORT must be a port number from 0 to 65535."],
  [{ PORT: "65536" }, "PORT must be a port number from 0 to 65535."],
  [{ PORT: "" }, "PORT must be a port number from 0 to 65535."],
  [{ STUN_PORT: "-1" }, "STUN_PORT must be a port number from 0 to 65535."],
  [{ LOG_LEVEL: "loud" }, "LOG_LEVEL must be one of debug, info, warn, error, silent."],
  [{ HOST: "" }, "HOST is empty: give it a value, or do not set it."],
  [{ METRICS_PORT: "-1" }, "METRICS_PORT must be a port number from 0 to 65535."],
  [{ METRICS_HOST: "" }, "METRICS_HOST is empty: give it a value, or do not set it."],
  [{ BEHIND_PROXY: "yes" }, "BEHIND_PROXY must be 0 or 1."],
  [{ MAX_SOCKETS: "0" }, "MAX_SOCKETS must be a whole number from 1 to 1000000."],
  [{ MAX_CONNECTIONS: "1000001" }, "MAX_CONNECTIONS must be a whole number from 1 to 1000000."],
  [{ SOCKETS_PER_ADDRESS: "many" }, "SOCKETS_PER_ADDRESS must be a whole number from 1 to 1000000."],
  [{ JOINS_PER_MINUTE: "1.5" }, "JOINS_PER_MINUTE must be a whole number from 1 to 1000000."],
  [{ MAX_SOCKETS: "9", MAX_CONNECTIONS: "8" }, "MAX_SOCKETS must not be above MAX_CONNECTIONS."],
  [
    { LIVEKIT_API_URL: "http://user@livekit" },
    "LIVEKIT_API_URL must be a scheme and a host, with a port where it is not the usual one: http://livekit:7880.",
  ],
  [{ LIVEKIT_API_KEY: "" }, "LIVEKIT_API_KEY is empty: give it a value, or do not set it."],
  [
    { LIVEKIT_API_SECRET: "secret" },
    'LIVEKIT_API_SECRET must have 32 characters or more, as "openssl rand -hex 32" gives them.',
  ],
  [
    { LIVEKIT_URL: "wss://relay.example.org", LIVEKIT_API_KEY: "key" },
    "LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET belong together: set all of them, or none.",
  ],
  [
    { LIVE_RELAYS, LIVE_RELAY_SECRET },
    "LIVE_RELAYS, LIVE_RELAY_INTERNAL and LIVE_RELAY_SECRET belong together: set all of them, or none.",
  ],
  [
    { LIVE_RELAYS, LIVE_RELAY_INTERNAL, LIVE_RELAY_SECRET: "a/b".repeat(11) },
    "LIVE_RELAY_SECRET stands in addresses, and so must have only letters, digits, - and _.",
  ],
  [
    { LIVE_RELAY_INTERNAL: "10.0.0.5:4490" },
    "LIVE_RELAY_INTERNAL must be one to 8 addresses with commas between: http://10.0.0.5:4490,http://10.0.0.6:4490.",
  ],
  [
    { LIVE_RELAYS, LIVE_RELAY_INTERNAL, LIVE_RELAY_SECRET, REDIS_URL: "redis://redis", REDIS_SECRET: "r".repeat(32) },
    "LIVE_RELAYS takes a single process: set it, or REDIS_URL.",
  ],
  [
    { REDIS_URL: "redis:6379" },
    "REDIS_URL must be an address like redis://host:6379 or rediss://user:password@host:6379.",
  ],
  [{ REDIS_SECRET: "secret" }, 'REDIS_SECRET must have 32 characters or more, as "openssl rand -hex 32" gives them.'],
  [{ REDIS_URL: "redis://redis" }, "REDIS_URL and REDIS_SECRET belong together: set both, or neither."],
  [{ TURN_SECRET }, "TURN_URL and TURN_SECRET belong together: set both, or neither."],
  [{ TURN_URL: "turn:host" }, "TURN_URL and TURN_SECRET belong together: set both, or neither."],
  [
    { TURN_URL: "turn:host", TURN_SECRET: "short" },
    'TURN_SECRET must have 32 characters or more, as "openssl rand -hex 32" gives them.',
  ],
  [{ TLS_CERT: "/c" }, "TLS_CERT and TLS_KEY belong together: set both, or neither."],
  [
    { PORT: "x", STUN_PORT: "y" },
    "PORT must be a port number from 0 to 65535.\nSTUN_PORT must be a port number from 0 to 65535.",
  ],
])("%j is refused, naming what to put right", (environment, message) => {
  expect(() => readConfig(environment)).toThrow(expect.objectContaining({ code: "config", message }));
});
