import { defineConfig } from "vite";

// The command: Node 20 runs no TypeScript.
export default defineConfig({
  root: import.meta.dirname,
  build: {
    ssr: true,
    rolldownOptions: { input: ["command/main.ts"] },
    outDir: "dist/command",
    emptyOutDir: true,
    target: "node20.19",
    sourcemap: true,
  },
});
