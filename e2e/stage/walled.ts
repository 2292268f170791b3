import { type ChildProcess, spawn } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, chromium as engine } from "@playwright/test";
import { findProgram, flags, type WalledNetworks } from "@sealcast/testbed";
import { generate } from "selfsigned";
import { camera, chromium } from "./browser.ts";

const SECRET = "a secret of at least 32 characters";
const [PLAIN, TLS] = [3478, 443];
const ADDRESS_NAME = 7;

/** A coturn between two networks, over UDP, TCP and TLS. It goes with this process at the latest. */
export interface MiddleTurn {
  /** As the server is told of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Has a browser trust its certificate, which nobody signed. */
  readonly trust: string;
  close(): void;
}

/** Null where there is no turnserver here. */
export async function turnIn({ middle, within }: WalledNetworks): Promise<MiddleTurn | null> {
  const path = findProgram("turnserver");
  if (path === null) return null;
  const folder = mkdtempSync(join(tmpdir(), "sealcast-turn-"));
  const { files, trust } = await certificate(middle, folder);
  const args = [
    ...["-n", "--listening-ip", middle, "--relay-ip", middle, "--listening-port", `${PLAIN}`],
    ...["--tls-listening-port", `${TLS}`, ...files, "--realm", "sealcast", "--fingerprint"],
    ...["--use-auth-secret", "--static-auth-secret", SECRET],
    ...["--no-cli", "--no-auth-pings", "--log-file", "stdout", "--pidfile", join(folder, "pid")],
  ];
  const [program = "", ...before] = [...within, path];
  const running = spawn(program, [...before, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  const close = () => {
    process.off("exit", close);
    running.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", close);
  await ready(running);
  const plain = ["udp", "tcp"].map((transport) => `turn:${middle}:${PLAIN}?transport=${transport}`);
  const urls = [...plain, `turns:${middle}:${TLS}?transport=tcp`];
  return { environment: { TURN_URL: urls.join(), TURN_SECRET: SECRET }, trust, close };
}

/** Of that address: what names it to coturn, and what has a browser trust it. */
async function certificate(address: string, folder: string): Promise<{ files: string[]; trust: string }> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "TURN" }], {
    ...{ keyType: "ec", algorithm: "sha256" },
    extensions: [{ name: "subjectAltName", altNames: [{ type: ADDRESS_NAME, ip: address }] }],
  });
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const spki = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" });
  const hash = createHash("sha256").update(spki).digest("base64");
  return { files: ["--cert", certFile, "--pkey", keyFile], trust: `--ignore-certificate-errors-spki-list=${hash}` };
}

/** It says so last that it has opened its database, which it does with all its ports open. */
async function ready({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) return;
  for await (const line of createInterface(stdout)) if (/SQLite DB connection/.test(line)) break;
  stdout.resume();
}

/** A browser in a network of its own, which looks up no name but finds what stands in the middle. */
export function browserIn(starter: string, { middle }: WalledNetworks, { trust }: MiddleTurn): Promise<Browser> {
  const lookUp = flags.map((flag) => (flag.startsWith("--host-resolver-rules") ? `${flag}, EXCLUDE ${middle}` : flag));
  const { launchOptions } = chromium(camera(360));
  const args = (launchOptions?.args ?? []).filter((arg) => !flags.includes(arg));
  return engine.launch({ ...launchOptions, executablePath: starter, args: [...lookUp, ...args, trust] });
}
