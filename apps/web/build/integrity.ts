import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Plugin } from "vite";

/** Browsers look for it among the first bytes of the page. */
const CHARSET = '<meta charset="utf-8" />';

/**
 * What the page loads is held against hashes: its first script and style by their tags, scripts that come later by an
 * import map. Workers are held against none: no browser does that. The hash of all files is in /build.json.
 */
export function integrity(): Plugin {
  return {
    name: "sealcast-integrity",
    apply: "build",
    enforce: "post",
    async writeBundle({ dir }) {
      if (dir === undefined) return this.error("the build has no directory");
      const page = join(dir, "index.html");
      await writeFile(page, hold(await readFile(page, "utf8"), await read(dir)));
      await writeFile(join(dir, "build.json"), manifest(await read(dir)));
    },
  };
}

/** By path, which begins with a slash. */
type Files = ReadonlyMap<string, Buffer>;

async function read(dir: string): Promise<Files> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const names = paths.map((path) => [`/${relative(dir, path).split(sep).join("/")}`, path] as const);
  const sorted = names.filter(([name]) => name !== "/build.json").sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(await Promise.all(sorted.map(async ([name, path]) => [name, await readFile(path)] as const)));
}

/** The page with hashes in its tags and an import map, which has to stand before the first script. */
function hold(page: string, files: Files): string {
  const held = page.replace(/<(?:script|link)\b[^>]*? (?:src|href)="(\/assets\/[^"]+)"/g, (tag, path: string) => {
    return `${tag} integrity="${hashOf(files, path)}"`;
  });
  const chunks = [...files.keys()].filter((path) => /^\/assets\/.*\.js$/.test(path) && !path.includes(".worker-"));
  const map = JSON.stringify({ integrity: Object.fromEntries(chunks.map((path) => [path, hashOf(files, path)])) });
  if (!held.includes(CHARSET)) throw new Error(`The page has no ${CHARSET}, which its import map follows.`);
  return held.replace(CHARSET, `${CHARSET}\n    <script type="importmap">${map}</script>`);
}

function hashOf(files: Files, path: string): string {
  const file = files.get(path);
  if (file === undefined) throw new Error(`The page names ${path}, which was not built.`);
  return `sha384-${createHash("sha384").update(file).digest("base64")}`;
}

/** `hash` is that of the lines that sha256sum prints for all files, in the order of their names. */
function manifest(files: Files): string {
  const sums = [...files].map(([path, bytes]) => [path, sha256(bytes)] as const);
  const hash = sha256(sums.map(([path, sum]) => `${sum}  .${path}\n`).join(""));
  return `${JSON.stringify({ hash, files: Object.fromEntries(sums) }, null, 2)}\n`;
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
