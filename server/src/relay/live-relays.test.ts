import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ManualClock, milli } from "@sealcast/time";
import { decodeJwt, SignJWT } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Event } from "../log.ts";
import { startForTest } from "../server.cases.ts";
import { hosting, newStream, sayHost, watching } from "../sockets/live.cases.ts";
import { ask, beforeLiveRelays, connect, publish, stream, subscribe } from "./live-relays.cases.ts";
import { type LivePass, LiveRelays, livePathOf } from "./live-relays.ts";

const SECRET = "s".repeat(32);
const START = 1_800_000_000;
const config = { urls: ["https://live.example.org"], internal: ["http://127.0.0.1:1"], secret: SECRET };
const host: LivePass = { id: "h".repeat(22), ...livePathOf("room", "load"), may: "publish" };
const viewer: LivePass = { ...host, id: "v".repeat(22), may: "subscribe" };

function setUp(secret = SECRET) {
  const clock = new ManualClock();
  const began = clock.now();
  const traffic = { tokens: 0, removals: 0, failures: 0 };
  const logged: Event[] = [];
  const log = (event: Event) => void logged.push(event);
  const now = () => START * 1_000 + clock.now() - began;
  const relays = new LiveRelays({ config: { ...config, secret }, clock, log, traffic, now });
  const asked = (token: string, more: object = {}) =>
    relays.answer({ event: "connect", transport: "quic", path: host.path, query: `jwt=${token}`, ...more });
  return { relays, traffic, logged, asked, wait: (seconds: number) => clock.advance(milli(seconds * 1_000)) };
}

describe("a relay is told", () => {
  test("that the host may publish the stream and a viewer subscribe to it, and nothing else, for 10 minutes", async () => {
    const { relays, asked, traffic } = setUp();
    const given = await relays.issue(host);
    expect(given).toEqual({
      ...{ type: "live-relay", urls: config.urls, path: host.path, name: host.name, validFor: 600 },
      token: expect.any(String),
    });
    const term = { expires: START + 600, revalidate: 60 };
    expect(await asked(given.token)).toEqual({ publish: [host.name], ...term });
    expect(await asked((await relays.issue(viewer)).token)).toEqual({ subscribe: [host.name], ...term });
    expect(traffic.tokens).toBe(2);
  });

  test("to let another relay in by the secret, as one", async () => {
    const all = { root: "", publish: ["**"], subscribe: ["**"], peer: true };
    expect(await setUp().asked(SECRET, { path: "/" })).toMatchObject(all);
    expect(await setUp().asked(SECRET.slice(1), { path: "/" })).toBeNull();
  });

  test("to go on for as long as the session stands, and to the end of what was said once it is given up", async () => {
    const { relays, asked, wait } = setUp();
    const { token } = await relays.issue(viewer);
    wait(3_600);
    expect(await asked(token), "not to begin by an old token").toBeNull();
    expect(await asked(token, { event: "revalidate" })).toMatchObject({ expires: START + 4_200 });
    relays.lapse(viewer);
    expect(await asked(token, { event: "revalidate" })).toBeNull();
    const again = await relays.issue(viewer);
    relays.lapse(viewer);
    wait(599);
    expect(await asked(again.token, { event: "revalidate" })).toMatchObject({ expires: START + 4_200 });
    wait(1);
    expect(await asked(again.token, { event: "revalidate" })).toBeNull();
  });

  test("by a server that has just started, for as long as the token says", async () => {
    const { token } = await setUp().relays.issue(viewer);
    const { asked, wait } = setUp();
    wait(599);
    expect(await asked(token, { event: "revalidate" })).toMatchObject({ expires: START + 600 });
    wait(1);
    expect(await asked(token, { event: "revalidate" })).toBeNull();
  });

  test("to send away who was sent away, also later and by another of their tokens", async () => {
    const { relays, asked, wait, traffic } = setUp();
    const tokens = [await relays.issue(viewer), await relays.issue(viewer)];
    relays.end(viewer);
    for (const { token } of tokens)
      for (const event of ["connect", "revalidate"]) expect(await asked(token, { event })).toBeNull();
    wait(599);
    relays.end(host);
    expect(await asked(tokens[0]?.token ?? "")).toBeNull();
    await expect.poll(() => traffic).toEqual({ tokens: 2, removals: 2, failures: 2 });
  });

  test("nothing at the end of a session", async () => {
    expect(await setUp().asked("", { event: "end", reason: "closed", bytes: { sent: 1, received: 2 } })).toBe("noted");
  });
});

