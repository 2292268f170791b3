import { createHmac, randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { findProgram, Program } from "./programs.ts";

const HOST = "127.0.0.1";
const HOUR_S = 3_600;

/** A server of others that calls may use, reached over loopback only. */
interface Helper {
  readonly program: Program;
  /** What our server is told of it. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface RedisServer extends Helper {
  /** Host and port. */
  readonly address: string;
}

/** Keeps nothing on the disk. Null where there is no redis-server here. */
export async function startRedis(): Promise<RedisServer | null> {
  const path = findProgram("redis-server");
  if (path === null) return null;
  const port = await freePort();
  const args = ["--port", String(port), "--bind", HOST, "--save", "", "--appendonly", "no", "--daemonize", "no"];
  const address = `${HOST}:${port}`;
  return { program: await Program.start(path, args, port), address, environment: { REDIS_URL: `redis://${address}` } };
}

export interface LiveKitNode extends Helper {
  /** For `fetch`: its RoomService. */
  readonly http: string;
  readonly url: string;
  /** Lets someone into a room for an hour, with other grants besides. */
  token(identity: string, room: string, grants?: Readonly<Record<string, boolean>>): string;
  /** All that it knows of who is there, in all its rooms. */
  participants(): Promise<{ readonly identity: string }[]>;
}

interface LiveKitOptions {
  /** Nodes over the same one share rooms. */
  readonly redis?: RedisServer;
  /** Of another node, whose tokens this one takes, too. */
  readonly secret?: string;
}

const KEY = "local";

/** Gives out no STUN server. Null where there is no livekit-server here. */
export async function startLiveKit({ redis, secret = newSecret() }: LiveKitOptions = {}): Promise<LiveKitNode | null> {
  const path = findProgram("livekit-server");
  if (path === null) return null;
  const [port, tcp, udp] = [await freePort(), await freePort(), await freePort()];
  const config = {
    ...{ port, bind_addresses: [HOST], keys: { [KEY]: secret }, logging: { level: "warn" } },
    rtc: { tcp_port: tcp, udp_port: udp, node_ip: HOST, enable_loopback_candidate: true, stun_servers: [] },
    ...(redis ? { redis: { address: redis.address } } : {}),
  };
  // JSON is YAML.
  const program = await Program.start(path, ["--config-body", JSON.stringify(config)], port);
  const url = `ws://${HOST}:${port}`;
  const http = `http://${HOST}:${port}`;
  return {
    ...{ program, url, http },
    environment: { LIVEKIT_URL: url, LIVEKIT_API_KEY: KEY, LIVEKIT_API_SECRET: secret },
    token: (identity, room, grants) => token(secret, identity, { roomJoin: true, room, ...grants }),
    participants: () => participants(http, secret),
  };
}

async function participants(http: string, secret: string): Promise<{ identity: string }[]> {
  const ask = async (method: string, body: object, grants: Readonly<Record<string, boolean | string>>) => {
    const headers = { Authorization: `Bearer ${token(secret, "tests", grants)}`, "Content-Type": "application/json" };
    const path = `${http}/twirp/livekit.RoomService/${method}`;
    const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    return answer.json() as Promise<{ rooms?: { name: string }[]; participants?: { identity: string }[] }>;
  };
  const { rooms = [] } = await ask("ListRooms", {}, { roomList: true });
  const lists = rooms.map(({ name }) => ask("ListParticipants", { room: name }, { roomAdmin: true, room: name }));
  return (await Promise.all(lists)).flatMap(({ participants = [] }) => participants);
}

/** As LiveKit has them: a JSON Web Token (RFC 7519) with HMAC-SHA-256. */
function token(secret: string, identity: string, video: Readonly<Record<string, boolean | string>>): string {
  const exp = Math.floor(Date.now() / 1_000) + HOUR_S;
  const signed = [
    { alg: "HS256", typ: "JWT" },
    { iss: KEY, sub: identity, exp, video },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

export interface TurnRelay extends Helper {
  readonly port: number;
  /** Shared with who makes credentials (draft-uberti-behave-turn-rest). */
  readonly secret: string;
}

/** Answers over UDP and TCP; `args` are coturn's own, more of them. Null where there is no turnserver here. */
export async function startTurn(args: readonly string[] = []): Promise<TurnRelay | null> {
  const path = findProgram("turnserver");
  if (path === null) return null;
  const port = await freePort();
  const secret = newSecret();
  const own = [
    // -n: no configuration file.
    ...["-n", "--listening-ip", HOST, "--relay-ip", HOST, "--listening-port", String(port), "--allow-loopback-peers"],
    ...["--use-auth-secret", "--static-auth-secret", secret, "--realm", "sealcast", "--fingerprint"],
    ...["--no-cli", "--log-file", "stdout", "--pidfile", join(tmpdir(), "sealcast-turnserver.pid")],
  ];
  const program = await Program.start(path, [...own, ...args], port);
  return { program, port, secret, environment: { TURN_URL: `turn:${HOST}:${port}`, TURN_SECRET: secret } };
}

export interface MoqRelay extends Helper {
  /** As pages reach it. Its certificate is its own: pages take its fingerprint from here, over http. */
  readonly url: string;
  /** Where its operator asks and tells it things (`/metrics`, `/sessions`). */
  readonly internal: string;
}

interface MoqRelayOptions {
  /** Of our server: which sessions it admits. */
  readonly authUrl: string;
  /** Shared with our server, and so among relays that pass streams on to each other. */
  readonly secret: string;
  /** Another one that it asks for streams that it does not have. */
  readonly peer?: MoqRelay;
}

/** Two that pass streams on to each other. Null where there is no moq-relay here. */
export async function startMoqRelays(
  options: Pick<MoqRelayOptions, "authUrl" | "secret">,
): Promise<readonly [MoqRelay, MoqRelay] | null> {
  const first = await startMoqRelay(options);
  const second = first && (await startMoqRelay({ ...options, peer: first }));
  return first && second && [first, second];
}

/** Answers WebTransport and WebSockets on one port number. Null where there is no moq-relay here. */
async function startMoqRelay({ authUrl, secret, peer }: MoqRelayOptions): Promise<MoqRelay | null> {
  const path = findProgram("moq-relay");
  if (path === null) return null;
  const [port, internalPort] = [await freePort(), await freePort()];
  const own = [
    ...["--listen", `${HOST}:${port}`, "--listen-tls-generate", "localhost", "--web-http-listen", `${HOST}:${port}`],
    ...["--internal-listen", `${HOST}:${internalPort}`, "--auth-url", authUrl, "--stats-enabled"],
    // Quick to notice that the other end is gone, and gone soon when it is asked to stop.
    ...["--quic-idle-timeout", "4s", "--quic-keep-alive", "1s", "--drain-timeout", "1s"],
  ];
  const peerUrl = peer && `${peer.url.replace("http:", "https:")}/?jwt=${secret}`;
  const passing = peerUrl ? ["--cluster-connect", peerUrl, "--connect-tls-insecure"] : [];
  const program = await Program.start(path, [...own, ...passing], port);
  const [url, internal] = [`http://${HOST}:${port}`, `http://${HOST}:${internalPort}`];
  return { program, url, internal, environment: liveRelayEnvironment([{ url, internal }], secret) };
}

/** What our server is told of relays that share a secret with it. */
export function liveRelayEnvironment(
  relays: readonly Pick<MoqRelay, "url" | "internal">[],
  secret: string,
): Readonly<Record<string, string>> {
  return {
    LIVE_RELAYS: relays.map(({ url }) => url).join(","),
    LIVE_RELAY_INTERNAL: relays.map(({ internal }) => internal).join(","),
    LIVE_RELAY_SECRET: secret,
  };
}

/** Where our server at `origin` is asked by relays that share the secret with it. */
export const liveRelayAuthUrl = (origin: string, secret: string): string => `${origin}/live-relays/${secret}`;

/** LiveKit asks for 32 characters. */
export const newSecret = (): string => randomBytes(24).toString("base64url");
