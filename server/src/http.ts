import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { labPolicy, liveRelayPolicy, pageHeaders, wasmPolicy } from "./headers.ts";
import { LIVE_RELAYS_PATH, type LiveRelays, MAX_QUESTION } from "./relay/live-relays.ts";
import type { Asset, Client } from "./sockets/client.ts";
import { HEALTH } from "./sockets/intake.ts";

/**
 * The client's only scripts with WebAssembly in them: the second layer, the vault's Argon2id, its chunks where the browser
 * has no ChaCha20-Poly1305 of its own, and what makes captions, finds a person in a picture or a voice in noise.
 */
const wasmWorker = /^\/assets\/(media-two-layers|vault|chunk|captions|background|noise)\.worker-[^/]*\.js$/;

/** What speaks to relays of live streams. */
const liveRelayWorker = /^\/assets\/live-relay\.worker-[^/]*\.js$/;

/** The service worker of the vault's page. */
const rangesWorker = /^\/assets\/ranges\.worker-[^/]*\.js$/;
const rangesScope = "/vault";

/** Addresses that the client shows a page for. Everything else is a file of the client, or not there. */
const pages = ["/", "/call/:room", "/live/:room", "/watch/:room", "/dashboard", "/vault", "/help", "/privacy"];

interface Sites {
  readonly client: Client;
  /** Null: there is none. */
  readonly lab: Client | null;
  /** Where pages find the media relay, and how many people of a call go without it; null: there is none. */
  readonly relay: { readonly url: string; readonly meshPeople: number } | null;
  /** Whose relays ask here; null: there are none. */
  readonly liveRelays: Pick<LiveRelays, "isRelay" | "answer"> | null;
  /** Where pages reach these; none where there are none. */
  readonly liveRelayUrls: readonly string[];
  /** The most viewers of a stream who get a connection; null: as many as pages see fit. */
  readonly meshViewers: number | null;
  /** There is a TURN server: who hides their address can come. */
  readonly hasTurn: boolean;
}

/** Degraded: other nodes are out of reach. A balancer goes on to send people here, since it is likely to be so with all nodes. */
export type State = "ok" | "degraded" | "stopping";

/** What is served besides the signalling socket: the client, the lab's page where there is one, and the health check. */
export function createApp(sites: Sites, state: () => State): Hono {
  const { client, lab, relay, liveRelays, liveRelayUrls, meshViewers, hasTurn } = sites;
  const app = new Hono();
  app.get(HEALTH, (c) => {
    c.header("Cache-Control", "no-store");
    return c.text(`${state()}\n`, state() === "stopping" ? 503 : 200);
  });
  const headers = Object.entries(pageHeaders(importMapOf(client), relay?.url ?? null));
  // How the page knows, without another request, that there is a lab to link to, a TURN server for who hides their address, and
  // from how many people on a call goes over the media relay, and a stream over its relays.
  const mesh = relay === null ? [] : [`mesh;dur=${relay.meshPeople}`];
  const viewers = meshViewers === null ? [] : [`viewers;dur=${meshViewers}`];
  const offers = [...(lab === null ? [] : ["lab"]), ...(hasTurn ? ["turn"] : []), ...mesh, ...viewers].join(", ");
  const sendPage = (c: Context) => {
    for (const [name, value] of headers) c.header(name, value);
    if (offers.length > 0) c.header("Server-Timing", offers);
    return sendFile(c, client, "/index.html");
  };
  for (const page of [...pages, "/index.html"]) app.get(page, sendPage);
  if (lab !== null) serveLab(app, lab);
  if (liveRelays !== null) answerRelays(app, liveRelays);
  app.get("/assets/*", async (c, next) => {
    await next();
    if (liveRelayWorker.test(c.req.path)) c.header("Content-Security-Policy", liveRelayPolicy(liveRelayUrls));
  });
  app.get("*", (c) => sendFile(c, client, c.req.path));
  app.notFound((c) => {
    // The client's page says so to people, in their language. What else asks is given two words.
    if (c.req.method !== "GET" || !isFromPerson(c)) return c.text("Not found\n", 404);
    c.status(404);
    return sendPage(c);
  });
  return app;
}

/** Whether a browser would show the answer as a page. */
function isFromPerson(c: Context): boolean {
  return c.req.header("Accept")?.includes("text/html") ?? false;
}

/** moq-relay's questions about sessions: 200 with a grant, 204, or 403. Who does not know the secret finds nothing here. */
function answerRelays(app: Hono, liveRelays: NonNullable<Sites["liveRelays"]>): void {
  app.post(`${LIVE_RELAYS_PATH}:secret`, bodyLimit({ maxSize: MAX_QUESTION }), async (c) => {
    if (!liveRelays.isRelay(c.req.path)) return c.notFound();
    const answer = await liveRelays.answer(await c.req.json().catch(() => null));
    if (answer === "noted") return c.body(null, 204);
    return answer === null ? c.body(null, 403) : c.json(answer);
  });
}

/** Under a policy of its own. Its addresses are relative, so its page ends in a slash. */
function serveLab(app: Hono, lab: Client): void {
  app.get("/lab", (c) => c.redirect("/lab/"));
  app.get("/lab/*", (c) => {
    c.header("Content-Security-Policy", labPolicy);
    return sendFile(c, lab, c.req.path === "/lab/" ? "/index.html" : c.req.path.slice("/lab".length));
  });
}

/** What the client's page says its scripts' hashes are. */
function importMapOf(client: Client): string | null {
  const plain = client.get("/index.html")?.variants.find(({ encoding }) => encoding === "identity");
  const page = new TextDecoder().decode(plain?.bytes);
  return /<script type="importmap">(.*?)<\/script>/s.exec(page)?.[1] ?? null;
}

function sendFile(c: Context, client: Client, path: string): Response | Promise<Response> {
  const asset = client.get(path);
  if (!asset) return c.notFound();
  const { encoding, etag, bytes } = pick(asset, c.req.header("Accept-Encoding") ?? "");
  c.header("Cache-Control", cacheControl(path, asset));
  c.header("ETag", etag);
  c.header("Vary", "Accept-Encoding");
  if (wasmWorker.test(path)) c.header("Content-Security-Policy", wasmPolicy);
  if (rangesWorker.test(path)) c.header("Service-Worker-Allowed", rangesScope);
  if (c.req.header("If-None-Match") === etag) return c.body(null, 304);
  c.header("Content-Type", asset.type);
  if (encoding !== "identity") c.header("Content-Encoding", encoding);
  return c.body(bytes);
}

function cacheControl(path: string, asset: Asset): string {
  if (path === "/index.html") return "no-store";
  return asset.immutable ? "public, max-age=31536000, immutable" : "no-cache";
}

/** The smallest variant that the browser names; a quality of zero, which none sends, is not looked at. */
function pick(asset: Asset, accepted: string) {
  const names = accepted.split(",").map((part) => part.split(";", 1)[0]?.trim());
  const variant = asset.variants.find(({ encoding }) => encoding === "identity" || names.includes(encoding));
  if (!variant) throw new Error("an asset without its plain variant");
  return variant;
}
