import { fileURLToPath } from "node:url";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Lingui's plugins look for their configuration where the command was started unless this names it.
process.env.LINGUI_CONFIG = fileURLToPath(new URL("lingui.config.ts", import.meta.url));

// What runs in the browser: the lab's page, the bench in which experiments run, and their workers. Addresses of a build are
// relative: the command serves it at the root of a site, the product's server under /lab/.
export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  base: command === "serve" ? "/lab/" : "./",
  plugins: [react({ babel: { plugins: ["@lingui/babel-plugin-lingui-macro"] } }), lingui()],
  worker: { format: "es" },
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "chrome141",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["index.html", "bench.html"] },
  },
  server: {
    port: 5174,
    strictPort: true,
    headers: { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" },
  },
}));
