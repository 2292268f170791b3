import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { PAGE } from "./site.ts";

/** Seen from dist/command, where this runs. */
const MAIN = join(import.meta.dirname, "../../../../server/dist/main.js");

/** The product's server as a process of its own. */
export interface RunningServer {
  readonly port: number;
  /** Asks it to stop, or has it end at once; done when it is gone. */
  close(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

interface Start {
  /** A free one unless given. */
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** What runs it: a command with its arguments, Node's come last. */
  readonly under?: readonly string[];
}

/** Starts the server; done when it is healthy. It goes with the command at the latest. */
export async function startServer({ port: asked, environment, under = [] }: Start = {}): Promise<RunningServer> {
  const port = asked ?? (await freePort());
  const ours = { PORT: String(port), STUN_PORT: "0", LOG_LEVEL: "warn", CLIENT_DIR: PAGE };
  const env = { ...process.env, ...ours, ...environment };
  const [program = "", ...args] = [...under, process.execPath, MAIN];
  const server = spawn(program, args, { env, stdio: ["ignore", "inherit", "inherit"] });
  const kill = () => void server.kill();
  process.once("exit", kill);
  const ended = once(server, "exit");
  await Promise.race([healthy(port), ended.then(() => Promise.reject(new Error("the server did not start")))]);
  return {
    port,
    async close(signal = "SIGTERM") {
      process.off("exit", kill);
      server.kill(signal);
      await ended;
    },
  };
}

async function healthy(port: number): Promise<void> {
  const ask = () => fetch(`http://localhost:${port}/healthz`).catch(() => null);
  while (!(await ask())?.ok) await new Promise((done) => setTimeout(done, 20));
}

/** A TCP port that nothing listens on now. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0), "listening");
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === "string") throw new Error("No free port was given.");
  return address.port;
}
