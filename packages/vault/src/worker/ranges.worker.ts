import { CLAIM, OPENED, type RangeAnswer, type RangeRequest } from "../shared/ranges.ts";

// A service worker. It may be ended between any two events, and keeps nothing.
declare const self: ServiceWorkerGlobalScope;

self.addEventListener("install", () => void self.skipWaiting());

self.addEventListener("message", (event) => {
  if (event.data === CLAIM && event.source instanceof Client) event.waitUntil(claim(event.source, event.ports));
});

self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  if (pathname.startsWith(OPENED)) event.respondWith(respond(event, pathname.slice(OPENED.length)));
});

async function claim({ id }: Client, [port]: readonly MessagePort[]): Promise<void> {
  await self.clients.claim();
  const clients = await self.clients.matchAll();
  port?.postMessage(clients.some((client) => client.id === id));
}

/** Asks the page whose element this is: no other one can, and nobody can open the address as a page. */
async function respond({ clientId, request }: FetchEvent, token: string): Promise<Response> {
  const page = await self.clients.get(clientId);
  if (page === undefined) return gone();
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise<RangeAnswer>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<RangeAnswer>) => resolve(data);
  });
  const asked: RangeRequest = { token, range: request.headers.get("Range") };
  page.postMessage(asked, [port2]);
  return responseOf(await answer);
}

function responseOf(answer: RangeAnswer): Response {
  if (answer.type === "gone") return gone();
  if (answer.type === "not-in-range")
    return new Response(null, { status: 416, headers: { ...ALWAYS, "Content-Range": `bytes */${answer.size}` } });
  const { at, size, kind, bytes } = answer;
  const headers = {
    ...ALWAYS,
    "Content-Type": kind,
    "Content-Length": String(bytes.length),
    "Content-Range": `bytes ${at}-${at + bytes.length - 1}/${size}`,
  };
  return new Response(bytes, { status: 206, headers });
}

function gone(): Response {
  return new Response("Not found", { status: 404, headers: { ...ALWAYS, "Content-Type": "text/plain" } });
}

const ALWAYS = {
  "Accept-Ranges": "bytes",
  "Cache-Control": "no-store",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};
