import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { SetupError } from "../config.ts";

/** One file of the built client, ready to send. */
export interface Asset {
  readonly type: string;
  /** Its name holds a hash of its content. */
  readonly immutable: boolean;
  /** The smallest first. The plain one is always there. */
  readonly variants: readonly Variant[];
}

interface Variant {
  readonly encoding: "br" | "gzip" | "identity";
  readonly etag: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** By the path of its URL, which begins with a slash. */
export type Client = ReadonlyMap<string, Asset>;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/** The build has packed files, too, beside those that pack well. */
const PACKED = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/**
 * Reads the built client whole, once. Requests are looked up among these names, so none leads elsewhere on the disk.
 * Throws SetupError when it is not there.
 */
export async function loadClient(dir: string): Promise<Client> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw missing(dir, cause);
  });
  const files = new Set(entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)));
  const client = new Map<string, Asset>();
  for (const file of files) {
    if (PACKED.some(([, ending]) => file.endsWith(ending))) continue;
    const path = `/${relative(dir, file).split(sep).join("/")}`;
    const type = types[extname(file)] ?? "application/octet-stream";
    client.set(path, { type, immutable: path.startsWith("/assets/"), variants: await variantsOf(file, files) });
  }
  if (!client.has("/index.html")) throw missing(dir);
  return client;
}

const missing = (dir: string, cause?: unknown) =>
  new SetupError(
    "client-missing",
    `No built client in ${dir}: run "npm run build", or set CLIENT_DIR or LAB_DIR.`,
    cause,
  );

async function variantsOf(file: string, files: ReadonlySet<string>): Promise<Variant[]> {
  const packed = PACKED.filter(([, ending]) => files.has(file + ending));
  const variants = await Promise.all([
    variant("identity", file),
    ...packed.map(([encoding, ending]) => variant(encoding, file + ending)),
  ]);
  return variants.sort((a, b) => a.bytes.length - b.bytes.length);
}

async function variant(encoding: Variant["encoding"], file: string): Promise<Variant> {
  const bytes = new Uint8Array(await readFile(file));
  return { encoding, bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
}
