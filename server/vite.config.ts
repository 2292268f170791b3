import { defineConfig } from "vite";

// Node 20 runs no TypeScript: our own packages are bundled, those from npm stay where they are installed.
export default defineConfig({
  root: import.meta.dirname,
  ssr: { noExternal: [/^@sealcast\//] },
  build: {
    ssr: "src/main.ts",
    outDir: "dist",
    target: "node20.19",
    emptyOutDir: true,
    sourcemap: true,
  },
});
