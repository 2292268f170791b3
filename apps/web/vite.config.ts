import { fileURLToPath } from "node:url";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { litert } from "../../packages/effects/build/litert.ts";
import { moq } from "../../packages/network/build/moq.ts";
import { compressed } from "./build/compressed.ts";
import { integrity } from "./build/integrity.ts";
import { scriptBudget } from "./build/script-budget.ts";
import { shell } from "./build/shell.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

// Lingui's plugins look for their configuration where the command was started unless this names it.
process.env.LINGUI_CONFIG = `${here}lingui.config.ts`;

// The first versions whose encoded transforms run in workers.
const browsers = ["chrome141", "firefox140"];

export default defineConfig({
  root: here,
  base: "/",
  plugins: [
    react({ babel: { plugins: ["@lingui/babel-plugin-lingui-macro"] } }),
    lingui({ failOnCompileError: true }),
    shell(),
    scriptBudget(),
    integrity(),
    compressed(),
  ],
  worker: { format: "es", plugins: () => [litert(), moq()] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: browsers,
    cssTarget: browsers,
    sourcemap: false,
    // The page's policy allows scripts, styles and pictures from its own origin only: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What the first page takes is one script and one style sheet, which begins with the order of all layers.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "index", tags: ["$initial"] }] } } },
  },
  server: {
    headers: { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" },
    proxy: {
      "/signal": { target: "http://localhost:8080", ws: true },
      // The lab's own dev server, with its reload.
      "/lab": { target: "http://localhost:5174", ws: true },
    },
  },
});
