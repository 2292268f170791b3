// Starts what is installed of Redis, LiveKit and coturn, until this ends, and prints what the server is to be told of them. LiveKit is
// built once, where Go is.
import { execFile } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram, LIVEKIT_PATH, LIVEKIT_VERSION } from "./programs.ts";
import { startLiveKit, startRedis, startTurn } from "./servers.ts";

if (findProgram("livekit-server") === null) await buildLiveKit();
const redis = await startRedis();
const started = {
  "redis-server": redis,
  "livekit-server": await startLiveKit(redis ? { redis } : {}),
  turnserver: await startTurn(),
};
const running = Object.values(started).filter((server) => server !== null);
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
    print(`Not here: ${names}. Debian's packages are redis-server and coturn; LiveKit is built where Go is.`);
  }
  const variables = Object.entries(Object.assign({}, ...running.map(({ environment }) => environment)));
  if (variables.length === 0) return;
  print("Running until you press Ctrl-C. In another terminal:\n");
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
