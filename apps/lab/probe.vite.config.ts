import { defineConfig } from "vite";

// One plain script that runs in the product's pages before their own: such a script can import nothing.
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  build: {
    lib: {
      entry: "experiments/live-fanout/live-probe.page.ts",
      formats: ["iife"],
      name: "liveProbe",
      fileName: () => "live-probe.js",
    },
    outDir: "dist/probe",
    emptyOutDir: true,
    target: "chrome141",
  },
});
