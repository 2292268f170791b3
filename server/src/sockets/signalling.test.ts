import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect as connectRaw } from "node:net";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { knockKey, newLink, token } from "../rooms/door.cases.ts";
import { nodeOf } from "../rooms/door.ts";
import { Connected, shares, startForTest } from "../server.cases.ts";

const room = "room-id-marker-1234567";
const [first, second] = [nodeOf(token("first")), nodeOf(token("second"))] as const;

/** The answer to an upgrade that the server refuses. */
async function refused(address: string, options: { origin?: string; path?: string; host?: string; from?: string }) {
  const headers = {
    ...(options.host ? { host: options.host } : {}),
    ...(options.from ? { "x-forwarded-for": options.from } : {}),
  };
  const origin = options.origin === undefined ? {} : { origin: options.origin };
  const socket = new WebSocket(`ws://${address}${options.path ?? "/signal"}`, { ...origin, headers });
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  response.resume();
  return response;
}

/** False, once whatever has come by now was looked at. */
const tick = () => new Promise<false>((done) => setImmediate(done, false));

test("members meet: alone, enter, knock, welcome, relay", async () => {
  const { connect } = await startForTest();
  const [alice, bob, link] = [await connect(), await connect(), newLink()];
  expect(await alice.join(link)).toMatchObject({ resumed: false });
  await alice.next("alone");
  alice.say({ type: "enter", token: token("first"), knockKey: knockKey("first") });
  expect(await alice.next("entered")).toEqual({
    type: "entered",
    at: first,
    is: "new",
    knockKeys: [expect.any(String)],
  });
  const { member } = await bob.join(link);
  expect((await bob.next("knock-keys")).tips).toEqual([{ at: first, ...knockKey("first") }]);
  bob.say({ type: "knock", at: first, body: "package" });
  expect(await alice.next("knocked")).toMatchObject({ from: member, at: first, body: "package" });
  const changes = { type: "commit" as const, body: "commit", despite: [], door: null, knockKey: knockKey("second") };
  alice.say({ ...changes, at: first, next: second, welcome: { to: [member], body: "welcome" } });
  expect(await alice.next("ordered")).toMatchObject({ at: first, next: second });
  expect(await bob.next("welcomed")).toMatchObject({ body: "welcome" });
  for (const one of [alice, bob]) {
    one.say({ type: "enter", token: token("second"), knockKey: null });
    expect(await one.next("entered")).toMatchObject({ at: second, is: "tip" });
  }
  bob.say({ type: "relay", body: "hello" });
  expect(await alice.next("relayed")).toEqual(await bob.next("relayed"));
});

test("rooms do not hear each other", async () => {
  const { connect } = await startForTest();
  const [here, there] = [await connect(), await connect()];
  await here.enter(newLink());
  await there.enter(newLink());
  here.say({ type: "relay", body: "hello" });
  await here.next("relayed");
  there.say({ type: "ping" });
  await there.next("pong");
  expect(there.received).toEqual([]);
});

test("two commits race at one node: one is ordered, the other refused", async () => {
  const { connect } = await startForTest();
  const [alice, bob, link] = [await connect(), await connect(), newLink()];
  for (const one of [alice, bob]) await one.enter(link, "first");
  const commit = {
    type: "commit" as const,
    at: first,
    welcome: null,
    despite: [],
    door: null,
    knockKey: knockKey("next"),
  };
  alice.say({ ...commit, next: nodeOf(token("alice")), body: "alice" });
  bob.say({ ...commit, next: nodeOf(token("bob")), body: "bob" });
  const ordered = await alice.next("ordered");
  expect(await bob.next("ordered")).toEqual(ordered);
  const loser = ordered.body === "alice" ? bob : alice;
  expect(await loser.next("refused")).toEqual({ type: "refused", at: first, successors: [ordered.next] });
  for (const one of [alice, bob]) {
    one.say({ type: "ping" });
    await one.next("pong");
    expect(one.received).toEqual([]);
  }
});

