import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { securityHeaders } from "./headers.ts";
import { importMap, script, startForTest } from "./server.cases.ts";
import { loadClient } from "./sockets/client.ts";

/** Of "localhost", signed by itself, for these tests alone. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIULuylQB5ajbqOZFgkd8CwjlCZsHowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5NTEyM1oYDzIxMjYxMDI4
MDk1MTIzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQqSYrky2T+CE3x3oaOrpt7xuSo5bD6iASz3FPl5ftLrpYKWx3DskXl
ouEP5x2xpGZPcaWaViJ+xL1/wodTztX1o1MwUTAdBgNVHQ4EFgQUmrpZk+re7A8K
E8zAHQCNFStTq6QwHwYDVR0jBBgwFoAUmrpZk+re7A8KE8zAHQCNFStTq6QwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiB1aaRK5URphMMzZ5hS30KI
L3pGrQ/kiy6HgqjQTy0pUQIhALlYxOqGLLyXGH7U4F9KwJ1TPXB/92LVhTJTdFaD
KG51
-----END CERTIFICATE-----
`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgywLl5y2BKNXBG9LM
dZFe4v9AqlBrZi06IwHRK2GBW4GhRANCAAQqSYrky2T+CE3x3oaOrpt7xuSo5bD6
iASz3FPl5ftLrpYKWx3DskXlouEP5x2xpGZPcaWaViJ+xL1/wodTztX1
-----END PRIVATE KEY-----
`;

test("healthy", async () => {
  const { url } = await startForTest();
  const response = await fetch(`${url}/healthz`);
  expect([response.status, await response.text()]).toEqual([200, "ok\n"]);
});

test.each(["/assets/app-1a2b.js", "/favicon.svg", "/healthz", "/nothing", "/signal", "//"])(
  "%s carries every security header",
  async (path) => {
    const { url } = await startForTest();
    const { headers } = await fetch(url + path);
    for (const [name, value] of Object.entries(securityHeaders(false))) expect(headers.get(name)).toBe(value);
    expect(headers.has("Strict-Transport-Security")).toBe(false);
    expect(headers.has("X-Powered-By")).toBe(false);
  },
);

test("the lab's page is served under a policy of its own, which only frames itself, and nothing else gets that policy", async () => {
  const labDir = await mkdtemp(join(tmpdir(), "lab-"));
  onTestFinished(() => rm(labDir, { recursive: true }));
  await writeFile(join(labDir, "index.html"), "the lab");
  await writeFile(join(labDir, "bench.html"), "its bench");
  const { url } = await startForTest({ config: { labDir } });
  const { headers } = await fetch(`${url}/lab/`);
  expect(await (await fetch(`${url}/lab`)).text()).toBe("the lab");
  expect(await (await fetch(`${url}/lab/bench.html`)).text()).toBe("its bench");
  expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'self'");
  expect(headers.get("Cross-Origin-Embedder-Policy")).toBe("require-corp");
  expect((await fetch(`${url}/lab/nothing`)).status).toBe(404);
  expect((await fetch(url)).headers.get("Server-Timing")).toBe("lab");
  for (const path of ["/", "/index.html", "/bench.html"]) {
    const policy = (await fetch(url + path)).headers.get("Content-Security-Policy");
    expect(policy, path).toContain("frame-ancestors 'none'");
  }
});

test("pages say whether there is a TURN server", async () => {
  const { url } = await startForTest({ config: { turn: { urls: ["turn:turn.example.org"], secret: "secret" } } });
  for (const path of ["/", "/call/abc"]) expect((await fetch(url + path)).headers.get("Server-Timing")).toBe("turn");
});

test("a server that was given no lab has none", async () => {
  const { url } = await startForTest();
  expect((await fetch(`${url}/lab/`)).status).toBe(404);
  expect((await fetch(url)).headers.has("Server-Timing")).toBe(false);
});

test.each(["/", "/index.html", "/call/abc", "/live/abc", "/watch/abc", "/vault", "/help", "/privacy"])(
  "%s runs scripts with the hashes that it names, and of inline ones only these hashes",
  async (path) => {
    const { url } = await startForTest();
    const { headers } = await fetch(url + path);
    const hash = `'sha256-${createHash("sha256").update(importMap).digest("base64")}'`;
    const policy = headers.get("Content-Security-Policy");
    expect(policy).toContain(`script-src 'self' ${hash};`);
    expect(headers.get("Integrity-Policy")).toBe("blocked-destinations=(script)");
    const { "Content-Security-Policy": plain, ...others } = securityHeaders(false);
    expect(policy?.replace(` ${hash}`, "")).toBe(plain);
    for (const [name, value] of Object.entries(others)) expect(headers.get(name)).toBe(value);
  },
);

test("pages may connect to the media relay where there is one, and nothing else may", async () => {
  const [origin, asked] = ["wss://relay.example.org:7880", "https://relay.example.org:7880"];
  const relay = { url: origin, api: "http://127.0.0.1:1", key: "key", secret: "s".repeat(32) };
  const policies = async (url: string) => {
    const paths = ["/", "/call/abc", "/nothing", "/assets/media.worker-3c4d.js"];
    const answers = await Promise.all(paths.map((path) => fetch(url + path, { headers: { Accept: "text/html" } })));
    return answers.map(({ headers }) => headers.get("Content-Security-Policy") ?? "");
  };
  const [plain, related] = [await startForTest(), await startForTest({ config: { relay } })];
  const [without, within] = [await policies(plain.url), await policies(related.url)];
  const allowing = (policy: string) => policy.replace("connect-src 'self';", `connect-src 'self' ${origin} ${asked};`);
  expect(within).toEqual([...without.slice(0, 3).map(allowing), without[3]]);
  expect((await fetch(related.url)).headers.get("Server-Timing")).toBe("mesh;dur=8");
});

test("one worker may connect to relays of live streams where there are some, and no page; pages are told how many go without", async () => {
  const liveRelays = {
    urls: ["https://live.example.org:4443"],
    internal: ["http://127.0.0.1:1"],
    secret: "s".repeat(32),
  };
  const [plain, relayed] = [await startForTest(), await startForTest({ config: { liveRelays, meshViewers: 3 } })];
  const policyOf = async (url: string) => (await fetch(url)).headers.get("Content-Security-Policy") ?? "";
  const worker = "/assets/live-relay.worker-3c4d.js";
  const without = await policyOf(plain.url + worker);
  const reaches = "connect-src 'self' https://live.example.org:4443 wss://live.example.org:4443;";
  expect(await policyOf(relayed.url + worker)).toBe(without.replace("connect-src 'self';", reaches));
  for (const path of ["/", "/live/abc", "/assets/media.worker-3c4d.js", "/assets/player.worker-3c4d.js"])
    expect(await policyOf(relayed.url + path), path).toBe(await policyOf(plain.url + path));
  expect((await fetch(relayed.url)).headers.get("Server-Timing")).toBe("viewers;dur=3");
});

test("workers are not held to the page's hashes, which they do not have", async () => {
  const { url } = await startForTest();
  const { headers } = await fetch(`${url}/assets/media-two-layers.worker-3c4d.js`);
  expect(headers.has("Integrity-Policy")).toBe(false);
});

test("only the workers with WebAssembly in them may compile some", async () => {
  const { url } = await startForTest();
  const policyOf = async (path: string) => (await fetch(url + path)).headers.get("Content-Security-Policy");
  const plain = await policyOf("/assets/app-1a2b.js");
  expect(plain).not.toContain("wasm");
  for (const name of ["media-two-layers", "vault", "chunk", "captions", "background", "noise"]) {
    const worker = await policyOf(`/assets/${name}.worker-3c4d.js`);
    expect(worker).toContain("script-src 'self' 'wasm-unsafe-eval';");
    expect(worker?.replace(" 'wasm-unsafe-eval'", "")).toBe(plain);
  }
  for (const name of ["media", "keys"]) expect(await policyOf(`/assets/${name}.worker-3c4d.js`)).toBe(plain);
});

test("the vault's service worker may answer the vault's page, and no other script any page", async () => {
  const { url } = await startForTest();
  const scopeOf = async (path: string) => (await fetch(url + path)).headers.get("Service-Worker-Allowed");
  expect(await scopeOf("/assets/ranges.worker-3c4d.js")).toBe("/vault");
  for (const name of ["app-1a2b", "vault.worker-3c4d"]) expect(await scopeOf(`/assets/${name}.js`)).toBeNull();
});

test.each(["POST", "PUT", "OPTIONS"])("%s is not found, with every security header", async (method) => {
  const { url } = await startForTest();
  const response = await fetch(url, { method });
  expect([response.status, response.headers.get("X-Content-Type-Options")]).toEqual([404, "nosniff"]);
});

test.each(["/", ...["call", "live", "watch"].map((kind) => `/${kind}/abcdefghijklmnopqrstuv`)])(
  "%s shows the client, fresh every time",
  async (path) => {
    const { url } = await startForTest();
    const response = await fetch(url + path);
    expect(await response.text()).toContain("<title>Sealcast</title>");
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  },
);

test.each([
  "/nothing",
  "/call/",
  "/call/a/b",
  "/live/",
  "/watch/a/b",
  "/assets/",
  "/assets/app-1a2b.js/x",
  "/index.htm",
])("%s is not found", async (path) => {
  const { url } = await startForTest();
  const response = await fetch(url + path);
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("Not found")]);
});

test("a person at an address without a page gets the client, which says so under a page's policy, with 404", async () => {
  const { url } = await startForTest();
  const response = await fetch(`${url}/nothing`, { headers: { Accept: "text/html,*/*;q=0.8" } });
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("<title>Sealcast</title>")]);
  expect(response.headers.get("Content-Security-Policy")).toContain("'sha256-");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
});

