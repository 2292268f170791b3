import { defineConfig } from "vite";

// The command itself, and the processes it starts: Node 20 runs no TypeScript.
export default defineConfig({
  root: import.meta.dirname,
  build: {
    ssr: true,
    rolldownOptions: {
      input: {
        main: "command/main.ts",
        "openssl-child": "experiments/bandwidth/openssl-child.command.ts",
        "batch-child": "experiments/batch/batch-child.command.ts",
        "blowfish-child": "experiments/vault/blowfish-child.command.ts",
        "crowd-child": "experiments/signalling-load/crowd-child.command.ts",
        "viewers-child": "experiments/live-wide/viewers-child.command.ts",
      },
    },
    outDir: "dist/command",
    emptyOutDir: true,
    target: "node20.19",
    sourcemap: true,
  },
});
