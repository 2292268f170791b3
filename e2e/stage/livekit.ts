import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { freePort } from "@sealcast/testbed";

const KEY = "test";
const SECRET = "a secret of at least 32 characters";
const HOUR_S = 3_600;

/** A LiveKit server of the test's own, reached over loopback only. */
export interface LiveKit {
  readonly url: string;
  /** Lets someone into the one room. */
  token(identity: string): string;
  close(): Promise<void>;
}

export async function startLiveKit(path: string): Promise<LiveKit> {
  const [port, tcp, udp] = [await freePort(), await freePort(), await freePort()];
  const config = {
    ...{ port, bind_addresses: ["127.0.0.1"], keys: { [KEY]: SECRET }, logging: { level: "warn" } },
    rtc: { tcp_port: tcp, udp_port: udp, node_ip: "127.0.0.1", enable_loopback_candidate: true },
  };
  // JSON is YAML.
  const args = ["--config-body", JSON.stringify(config)];
  const running = spawn(path, args, { stdio: ["ignore", "ignore", "inherit"] });
  const exit = once(running, "exit");
  const died = exit.then(([code]) => {
    throw new Error(`livekit-server ended with code ${code} before it was healthy.`);
  });
  died.catch(() => undefined);
  await Promise.race([healthy(`http://127.0.0.1:${port}`), died]);
  return {
    url: `ws://127.0.0.1:${port}`,
    token,
    async close() {
      running.kill();
      await exit;
    },
  };
}

/** Resolves when a server answers there. */
async function healthy(url: string): Promise<void> {
  const ask = () => fetch(url).catch(() => null);
  while (!(await ask())?.ok) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** As LiveKit has them: a JSON Web Token (RFC 7519) with HMAC-SHA-256. */
function token(identity: string): string {
  const exp = Math.floor(Date.now() / 1_000) + HOUR_S;
  const claims = { iss: KEY, sub: identity, exp, video: { roomJoin: true, room: "test" } };
  const signed = [{ alg: "HS256", typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${signed}.${createHmac("sha256", SECRET).update(signed).digest("base64url")}`;
}