test.each([
  "/../package.json",
  "/assets/../../package.json",
  "/%2e%2e/package.json",
  "/..%2fpackage.json",
  "/assets/%00",
])("%s leads nowhere", async (path) => {
  const { server } = await startForTest();
  // fetch would resolve the dots itself.
  const status = await new Promise((done) => {
    request({ port: server.port, path }, (response) => done(response.resume().statusCode)).end();
  });
  expect(status).toBe(404);
});

test("a hashed asset is kept for a year; others are asked for again", async () => {
  const { url } = await startForTest();
  const cacheControl = async (path: string) => (await fetch(url + path)).headers.get("Cache-Control");
  expect(await cacheControl("/assets/app-1a2b.js")).toBe("public, max-age=31536000, immutable");
  expect(await cacheControl("/favicon.svg")).toBe("no-cache");
});

test.each([
  ["br, gzip", "br"],
  ["gzip, deflate", "gzip"],
  ["identity", null],
])("for %s the script is sent as %s", async (accepted, encoding) => {
  const { url } = await startForTest();
  const headers = { "Accept-Encoding": accepted };
  const response = await fetch(`${url}/assets/app-1a2b.js`, { headers });
  expect(response.headers.get("Content-Encoding")).toBe(encoding);
  expect(response.headers.get("Vary")).toBe("Accept-Encoding");
  expect(await response.text()).toBe(script);
  const etag = response.headers.get("ETag") ?? "";
  const again = await fetch(`${url}/assets/app-1a2b.js`, { headers: { ...headers, "If-None-Match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test("HEAD is GET without the body", async () => {
  const { url } = await startForTest();
  const response = await fetch(`${url}/`, { method: "HEAD" });
  expect([response.status, await response.text()]).toEqual([200, ""]);
});

test("without a built client, it says what to run", async () => {
  const empty = await mkdtemp(join(tmpdir(), "sealcast-empty-"));
  onTestFinished(() => rm(empty, { recursive: true }));
  for (const dir of [empty, join(empty, "nowhere")]) {
    await expect(loadClient(dir)).rejects.toMatchObject({
      code: "client-missing",
      message: expect.stringMatching(/npm run build/),
    });
  }
});

test("a port that is taken is named", async () => {
  const { server } = await startForTest();
  await expect(startForTest({ config: { port: server.port, stunPort: null } })).rejects.toMatchObject({
    code: "port-taken",
    message: expect.stringContaining(`Port ${server.port}`),
  });
  await expect(startForTest({ config: { stunPort: server.stunPort } })).rejects.toMatchObject({
    code: "port-taken",
    message: expect.stringContaining("STUN_PORT"),
  });
});

test("with a certificate it serves https, and tells browsers to stay there", async () => {
  const dir = await mkdtemp(join(tmpdir(), "sealcast-tls-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const tls = { cert: join(dir, "cert.pem"), key: join(dir, "key.pem") };
  await writeFile(tls.cert, cert);
  await writeFile(tls.key, key);
  const { server } = await startForTest({ config: { tls } });
  const hsts = await new Promise((done) => {
    const options = { port: server.port, path: "/healthz", rejectUnauthorized: false };
    httpsRequest(options, (response) => done(response.resume().headers["strict-transport-security"])).end();
  });
  expect(hsts).toBe("max-age=31536000");
});

test("a certificate that is not there is named", async () => {
  const tls = { cert: "/nowhere/cert.pem", key: "/nowhere/key.pem" };
  await expect(startForTest({ config: { tls } })).rejects.toMatchObject({
    code: "tls-unreadable",
    message: expect.stringContaining("/nowhere/"),
  });
});
