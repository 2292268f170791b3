// For the Dockerfile: leaves in package.json what comes from the registry, each at the version that package-lock.json has.
import { readFileSync, writeFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const names = Object.keys(manifest.dependencies).filter((name) => !name.startsWith("@sealcast/"));
const dependencies = Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`].version]));
writeFileSync("package.json", `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`);
