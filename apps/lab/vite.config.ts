import { defineConfig } from "vite";

// What runs in the browser: the page of the experiments and their workers.
export default defineConfig({
  root: import.meta.dirname,
  worker: { format: "es" },
  build: { outDir: "dist/page", emptyOutDir: true, target: "chrome141", modulePreload: { polyfill: false } },
});
