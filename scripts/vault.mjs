// The vault's command: `npm run vault -- list|open|verify FILE`. Builds it and runs it.

import { join } from "node:path";
import { fail, root, run, setUp, start, tool } from "./setup.mjs";

await setUp();
const { code, output } = await run(tool("vite"), ["build", "-c", "packages/vault/command.vite.config.ts"], {
  quiet: true,
});
if (code !== 0) fail(`${output}\nThe command could not be built: see the lines above.`);
const main = join(root, "packages/vault/dist/command/main.js");
// Paths are meant as they are where the person stands.
const command = start(process.execPath, [main, ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
});
command.on("exit", (code) => process.exit(code ?? 1));
