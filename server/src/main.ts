import { readConfig, SetupError } from "./config.ts";
import { createLog } from "./log.ts";
import { type Running, start } from "./server.ts";

/** Milliseconds. The sender of the signal kills the process after 30 s. */
const LAST_RESORT = 25_000;

try {
  const config = readConfig(process.env);
  stopOnSignal(await start(config, { log: createLog(config.logLevel) }));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** A second signal ends the process at once. */
function stopOnSignal(server: Running): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      setTimeout(() => process.exit(1), LAST_RESORT).unref();
      void server.stop();
    });
  }
}
