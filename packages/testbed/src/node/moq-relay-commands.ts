import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type MoqRelay, newSecret, startMoqRelays } from "./servers.ts";

/** One stream's place at the relays, and what lets pages in there. */
const PLACE = { path: "/live/stream", name: "name" } as const;
const TOKENS = { publish: "a.host.token", subscribe: "a.viewer.token" } as const;
const secret = newSecret();

let server: Server | null = null;
const relays: MoqRelay[] = [];

/** What tests that run in a browser ask of Node: two relays that are one, and who says whom they let in. One pair at a time. */
export const moqRelayCommands = {
  /** Null where there is no moq-relay on this machine. */
  async startMoqRelays(): Promise<{ urls: string[]; path: string; name: string; tokens: typeof TOKENS } | null> {
    server = createServer(async (request, response) => {
      let text = "";
      for await (const part of request) text += part;
      const grant = grantFor(JSON.parse(text));
      response.writeHead(grant === null ? 403 : 200).end(JSON.stringify(grant));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const authUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const started = await startMoqRelays({ authUrl, secret });
    if (started === null) return null;
    relays.push(...started);
    return { urls: relays.map(({ url }) => url), ...PLACE, tokens: TOKENS };
  },
  /** It crashes and is gone, or is stopped: then its connections stay and say nothing. */
  async breakMoqRelay(_context: unknown, at: number, how: "crashes" | "freezes"): Promise<void> {
    const program = relays[at]?.program;
    if (how === "crashes") await program?.stop("SIGKILL");
    else if (program?.pid) process.kill(program.pid, "SIGSTOP");
  },
  async stopMoqRelays(): Promise<void> {
    await Promise.all(relays.splice(0).map(({ program }) => program.stop("SIGKILL")));
    server?.close().closeAllConnections();
    server = null;
  },
};

function grantFor({ path, query = "" }: { path: string; query?: string }): object | null {
  const term = { expires: Math.floor(Date.now() / 1_000) + 600 };
  const token = new URLSearchParams(query).get("jwt");
  if (token === secret) return { root: "", publish: ["**"], subscribe: ["**"], peer: true, ...term };
  if (path !== PLACE.path) return null;
  if (token === TOKENS.publish) return { publish: [PLACE.name], ...term };
  return token === TOKENS.subscribe ? { subscribe: [PLACE.name], ...term } : null;
}
