// The lab: `npm run lab -- NAME [--quick] [--json]`. Builds its page, its probe, its command and the server, and runs
// the command.
import { fail, run, setUp, start, tool } from "./setup.mjs";

await setUp();
const configs = [
  "apps/web/vite.config.ts",
  "server/vite.config.ts",
  "apps/lab/vite.config.ts",
  "apps/lab/probe.vite.config.ts",
  "apps/lab/command.vite.config.ts",
];
for (const config of configs) {
  const { code, output } = await run(tool("vite"), ["build", "-c", config], { quiet: true });
  if (code !== 0) fail(`${output}\nThe lab could not be built: see the lines above.`);
}
const { findChromium } = await import("./chromium.mjs");
const env = { ...process.env, CHROMIUM: await findChromium() };
const command = start(process.execPath, ["apps/lab/dist/command/main.js", ...process.argv.slice(2)], { env });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => command.kill(signal));
command.on("exit", (code) => process.exit(code ?? 1));