describe("is refused", () => {
  const { asked, relays } = setUp();
  const claims = { path: host.path, name: host.name, may: "publish" };
  const key = (secret: string) => new TextEncoder().encode(secret);
  const signed = (more: object, secret = SECRET) =>
    new SignJWT({ ...claims, sub: "id", exp: START + 60, ...more })
      .setProtectedHeader({ alg: "HS256" })
      .sign(key(secret));

  test("a token that was changed, is unsigned, or was signed by another", async () => {
    const { token } = await relays.issue(viewer);
    const [head, , signature] = token.split(".");
    const more = Buffer.from(JSON.stringify({ ...decodeJwt(token), may: "publish" })).toString("base64url");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    for (const bad of [
      `${head}.${more}.${signature}`,
      `${none}.${more}.`,
      await signed({}, "t".repeat(32)),
      "",
      "a.b.c",
    ])
      expect([bad, await asked(bad)]).toEqual([bad, null]);
    expect(await asked(await signed({}))).toMatchObject({ publish: [host.name] });
  });

  test("a token of another stream, of no stream, and one without an end", async () => {
    const other = await relays.issue({ ...viewer, ...livePathOf("other", "load") });
    expect(await asked(other.token)).toBeNull();
    for (const bad of [{ exp: undefined }, { may: "rule" }, { sub: 7 }, { path: "/" }])
      expect([bad, await asked(await signed(bad))]).toEqual([bad, null]);
  });

  test("a request over http, which would read or list at once, and what is no question", async () => {
    const { token } = await relays.issue(viewer);
    expect(await asked(token, { transport: "http" })).toBeNull();
    expect(await asked(SECRET, { transport: "http" })).toBeNull();
    for (const odd of [null, 7, {}, { event: "connect" }, { event: "own", transport: "quic", path: "/", query: "" }])
      expect(await relays.answer(odd)).toBeNull();
  });
});

test("a stream's place is the same after a restart, another for each load, and says neither name", () => {
  const [one, again] = [livePathOf("room", "load"), livePathOf("room", "load")];
  expect(again).toEqual(one);
  expect(one.path).toMatch(/^\/live\/[\w-]{22}$/);
  const other = livePathOf("room", "other load");
  expect([other.path, other.name === one.name]).toEqual([one.path, false]);
  expect(livePathOf("other room", "load").path).not.toBe(one.path);
});

test("relays that are not reached are logged once", async () => {
  const { relays, logged, traffic, wait } = setUp();
  relays.end(viewer);
  wait(1);
  relays.end(host);
  await expect.poll(() => traffic.failures).toBe(2);
  expect(logged).toEqual([{ event: "live-relay-failed", status: 0 }]);
});

