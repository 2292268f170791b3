import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { probeScript } from "./src/playwright/probe-script.ts";

/** The probe's text in place of the module that makes it. */
const probe: Plugin = {
  name: "probe",
  async load(id) {
    if (!id.endsWith("/src/playwright/probe-script.ts")) return null;
    return `export const probeScript = async () => ${JSON.stringify(await probeScript())};`;
  },
};

const { exports } = JSON.parse(readFileSync(`${import.meta.dirname}/package.json`, "utf8")) as {
  exports: Record<string, string>;
};
/** A module for each export: "." is index, "./worker" is worker. */
const entry = Object.fromEntries(Object.entries(exports).map(([name, source]) => [name.slice(2) || "index", source]));

// What `npm run pack:latency` packs: Node runs no TypeScript from node_modules, and our other packages are not published.
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [probe],
  build: {
    lib: { entry, formats: ["es"] },
    rolldownOptions: { external: ["@playwright/test", /^node:/] },
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome124", "node20.19"],
  },
});
