import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { PAGE } from "./bench.ts";

/** Seen from dist/command, where this runs. */
const MAIN = join(import.meta.dirname, "../../../../server/dist/main.js");

/** The product's server as a process of its own. */
export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts the server on a free port; done when it is healthy. It goes with the command at the latest. */
export async function startServer(): Promise<RunningServer> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), STUN_PORT: "0", LOG_LEVEL: "warn", CLIENT_DIR: PAGE };
  const server = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "inherit", "inherit"] });
  const kill = () => void server.kill();
  process.once("exit", kill);
  const ended = once(server, "exit");
  await Promise.race([healthy(port), ended.then(() => Promise.reject(new Error("the server did not start")))]);
  return {
    port,
    async close() {
      process.off("exit", kill);
      server.kill();
      await ended;
    },
  };
}

async function healthy(port: number): Promise<void> {
  const ask = () => fetch(`http://localhost:${port}/healthz`).catch(() => null);
  while (!(await ask())?.ok) await new Promise((done) => setTimeout(done, 20));
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0), "listening");
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === "string") throw new Error("No free port was given.");
  return address.port;
}