test("a dropped socket resumes with what it missed", async () => {
  const { connect } = await startForTest();
  const [alice, bob, link] = [await connect(), await connect(), newLink()];
  await alice.enter(link);
  const { token, seq, member } = await bob.enter(link);
  bob.socket.terminate();
  expect(await alice.next("presence")).toMatchObject({ member, is: "away" });
  alice.say({ type: "relay", body: "missed" });
  await alice.next("relayed");
  const again = await connect();
  expect(await again.join(link, { resume: { token, seq } })).toMatchObject({ resumed: true, member });
  expect(await again.next("relayed")).toMatchObject({ body: "missed" });
  expect(await alice.next("presence")).toMatchObject({ member, is: "back" });
});

test("who signed for another host, as a page that is led astray would, is refused", async () => {
  const { connect } = await startForTest();
  const [link, one] = [newLink(), await connect()];
  one.sayJoin(link, link.prove("join", { host: "evil.example", nonce: one.nonce }));
  expect(await one.next("fault")).toMatchObject({ code: "refused-door" });
  expect(await one.closed).toBe(1008);
});

test("the host is that of the request in lower case", async () => {
  const { address } = await startForTest();
  const one = await Connected.to(address, { headers: { Host: address.toUpperCase() } });
  await one.join();
});

test("a page of another origin, or of none, is refused", async () => {
  const { address } = await startForTest();
  const forbidden = [undefined, "null", "http://evil.example", `http://${address}.evil.example`, "not a url"];
  for (const origin of forbidden) {
    const response = await refused(address, origin === undefined ? {} : { origin });
    expect([origin, response.statusCode]).toEqual([origin, 403]);
    expect(response.headers["content-security-policy"]).toContain("default-src 'none'");
  }
  expect((await refused(address, { origin: `http://${address}`, host: "elsewhere.example" })).statusCode).toBe(403);
});

test("another path has no socket", async () => {
  const { address } = await startForTest();
  expect((await refused(address, { origin: `http://${address}`, path: "/" })).statusCode).toBe(404);
});

test.each([
  ["no JSON", "hello", "malformed"],
  ["duplicate keys", `{"type":"ping","type":"leave"}`, "malformed"],
  ["an unknown key", `{"type":"ping","admin":true}`, "malformed"],
  ["binary", Buffer.from(`{"type":"ping"}`), "malformed"],
  ["another version", `{"type":"join","version":99}`, "version"],
  ["a message before the join", `{"type":"ping"}`, "not-joined"],
])("%s ends the connection with a word", async (_, text, code) => {
  const { connect } = await startForTest();
  const one = await connect();
  one.socket.send(text);
  one.socket.send(`{"type":"leave"}`);
  expect(await one.next("fault")).toMatchObject({ code });
  expect(await one.closed).toBe(1008);
  expect(one.received).toEqual([]);
});

test("a second join ends the connection", async () => {
  const { connect } = await startForTest();
  const one = await connect();
  const link = newLink();
  await one.join(link);
  one.sayJoin(link);
  expect(await one.next("fault")).toMatchObject({ code: "malformed" });
});

test("too large: over the limit of its kind, or of any message, whole or in fragments", async () => {
  const { connect } = await startForTest();
  const [kind, any, fragments] = [await connect(), await connect(), await connect()];
  await kind.join();
  kind.socket.send(JSON.stringify({ type: "relay", body: "x".repeat(64 * 1024) }));
  expect(await kind.next("fault")).toMatchObject({ code: "too-large" });
  expect(await kind.closed).toBe(1009);
  any.socket.send(" ".repeat(256 * 1024 + 1));
  expect(await any.closed).toBe(1009);
  for (let i = 0; i < 20; i++) fragments.socket.send(" ", { fin: false });
  expect(await fragments.closed).toBe(1008);
});

test("the 51st session that waits at a door receives that the room is full", async () => {
  const { connect } = await startForTest();
  const link = newLink();
  for (let i = 0; i < 50; i++) await (await connect()).join(link);
  const one = await connect();
  one.sayJoin(link);
  expect(await one.next("fault")).toMatchObject({ code: "room-full" });
});

test("a socket that does not join within 5 s is closed; one that has is not", async () => {
  const clock = new ManualClock();
  const { connect } = await startForTest({ clock });
  const [idle, joined] = [await connect(), await connect()];
  await joined.join();
  clock.advance(milli(4_999));
  joined.say({ type: "ping" });
  await joined.next("pong");
  expect(idle.received).toEqual([]);
  clock.advance(milli(1));
  expect(await idle.next("fault")).toMatchObject({ code: "idle" });
  expect(await idle.closed).toBe(1008);
  joined.say({ type: "ping" });
  await joined.next("pong");
});

