import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** A folder's files on a port of localhost, as any web server gives them. */
export async function serveFolder(folder: string): Promise<{ address: string; close: () => void }> {
  const server = createServer(async ({ url = "" }, response) => {
    // A normalised absolute path cannot lead out of the folder.
    const path = normalize(new URL(url, "http://localhost").pathname).replace(/\/$/, "/index.html");
    const body = await readFile(join(folder, path)).catch(() => null);
    response.writeHead(body === null ? 404 : 200, {
      "Content-Type": TYPES[extname(path)] ?? "application/octet-stream",
    });
    response.end(body);
  });
  await once(server.listen(0, "localhost"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was given.");
  return { address: `http://localhost:${address.port}`, close: () => void server.close() };
}
