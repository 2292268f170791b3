// `npm run servers`: Redis, LiveKit and coturn on this computer, until this ends.
import { runnerImport } from "vite";
import { setUp } from "./setup.mjs";

await setUp();
await runnerImport("./packages/testbed/src/node/run-servers.ts", { configFile: false });