test("a socket that answers pings lives on; a silent one is dropped 8 s after the ping", async () => {
  const clock = new ManualClock();
  const { address } = await startForTest({ clock });
  const silent = await Connected.to(address, { autoPong: false });
  const alive = await Connected.to(address);
  const link = newLink();
  const [{ member }] = [await silent.enter(link), await alive.enter(link)];
  const pinged = once(alive.socket, "ping");
  clock.advance(milli(25_000));
  await pinged;
  // Its pong has reached the server once this answer comes.
  alive.say({ type: "ping" });
  await alive.next("pong");
  clock.advance(milli(8_000));
  expect(await alive.next("presence")).toMatchObject({ member, is: "away" });
  expect(await silent.closed).toBe(1006);
});

test("who does not take what is sent is dropped", async () => {
  const { connect, logged } = await startForTest();
  const [fast, slow] = [await connect(), await connect()];
  const link = newLink();
  await fast.enter(link);
  const { member } = await slow.enter(link);
  slow.socket.pause();
  const gone = fast.next("presence");
  let isGone = false;
  void gone.then(() => {
    isGone = true;
  });
  for (let i = 0; i < 400 && !isGone; i++) {
    fast.say({ type: "relay", body: "x".repeat(60_000) });
    await new Promise<void>((sent) => setImmediate(sent));
  }
  expect(await gone).toMatchObject({ member, is: "away" });
  expect(logged.join("")).toContain('"why":"too-slow"');
});

test("past the limits of the process, sockets receive when to come again", async () => {
  const full = await startForTest({ limits: { sockets: 1 } });
  await full.connect();
  const response = await refused(full.address, { origin: full.url });
  expect([response.statusCode, response.headers["retry-after"]]).toEqual([503, "5"]);

  const crowded = await startForTest({ limits: { unjoined: 1 } });
  const one = await crowded.connect();
  expect((await refused(crowded.address, { origin: crowded.url })).statusCode).toBe(503);
  await one.join();
  const other = await crowded.connect();
  other.socket.close();
  await other.closed;
  await expect.poll(() => crowded.connect().then(({ socket }) => socket.readyState)).toBe(WebSocket.OPEN);
});

test("past its share, an address receives when to come again", async () => {
  const config = { limits: { loopback: shares({ socketsPerAddress: 1, joinsPerMinute: 60 }) } };
  const { connect, address, url } = await startForTest(config);
  await connect();
  const response = await refused(address, { origin: url });
  expect([response.statusCode, response.headers["retry-after"]]).toEqual([429, "5"]);
  expect(response.headers["content-security-policy"]).toContain("default-src 'none'");
});

