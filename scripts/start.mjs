// Builds and serves Sealcast: `npm start`, or `npm start -- --https` for other devices on the LAN.
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { fail, labPage, run, setUp, start } from "./setup.mjs";

const https = process.argv.includes("--https");

await setUp();
const port = await freePort(Number(process.env.PORT ?? 8080));
await build();
const addresses = lanAddresses();
const env = { ...process.env, PORT: String(port), LAB_DIR: labPage, ...(https ? await tls() : {}) };
const server = start(process.execPath, ["server/dist/main.js"], { env });

let stopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    // Ctrl-C in a terminal has reached the server already; the same signal again would end it at once.
    const fromTerminal = signal === "SIGINT" && process.stdin.isTTY;
    if (!stopping && !fromTerminal) server.kill(signal);
    stopping = true;
  });
}
server.on("exit", (code) => process.exit(code ?? (stopping ? 0 : 1)));

await listening();
console.log(`\nSealcast is running. Open ${https ? "https" : "http"}://localhost:${port}`);
console.log(`The lab, which measures it: ${https ? "https" : "http"}://localhost:${port}/lab/`);
if (https) {
  for (const address of addresses) console.log(`On other devices     https://${address}:${port}`);
  console.log("The certificate is self-signed: each browser asks once whether to go on.");
}

/** The port, once it is known to be free; 0 chooses one. */
function freePort(wanted) {
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65535) {
    fail(`PORT is "${process.env.PORT}", which is no port. Give a number: PORT=8081 npm start`);
  }
  return new Promise((resolve) => {
    const probe = createServer()
      .once("error", ({ code }) => {
        const why = code === "EACCES" ? "needs more rights than you have" : "is taken by another program";
        fail(`Port ${wanted} ${why}. Choose another one: PORT=${wanted < 1024 ? 8080 : wanted + 1} npm start`);
      })
      .listen(wanted, () => {
        const { port } = probe.address();
        probe.close(() => resolve(port));
      });
  });
}

async function build() {
  console.log("Building ...");
  const { code, output } = await run(process.execPath, ["scripts/build.mjs"], { quiet: true });
  if (code !== 0) fail(`${output}\nThe build failed: see the lines above.`);
}

/** This computer's IPv4 addresses as the LAN sees them. */
function lanAddresses() {
  return Object.values(networkInterfaces())
    .flat()
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
}

async function tls() {
  const { certificate } = await import("./certificate.mjs");
  return certificate(addresses);
}

async function listening() {
  for (;;) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, "localhost", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (open) return;
    await pause(50);
  }
}
