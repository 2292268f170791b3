import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import type { Page } from "@playwright/test";
import { root } from "@sealcast/testbed";

/** The lab's own, built. */
export const PAGE = join(root, "apps/lab/dist/page");

/** Has a server serve that page, and no STUN. */
export const SERVED = { CLIENT_DIR: PAGE, STUN_PORT: "0" };

/** Localhost, or the page would get no camera. */
const ORIGIN = "http://localhost/";

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

/** Opens a folder as a site in a page, at its bench. No server is needed: its browser may be in a network where there is none. */
export async function visit(page: Page, folder: string): Promise<void> {
  await page.route(`${ORIGIN}**`, async (route) => {
    // A normalised absolute path cannot lead out of the folder.
    const { pathname } = new URL(route.request().url());
    const path = normalize(pathname);
    const body = await readFile(join(folder, path)).catch(() => null);
    const contentType = TYPES[extname(path)] ?? "application/octet-stream";
    await route.fulfill({ status: body === null ? 404 : 200, headers: HEADERS, contentType, body: body ?? "" });
  });
  await page.goto(`${ORIGIN}bench.html`);
}
