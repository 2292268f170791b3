// The service worker of all pages but the vault's, which has its own. It keeps the page as it was built, to open it without
// a connection, and nothing else: no address, nothing that a person said or sent. With a connection, everything comes from
// the server. A new one waits until no page of the one before is left, so that each goes on with the files that it began with.
declare const self: ServiceWorkerGlobalScope;

export {};

/** What the build puts here: paths of the files to keep, and a hash that is another with each build. */
declare const SHELL_FILES: readonly string[];
declare const SHELL_HASH: string;

const CACHE = `shell ${SHELL_HASH}`;
/** The key of the page, which is the same at all its addresses. Those may hold a link's secret, and are kept nowhere. */
const PAGE = "/";
const PAGES = /^\/((call|live|watch)\/[^/]+|dashboard|vault|help|privacy)?$/;

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(begin()));
self.addEventListener("fetch", (event) => {
  const key = keyOf(event.request);
  if (key !== null) event.respondWith(answer(event, key));
});

async function keep(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll([PAGE, ...SHELL_FILES].map((path) => new Request(path, { cache: "no-cache" })));
}

async function begin(): Promise<void> {
  const former = (await caches.keys()).filter((name) => name.startsWith("shell ") && name !== CACHE);
  await Promise.all(former.map((name) => caches.delete(name)));
  // The page is asked for while this worker starts, and not after.
  await self.registration.navigationPreload?.enable();
}

/** Under what this request's answer is kept; null: it is none of this worker's business. */
function keyOf({ method, mode, url }: Request): string | null {
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== self.location.origin) return null;
  if (mode === "navigate") return PAGES.test(pathname) ? PAGE : null;
  return SHELL_FILES.includes(pathname) ? pathname : null;
}

async function answer(event: FetchEvent, key: string): Promise<Response> {
  try {
    return ((await event.preloadResponse) as Response | undefined) ?? (await fetch(event.request));
  } catch (failure) {
    const kept = await (await caches.open(CACHE)).match(key, { ignoreVary: true });
    if (kept === undefined) throw failure;
    return kept;
  }
}
