// A self-signed certificate for localhost and this computer's addresses, kept in .cert/.
import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "selfsigned";
import { root } from "./setup.mjs";

const DAY = 24 * 60 * 60 * 1000;
const folder = join(root, ".cert");
const paths = { TLS_CERT: join(folder, "cert.pem"), TLS_KEY: join(folder, "key.pem") };

/** Paths of certificate and key, as the server's environment names them; made again when they do not fit any more. */
export async function certificate(addresses) {
  if (!fits(addresses)) await make(addresses);
  return paths;
}

function fits(addresses) {
  try {
    const held = new X509Certificate(readFileSync(paths.TLS_CERT));
    readFileSync(paths.TLS_KEY);
    return Date.parse(held.validTo) > Date.now() + DAY && addresses.every((address) => held.checkIP(address));
  } catch {
    return false;
  }
}

async function make(addresses) {
  const ips = ["127.0.0.1", "::1", ...addresses].map((ip) => ({ type: 7, ip }));
  const { cert, private: key } = await generate([{ name: "commonName", value: "Sealcast on this computer" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }, ...ips] },
    ],
  });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(paths.TLS_CERT, cert, { mode: 0o600 });
  writeFileSync(paths.TLS_KEY, key, { mode: 0o600 });
}
