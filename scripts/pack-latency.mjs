// Packs packages/latency as others install it: `npm run pack:latency [-- FOLDER]`. Prints the tarball's path.
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fail, root, run, setUp, tool } from "./setup.mjs";

const source = join(root, "packages/latency");
const dist = join(source, "dist");
/** Which project of `tsc -b` declares which folder's types. */
const threads = { page: "page", worker: "worker", shared: "worker", playwright: "node" };

await setUp();
await must(tool("tsc"), ["-b"]);
await must(tool("vite"), ["build", "-c", "packages/latency/vite.config.ts"]);
for (const [folder, project] of Object.entries(threads)) copyTypes(folder, project);
for (const file of ["packages/latency/README.md", "LICENSE"]) cpSync(join(root, file), join(dist, basename(file)));
writeFileSync(join(dist, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
const folder = resolve(process.env.INIT_CWD ?? process.cwd(), process.argv[2] ?? ".");
const packed = await must("npm", ["pack", dist, "--json", "--pack-destination", folder, "--loglevel=error"]);
console.log(join(folder, nameOf(packed)));

/** Declarations of the sources that there are: an earlier build's may lie beside them. */
function copyTypes(folder, project) {
  const from = join(root, ".tsbuild", project, "packages/latency/src", folder);
  const isWanted = (path) =>
    !/\.\w+$/.test(basename(path)) ||
    (path.endsWith(".d.ts") && existsSync(path.replace(from, join(source, "src", folder)).replace(/\.d\.ts$/, ".ts")));
  cpSync(from, join(dist, "types", folder), { recursive: true, filter: isWanted });
}

/** As in the workspace, with what was built in place of the sources. */
function manifest() {
  const { private: _, dependencies, exports, ...rest } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const built = ([name, file]) => [
    name,
    {
      types: file.replace("./src/", "./types/").replace(/\.ts$/, ".d.ts"),
      default: `./${name.slice(2) || "index"}.js`,
    },
  ];
  return { ...rest, exports: Object.fromEntries(Object.entries(exports).map(built)), files: ["*.js", "types"] };
}

/** npm says what it packed as a list, or by package. */
function nameOf(json) {
  return Object.values(JSON.parse(json))[0].filename;
}

async function must(command, args) {
  const { code, output } = await run(command, args, { quiet: true });
  if (code !== 0) fail(`${output}\nThe package could not be built: see the lines above.`);
  return output;
}
