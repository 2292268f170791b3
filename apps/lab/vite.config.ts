import { defineConfig } from "vite";

// What runs in the browser: the lab's page, the bench in which experiments run, and their workers. Addresses are relative:
// the command serves it at the root of a site, the product's server under /lab/.
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  worker: { format: "es" },
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "chrome141",
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["bench.html"] },
  },
});
