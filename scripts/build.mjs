// Builds the client into apps/web/dist, the server into server/dist and the lab's page into apps/lab/dist/page.
import { run, setUp, tool } from "./setup.mjs";

await setUp();
for (const config of ["apps/web/vite.config.ts", "server/vite.config.ts", "apps/lab/vite.config.ts"]) {
  const { code } = await run(tool("vite"), ["build", "-c", config]);
  if (code !== 0) process.exit(code);
}
