import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { SetupError } from "./config.ts";

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

/** Type, and whether it is text, which compresses. */
const types: Readonly<Record<string, readonly [type: string, isText: boolean]>> = {
  ".html": ["text/html; charset=utf-8", true],
  ".js": ["text/javascript; charset=utf-8", true],
  ".css": ["text/css; charset=utf-8", true],
  ".json": ["application/json", true],
  ".map": ["application/json", true],
  ".webmanifest": ["application/manifest+json", true],
  ".svg": ["image/svg+xml", true],
  ".txt": ["text/plain; charset=utf-8", true],
  ".wasm": ["application/wasm", true],
  ".png": ["image/png", false],
  ".ico": ["image/x-icon", false],
  ".webp": ["image/webp", false],
  ".woff2": ["font/woff2", false],
};

/**
 * Reads the built client whole, once. Requests are looked up among these names, so none leads elsewhere on the disk.
 * Throws SetupError when it is not there.
 */
export async function loadClient(dir: string): Promise<Client> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw missing(dir, cause);
  });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const client = new Map<string, Asset>();
  for (const file of files) {
    const path = `/${relative(dir, file).split(sep).join("/")}`;
    client.set(path, await load(file, path.startsWith("/assets/")));
  }
  if (!client.has("/index.html")) throw missing(dir);
  return client;
}

const missing = (dir: string, cause?: unknown) =>
  new SetupError("client-missing", `No built client in ${dir}: run "npm run build", or set CLIENT_DIR.`, cause);

async function load(file: string, immutable: boolean): Promise<Asset> {
  const [type, isText] = types[extname(file)] ?? ["application/octet-stream", false];
  const plain = await readFile(file);
  const variants = [variant("identity", plain)];
  if (isText) variants.push(variant("gzip", await promisify(gzip)(plain)), variant("br", await brotli(plain)));
  return { type, immutable, variants: variants.sort((a, b) => a.bytes.length - b.bytes.length) };
}

/** The highest quality takes ten times as long to start for a few per cent. */
const brotli = (plain: Uint8Array) =>
  promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });

function variant(encoding: Variant["encoding"], content: Uint8Array): Variant {
  const bytes = new Uint8Array(content);
  return { encoding, bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
}
