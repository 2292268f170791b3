// Starts what is installed of Redis, LiveKit, coturn and moq-relay, until this ends, and prints what the server is to be told of them.
// LiveKit is built once, where Go is, and moq-relay, where Rust is.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram, LIVEKIT_PATH, LIVEKIT_VERSION, MOQ_RELAY_PATH, MOQ_RELAY_VERSION } from "./programs.ts";
import {
  liveRelayAuthUrl,
  liveRelayEnvironment,
  newSecret,
  startLiveKit,
  startMoqRelays,
  startRedis,
  startTurn,
} from "./servers.ts";

/** Small and soon built rather than fast: without optimisation across crates, and without what only its operators debug with. */
const QUICK_BUILD = {
  CARGO_PROFILE_RELEASE_LTO: "off",
  CARGO_PROFILE_RELEASE_OPT_LEVEL: "2",
  CARGO_PROFILE_RELEASE_DEBUG: "false",
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
};

if (findProgram("livekit-server") === null) await buildLiveKit();
if (findProgram("moq-relay") === null) await buildMoqRelay();
const redis = await startRedis();
const secret = newSecret();
// Our server is on its usual port.
const relays = await startMoqRelays({ authUrl: liveRelayAuthUrl("http://127.0.0.1:8080", secret), secret });
const [relay, otherRelay] = relays ?? [null, null];
const started = {
  "redis-server": redis,
  "livekit-server": await startLiveKit(redis ? { redis } : {}),
  turnserver: await startTurn(),
  "moq-relay": relay,
};
const running = [...Object.values(started), otherRelay].filter((server) => server !== null);
let isStopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(0));
for (const { program } of running) void program.ended().then(ended);
report();

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function report(): void {
  const missing = Object.entries(started).filter(([, server]) => server === null);
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(", ");
    print(
      `Not here: ${names}. Debian's packages are redis-server and coturn; LiveKit is built where Go is, moq-relay where Rust is.`,
    );
  }
  if (running.length === 0) return;
  print("Running until you press Ctrl-C. In another terminal:\n");
  const one = [started["livekit-server"], started.turnserver].map((server) => server?.environment);
  if (relays) start([liveRelayEnvironment(relays, secret), ...one]);
  if (redis && relays) print("or, of several processes, which relays of live streams do not work with:\n");
  if (redis || !relays) start([redis ? { ...redis.environment, REDIS_SECRET: newSecret() } : {}, ...one]);
}

function start(environments: readonly (Readonly<Record<string, string>> | undefined)[]): void {
  const variables = Object.entries(Object.assign({}, ...environments));
  print(`${variables.map(([name, value]) => `${name}=${value} \\\n  `).join("")}npm start\n`);
}

async function stop(code: number): Promise<void> {
  isStopping = true;
  await Promise.all(running.map(({ program }) => program.stop()));
  process.exit(code);
}

/** What the server was told is true no more: all end. */
function ended(why: string): void {
  // Ctrl-C in a terminal reaches them as well.
  if (isStopping) return;
  print(why);
  void stop(1);
}

/** It is not on npm or in Debian. */
async function buildLiveKit(): Promise<void> {
  print(`Building LiveKit ${LIVEKIT_VERSION} once, as ${LIVEKIT_PATH}: some minutes ...`);
  const folder = join(LIVEKIT_PATH, "..");
  const target = `github.com/livekit/livekit-server/cmd/server@v${LIVEKIT_VERSION}`;
  try {
    await promisify(execFile)("go", ["install", target], { env: { ...process.env, GOBIN: folder } });
    renameSync(join(folder, "server"), LIVEKIT_PATH);
  } catch (error) {
    print(`It could not be built: ${error}`);
  }
}

/** It is a crate. Not by its lock file, which names versions that a partial registry may lack. */
async function buildMoqRelay(): Promise<void> {
  print(`Building moq-relay ${MOQ_RELAY_VERSION} once, as ${MOQ_RELAY_PATH}: some minutes ...`);
  const folder = join(MOQ_RELAY_PATH, "..");
  mkdirSync(folder, { recursive: true });
  const root = mkdtempSync(join(folder, "moq-relay-build-"));
  const what = ["moq-relay", "--version", MOQ_RELAY_VERSION, "--bin", "moq-relay", "--root", root];
  const features = ["--no-default-features", "--features", "noq,websocket"];
  try {
    await promisify(execFile)("cargo", ["install", ...what, ...features], { env: { ...process.env, ...QUICK_BUILD } });
    renameSync(join(root, "bin/moq-relay"), MOQ_RELAY_PATH);
  } catch (error) {
    print(`It could not be built: ${error}`);
  }
  rmSync(root, { recursive: true });
}