/** A relay's internal address, and of which paths it was told. */
async function relayStandIn() {
  const told: string[] = [];
  const relay = createServer((request, response) => {
    told.push(request.url ?? "");
    response.writeHead(202).end("{}");
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void relay.close());
  const { port } = relay.address() as AddressInfo;
  return { told, internal: `http://127.0.0.1:${port}` };
}

test("who removes many has relays ask about one stream once a second, and of another one at once", async () => {
  const { told, internal } = await relayStandIn();
  const clock = new ManualClock();
  const traffic = { tokens: 0, removals: 0, failures: 0 };
  const relays = new LiveRelays({ config: { ...config, internal: [internal] }, clock, log: () => undefined, traffic });
  const other = { ...viewer, ...livePathOf("other", "load") };
  for (let each = 0; each < 20; each++) relays.end({ ...viewer, id: `${each}` });
  relays.end(other);
  await expect.poll(() => told.length).toBe(2);
  expect(new Set(told).size).toBe(2);
  for (let seconds = 0; seconds < 3; seconds++) clock.advance(milli(1_000));
  await expect.poll(() => told.length).toBe(3);
  relays.end(viewer);
  await expect.poll(() => told.length).toBe(4);
  expect(traffic.removals).toBe(22);
});

test("a viewer who leaves loses the pass, and no relay is told for it; of one who is dismissed they are told", async () => {
  const { told, internal } = await relayStandIn();
  const started = await startForTest({ config: { liveRelays: { ...config, internal: [internal] } } });
  const made = newStream();
  const host = await hosting(started, made);
  const comes = async () => {
    const socket = await watching(started, made);
    const { viewer: id } = await host.next("viewer");
    host.say({ type: "deliver", accept: [id], items: [{ to: id, body: "answer" }] });
    await socket.next("delivered");
    return { socket, id, given: await ask(socket) };
  };
  const [leaves, dismissed] = [await comes(), await comes()];
  const isIn = async ({ path, token }: { path: string; token: string }) => {
    const question = { event: "connect", transport: "quic", path, query: `jwt=${token}` };
    const body = JSON.stringify(question);
    return (await fetch(`${started.url}/live-relays/${SECRET}`, { method: "POST", body })).ok;
  };
  expect([await isIn(leaves.given), await isIn(dismissed.given)]).toEqual([true, true]);
  leaves.socket.say({ type: "leave" });
  await leaves.socket.closed;
  expect([await isIn(leaves.given), await isIn(dismissed.given)]).toEqual([false, true]);
  expect(told).toEqual([]);
  host.say({ type: "dismiss", viewers: [dismissed.id] });
  await expect.poll(() => told.length).toBe(1);
  expect(await isIn(dismissed.given)).toBe(false);
});

test("who does not know the secret is answered as if nothing were there, whatever they say", async () => {
  const { url } = await startForTest({ config: { liveRelays: config } });
  const question = { event: "connect", transport: "quic", path: "/", query: `jwt=${SECRET}` };
  const post = (path: string, body = JSON.stringify(question)) => fetch(`${url}${path}`, { method: "POST", body });
  for (const secret of ["", "x", `${SECRET}x`, SECRET.toUpperCase(), "x".repeat(8_000)]) {
    const response = await post(`/live-relays/${secret}`);
    expect([response.status, await response.text()]).toEqual([404, "Not found\n"]);
  }
  expect((await fetch(`${url}/live-relays/${SECRET}`)).status).toBe(404);
  expect((await post(`/live-relays/${SECRET}`)).status).toBe(200);
  expect((await post(`/live-relays/${SECRET}`, "{")).status).toBe(403);
  expect((await post(`/live-relays/${SECRET}`, " ".repeat(20_000))).status).toBe(413);
});

describe("two relays that are one", () => {
  test("pass a host's stream to an accepted viewer at the other one, and nobody else to anybody", async ({ skip }) => {
    const stage = await beforeLiveRelays();
    if (stage === null) return skip("no moq-relay");
    const { host, viewer } = await stream(stage);
    const [given, eve, bob] = [await ask(host), await ask((await viewer()).socket), await ask((await viewer()).socket)];
    expect(new Set([given.path, eve.path, bob.path]).size).toBe(1);
    const seen = await subscribe(stage.second, bob);
    await publish(stage.first, eve, "eve").catch(() => undefined);
    await publish(stage.first, given, "host");
    await expect.poll(() => [...seen.heard], { timeout: 20_000 }).toEqual(["host"]);
    const listening = await subscribe(stage.second, given).catch(() => null);
    await expect.poll(() => seen.isOpen()).toBe(true);
    expect([...(listening?.heard ?? [])], "a host has no use for its own stream").toEqual([]);
  }, 60_000);

  test("refuse who has no token, an old one, or that of another stream", async ({ skip }) => {
    const stage = await beforeLiveRelays();
    if (stage === null) return skip("no moq-relay");
    const [one, other] = [await stream(stage), await stream(stage)];
    const [given, elsewhere] = [await ask(one.host), await ask(other.host)];
    const old = await new SignJWT({ path: given.path, name: given.name, may: "publish" })
      .setProtectedHeader({ alg: "HS256" })
      .setSubject("id")
      .setExpirationTime(Math.floor(Date.now() / 1_000) - 1)
      .sign(new TextEncoder().encode(stage.secret));
    for (const token of ["", "a.b.c", old, elsewhere.token])
      await expect(connect(stage.first, { ...given, token }), token).rejects.toThrow();
    for (const path of ["/", "/live", `${given.path}/more`, elsewhere.path])
      await expect(connect(stage.first, { ...given, path }), path).rejects.toThrow();
    for (const what of ["announced", "fetch"]) {
      const response = await fetch(`${stage.first}/${what}${given.path}?jwt=${given.token}`);
      expect([what, response.ok]).toEqual([what, false]);
    }
    expect((await connect(stage.first, given)).isOpen()).toBe(true);
  }, 60_000);

  test("end a removed viewer's session at once, and nobody else's", async ({ skip, annotate }) => {
    const stage = await beforeLiveRelays();
    if (stage === null) return skip("no moq-relay");
    const { host, viewer } = await stream(stage);
    const given = await ask(host);
    const [eve, bob] = [await viewer(), await viewer()];
    const [hers, his] = [await ask(eve.socket), await ask(bob.socket)];
    const publishing = await publish(stage.first, given, "host");
    const both = [await subscribe(stage.second, hers), await subscribe(stage.second, his)];
    await expect.poll(() => both.map(({ heard }) => heard.size), { timeout: 20_000 }).toEqual([1, 1]);
    host.say({ type: "dismiss", viewers: [eve.id] });
    const began = performance.now();
    await expect
      .poll(() => both.map(({ isOpen }) => isOpen()), { timeout: 20_000, interval: 10 })
      .toEqual([false, true]);
    await annotate(`cut after ${Math.round(performance.now() - began)} ms`);
    await expect(connect(stage.first, hers)).rejects.toThrow();
    expect(publishing.isOpen()).toBe(true);
    expect(await stage.figure("sealcast_live_relay_removals_total")).toBe(1);
    expect(await stage.figure("sealcast_live_relay_failures_total")).toBe(0);
  }, 60_000);
});

test("a viewer whom the host has not accepted, and one of a stream without a host, get no token", async () => {
  const started = await startForTest({ config: { liveRelays: config } });
  const made = newStream();
  const early = await watching(started, made);
  early.say({ type: "live-relay" });
  const host = await hosting(started, made);
  early.say({ type: "live-relay" });
  early.say({ type: "ping" });
  await early.next("pong");
  expect(early.received).toEqual([]);
  const given = await ask(host);
  const next = await started.connect();
  sayHost(next, made, { load: "m".repeat(22) });
  await next.next("hosting");
  const other = await ask(next);
  expect([other.path, other.name === given.name]).toEqual([given.path, false]);
});