test("a socket that is gone, or never came to be, leaves its place to another", async () => {
  const clock = new ManualClock();
  const limits = { loopback: shares({ socketsPerAddress: 1, joinsPerMinute: 60 }) };
  const { server, connect, address, logged } = await startForTest({ clock, limits });
  const broken = connectRaw(server.port, "localhost");
  const lines = [`Host: ${address}`, `Origin: http://${address}`, "Upgrade: websocket", "Connection: Upgrade"];
  broken.write(`GET /signal HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  await once(broken.resume(), "close");
  clock.advance(milli(60_000));
  const first = await connect();
  first.socket.close();
  await expect.poll(() => logged.join("")).toContain('"socket-closed"');
  clock.advance(milli(60_000));
  await connect();
});

test("behind a proxy each client counts for itself", async () => {
  const limits = { address: shares({ socketsPerAddress: 1, joinsPerMinute: 60 }) };
  const { address, url } = await startForTest({ config: { behindProxy: true }, limits });
  const from = (client: string) => ({ headers: { "X-Forwarded-For": client } });
  await Connected.to(address, from("192.0.2.1"));
  await Connected.to(address, from("192.0.2.2"));
  expect((await refused(address, { origin: url, from: "192.0.2.1" })).statusCode).toBe(429);
  const unreadable = await refused(address, { origin: url, from: "192.0.2.3, unknown" });
  expect([unreadable.statusCode, unreadable.headers["retry-after"]]).toEqual([400, undefined]);
});

test("a join past its address's share is closed with 1013", async () => {
  const { connect } = await startForTest({
    limits: { loopback: shares({ socketsPerAddress: 10, joinsPerMinute: 1 }) },
  });
  const [one, other] = [await connect(), await connect()];
  const link = newLink();
  await one.join(link);
  other.sayJoin(link);
  expect(await other.closed).toBe(1013);
});

test("a flood ends its sender; others in the room go on", async () => {
  const { connect, logged } = await startForTest();
  const [flood, calm] = [await connect(), await connect()];
  const link = newLink();
  const { member } = await flood.enter(link);
  await calm.enter(link);
  for (let i = 0; i < 1_000; i++) flood.say({ type: "ping" });
  expect(await flood.closed).toBe(1006);
  expect(await calm.next("presence")).toMatchObject({ member, is: "away" });
  expect(logged.join("")).toContain('"why":"flooding"');
});

test("a burst of large messages is taken, at the rate that is allowed", async () => {
  const clock = new ManualClock();
  const { connect } = await startForTest({ clock });
  const one = await connect();
  await one.enter(newLink());
  for (let i = 0; i < 80; i++) one.say({ type: "relay", body: "x".repeat(60_000) });
  one.say({ type: "ping" });
  for (let i = 0; i < 58; i++) await one.next("relayed");
  expect(one.received.some(({ type }) => type === "pong")).toBe(false);
  const pong = one.next("pong").then(() => true);
  while (!(await Promise.race([pong, tick()]))) clock.advance(milli(50));
  expect(await pong).toBe(true);
});

test("stopping: not healthy, no new sockets, those there are asked to come again, then nothing listens", async () => {
  const clock = new ManualClock();
  const { server, connect, address, url } = await startForTest({ clock });
  const [one, two] = [await connect(), await connect()];
  await one.join();
  const stopped = server.stop();
  expect((await fetch(`${url}/healthz`)).status).toBe(503);
  expect((await refused(address, { origin: url })).statusCode).toBe(503);
  clock.advance(milli(10));
  expect(await Promise.all([one.closed, two.closed])).toEqual([1012, 1012]);
  await stopped;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test("stopping does not wait for those who never answer", async () => {
  const clock = new ManualClock();
  const { server, connect } = await startForTest({ clock });
  const deaf = await connect();
  deaf.socket.pause();
  const stopped = server.stop();
  clock.advance(milli(10_002));
  await stopped;
});

test("nothing that names a room, a member, a person or an address is ever logged", async () => {
  const { connect, logged, address, url } = await startForTest();
  const [alice, bob] = [await connect(), await connect()];
  const link = newLink();
  const joined = [await alice.enter(link), await bob.join(link)];
  alice.say({ type: "relay", body: "body-marker" });
  await alice.next("relayed");
  const [open] = (await bob.next("knock-keys")).tips;
  bob.say({ type: "knock", at: open?.at ?? "", body: "knock-marker" });
  await alice.next("knocked");
  const thief = await connect();
  thief.sayJoin(link, { signature: bob.prove(link, "join").signature });
  await thief.closed;
  await fetch(`${url}/call/${room}?path-marker`, { headers: { "User-Agent": "agent-marker" } });
  await refused(address, { origin: "http://origin-marker.example" });
  bob.socket.send('{"type":"relay","body":"body-marker","key-marker":1}');
  await bob.closed;
  alice.socket.terminate();
  await expect.poll(() => logged.filter((line) => line.includes('"socket-closed"')).length).toBe(3);
  const lines = logged.join("");
  for (const event of ["listening", "socket-opened", "socket-refused", "fault"]) expect(lines).toContain(`"${event}"`);
  const names = [link.door, token("epoch"), nodeOf(token("epoch")), alice.nonce];
  const secrets = [
    room,
    ...names,
    "marker",
    "127.0.0.1",
    "::1",
    ...joined.flatMap(({ member, token }) => [member, token]),
  ];
  for (const secret of secrets) expect(lines).not.toContain(secret);
});

test("nonsense on the wire does not stop the server", async () => {
  const { server, url } = await startForTest();
  const raw = connectRaw(server.port, "localhost");
  raw.on("error", () => {});
  raw.write("GET /signal HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  raw.destroy();
  const odd = get(url, { headers: { upgrade: "h2c", connection: "upgrade" } });
  odd.on("error", () => {});
  await new Promise<void>((done) => odd.on("close", done).on("response", (response) => response.resume()));
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});
