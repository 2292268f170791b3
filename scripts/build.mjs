// Builds the client into apps/web/dist and the server into server/dist.
import { run, setUp, tool } from "./setup.mjs";

await setUp();
for (const config of ["apps/web/vite.config.ts", "server/vite.config.ts"]) {
  const { code } = await run(tool("vite"), ["build", "-c", config]);
  if (code !== 0) process.exit(code);
}
