import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
};

/** Cross-origin isolated: timers are coarse and there is no shared memory otherwise. */
const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Serves a folder to this computer only. */
export async function serve(folder: string): Promise<{ url: string; close(): void }> {
  const server = createServer(async ({ url }, response) => {
    // A normalised absolute path cannot lead out of the folder.
    const { pathname } = new URL(url ?? "/", "http://lab");
    const path = normalize(pathname === "/" ? "/index.html" : pathname);
    const body = await readFile(join(folder, path)).catch(() => null);
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    response.writeHead(body === null ? 404 : 200, { ...HEADERS, "Content-Type": type }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  // `listen` on a TCP port gives an address with one.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
