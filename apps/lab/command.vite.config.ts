import { defineConfig } from "vite";

// The command itself, and the processes it starts: Node 20 runs no TypeScript.
export default defineConfig({
  root: import.meta.dirname,
  build: {
    ssr: true,
    rolldownOptions: {
      input: [
        "command/main.ts",
        "command/openssl-child.ts",
        "command/batch-child.ts",
        "command/blowfish-child.ts",
        "command/crowd-child.ts",
      ],
    },
    outDir: "dist/command",
    emptyOutDir: true,
    target: "node20.19",
    sourcemap: true,
  },
});
