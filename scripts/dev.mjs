// The client and the lab's page on Vite's dev servers, and the server rebuilt and restarted on every change.
import { run, setUp, start, tool } from "./setup.mjs";

await setUp();
const { code } = await run(process.execPath, ["scripts/build.mjs"]);
if (code !== 0) process.exit(code);

const children = [
  start(tool("vite"), ["build", "-c", "server/vite.config.ts", "--watch"]),
  start(process.execPath, ["--watch", "server/dist/main.js"]),
  start(tool("vite"), ["-c", "apps/web/vite.config.ts"]),
  start(tool("vite"), ["-c", "apps/lab/vite.config.ts"]),
];
const stop = () => {
  for (const child of children) child.kill();
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
for (const child of children) child.on("exit", stop);
