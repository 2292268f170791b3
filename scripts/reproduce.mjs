// Builds the client a second time, elsewhere, and compares: `npm run reproduce [-- https://HOST]`. With an address it
// compares with what is served there, with --built with what was just built. Says the hash, or which files differ.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, root, run, setUp, tool } from "./setup.mjs";

await setUp();
const [address] = process.argv.slice(2);
const dist = join(root, "apps/web/dist");
const again = mkdtempSync(join(tmpdir(), "sealcast-build-"));
try {
  const [theirs, ours] = [await first(), await build(again)];
  if (theirs.hash !== ours.hash) fail(`The builds differ:\n${differing(theirs, ours).join("\n")}`);
  console.log(ours.hash);
} finally {
  rmSync(again, { recursive: true });
}

async function first() {
  if (address === undefined) return build(dist);
  if (address === "--built") return readBuild(dist);
  return (await fetch(new URL("/build.json", address))).json();
}

async function build(dir) {
  const args = ["build", "-c", "apps/web/vite.config.ts", "--outDir", dir, "--emptyOutDir"];
  const { code, output } = await run(tool("vite"), args, { quiet: true });
  if (code !== 0) fail(`${output}\nThe client could not be built: see the lines above.`);
  return readBuild(dir);
}

function readBuild(dir) {
  return JSON.parse(readFileSync(join(dir, "build.json"), "utf8"));
}

function differing(one, other) {
  const paths = new Set([...Object.keys(one.files), ...Object.keys(other.files)]);
  return [...paths].filter((path) => one.files[path] !== other.files[path]);
}
