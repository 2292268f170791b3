import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect as connectRaw, type Socket } from "node:net";
import { ManualClock, milli } from "@sealcast/time";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { readConfig } from "./config.ts";
import { newLink } from "./rooms/door.cases.ts";
import { Connected, shares, startMeasured } from "./server.cases.ts";
import { hosting, newStream, sayWatch, watching } from "./sockets/live.cases.ts";

const KIB = 1024;
/** Where the attacks come from: a loopback address that nothing else here uses. */
const HOSTILE = "127.0.0.2";

type Started = Awaited<ReturnType<typeof startMeasured>>;

/** A TCP connection of the hostile address. */
async function raw({ server }: Started): Promise<Socket> {
  const socket = connectRaw({ port: server.port, host: "127.0.0.1", localAddress: HOSTILE }).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** A signalling socket of the hostile address. */
const hostile = ({ server }: Started): Promise<Connected> =>
  Connected.to(`127.0.0.1:${server.port}`, { localAddress: HOSTILE });

/** Sockets at once. */
const times = <T>(count: number, fn: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => fn(i)));

/** What it comes to, on a busy computer too. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

/** Three people of other addresses meet, speak and are healthy meanwhile. */
async function othersGoOn({ connect, address }: Started): Promise<void> {
  const link = newLink();
  const [alice, ...others] = await times(3, connect);
  for (const one of [alice, ...others]) await one?.enter(link);
  alice?.say({ type: "relay", body: "hello" });
  for (const one of others) expect(await one.next("relayed")).toMatchObject({ body: "hello" });
  expect((await fetch(`http://${address}/healthz`)).status).toBe(200);
}

/** The status of a page, asked for with these headers. */
async function statusOf({ server }: Started, path: string, headers: Record<string, string>): Promise<number> {
  const [response] = (await once(get({ port: server.port, host: "127.0.0.1", path, headers }), "response")) as [
    IncomingMessage,
  ];
  response.resume();
  return response.statusCode ?? 0;
}

/** The status with which an upgrade is refused; 101 where it is not. */
async function upgradeOf({ server }: Started, headers: Record<string, string>, origin: string): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/signal`, { origin, headers });
  onTestFinished(() => socket.terminate());
  socket.on("error", () => {});
  const opened = once(socket, "open").then(() => 101);
  const refused = once(socket, "unexpected-response").then(
    ([, response]) => (response as IncomingMessage).statusCode ?? 0,
  );
  return Promise.race([opened, refused]);
}

describe("connections", () => {
  test("one address takes its share and no more, over plain HTTP too", { timeout: 20_000 }, async () => {
    const limits = { connections: 60, loopback: shares({ connectionsPerAddress: 40 }) };
    const started = await startMeasured({ limits });
    const sockets = await times(60, () => raw(started));
    for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20));
    for (const socket of sockets) socket.pause();
    await eventually(() => started.figure("sealcast_connections_refused_total")).toBe(20);
    await othersGoOn(started);
  });

  test("what does not take its answers ends after a minute", { timeout: 20_000 }, async () => {
    const clock = new ManualClock();
    const started = await startMeasured({ clock });
    const socket = await raw(started);
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20_000));
    const endsLate = async () => {
      clock.advance(milli(60_000));
      return (await started.figure("sealcast_answers_untaken_total")) ?? 0;
    };
    await eventually(endsLate).toBe(1);
    await othersGoOn(started);
  });

  test("who takes pipelined answers gets them all, however long they take together", async () => {
    const clock = new ManualClock();
    const started = await startMeasured({ clock });
    const socket = await raw(started);
    for (let i = 0; i < 3; i++) {
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
      expect(String((await once(socket, "data"))[0])).toContain("200 OK");
      clock.advance(milli(50_000));
    }
  });

  // Node's own limit is a minute.
  test("a request that is never ended goes within seconds", { timeout: 40_000 }, async () => {
    const started = await startMeasured();
    const [partial, silent] = await times(2, () => raw(started));
    partial?.write("GET / HTTP/1.1\r\nHost: x\r\n");
    for (const socket of [partial, silent]) socket?.resume();
    await Promise.all([partial, silent].map((socket) => socket && once(socket, "close")));
  });

  test("past its share of requests an address is asked to come again", async () => {
    const started = await startMeasured({ limits: { loopback: shares({ requestsPerMinute: 5 }) } });
    const statuses = [];
    for (let i = 0; i < 7; i++) {
      const request = get({ port: started.server.port, host: "127.0.0.1", path: "/healthz", localAddress: HOSTILE });
      const [response] = (await once(request, "response")) as [IncomingMessage];
      statuses.push(response.statusCode);
      response.resume();
    }
    expect(statuses).toEqual([...[200, 200, 200, 200, 200], ...[429, 429]]);
    expect(await started.figure('sealcast_requests_refused_total{status="429"}')).toBe(2);
    await othersGoOn(started);
  });
});

describe("rooms", () => {
  test("who knows a call's door and not its key gets no place there, and those inside lose none", async () => {
    const started = await startMeasured();
    const link = newLink();
    const [alice, bob] = [await started.connect(), await started.connect()];
    await alice.enter(link);
    const outsiders = await times(60, () => hostile(started));
    for (const outsider of outsiders) outsider.sayJoin(newLink(), { door: link.door });
    for (const outsider of outsiders) expect(await outsider.closed).toBe(1008);
    await bob.enter(link);
    alice.say({ type: "relay", body: "hello" });
    expect(await bob.next("relayed")).toMatchObject({ body: "hello" });
    expect(await started.figure('sealcast_faults_total{code="refused-door"}')).toBe(60);
  });

  test("who was in a full call and dropped for 16 s comes back; the seat went to nobody else", {
    timeout: 20_000,
  }, async () => {
    const clock = new ManualClock();
    const started = await startMeasured({ clock });
    const link = newLink();
    const members = await times(50, started.connect);
    const [, ...rest] = members;
    const joined = [];
    for (const member of members) joined.push(await member.enter(link));
    const [first] = joined;
    members[0]?.socket.terminate();
    await rest[0]?.next("presence");
    clock.advance(milli(16_000));
    expect(await rest[0]?.next("presence")).toMatchObject({ is: "gone" });
    const other = await started.connect();
    await other.join(link);
    other.say({ type: "enter", token: Buffer.from("epoch".padEnd(32)).toString("base64url"), knockKey: null });
    expect(await other.next("fault")).toMatchObject({ code: "room-full" });
    const back = await started.connect();
    const resume = { token: first?.token ?? "", seq: first?.seq ?? 0 };
    expect(await back.join(link, { resume })).toMatchObject({ resumed: true, member: first?.member });
    back.say({ type: "enter", token: Buffer.from("epoch".padEnd(32)).toString("base64url"), knockKey: null });
    expect(await back.next("entered")).toMatchObject({ is: "tip" });
  });

  test("what an address's rooms keep takes from its own rooms, the longest idle first", async () => {
    const started = await startMeasured({ limits: { loopback: shares({ keptPerAddress: 256 * KIB }) } });
    const link = newLink();
    const alice = await started.connect();
    const { token, seq } = await alice.enter(link);
    alice.say({ type: "relay", body: "hello" });
    await alice.next("relayed");
    const fillers = await times(10, () => hostile(started));
    const links = fillers.map(newLink);
    const sessions = await Promise.all(fillers.map((filler, i) => filler.enter(links[i] ?? newLink())));
    for (const filler of fillers) {
      for (let i = 0; i < 10; i++) filler.say({ type: "relay", body: "x".repeat(10 * KIB) });
      for (let i = 0; i < 10; i++) await filler.next("relayed");
    }
    for (const filler of fillers) filler.socket.terminate();
    const resumed = [];
    for (const [i, session] of sessions.entries()) {
      const resume = { token: session.token, seq: session.seq };
      resumed.push((await (await hostile(started)).join(links[i], { resume })).resumed);
    }
    expect(resumed.filter(Boolean).length).toBeLessThan(4);
    alice.socket.terminate();
    const back = await started.connect();
    expect(await back.join(link, { resume: { token, seq } })).toMatchObject({ resumed: true });
  });
});

describe("bytes", () => {
  test("ten viewers whom the host has not accepted push nothing large at it, and an honest one is heard", async () => {
    const [started, stream] = [await startMeasured({ clock: new ManualClock() }), newStream()];
    const host = await hosting(started, stream);
    const viewers = await times(10, async () => {
      const viewer = await hostile(started);
      sayWatch(viewer, stream.room, stream.link);
      await viewer.next("watching");
      return viewer;
    });
    for (const viewer of viewers)
      for (let i = 0; i < 20; i++) viewer.say({ type: "tell", body: "x".repeat(i % 2 === 0 ? 60 * KIB : 4 * KIB) });
    for (const viewer of viewers) viewer.say({ type: "ping" });
    for (const viewer of viewers) await viewer.next("pong");
    const honest = await watching(started, stream);
    honest.say({ type: "tell", body: "ask" });
    await eventually(() => host.received.some((m) => m.type === "told" && m.body === "ask")).toBe(true);
    const pushed = host.received.flatMap((message) => (message.type === "told" ? message.body.length : []));
    expect(Math.max(...pushed)).toBe(4 * KIB);
    expect(pushed.length).toBeLessThanOrEqual(10 * 5 + 1);
    expect(await started.figure("sealcast_messages_dropped_total")).toBe(200 - (pushed.length - 1));
  });

  test("an address that floods its own calls is read at its rate, and others as ever", {
    timeout: 20_000,
  }, async () => {
    const clock = new ManualClock();
    const limits = { loopback: shares({ bytesPerSecond: 64 * KIB }) };
    const started = await startMeasured({ clock, limits });
    const floods = await times(20, () => hostile(started));
    await Promise.all(floods.map((flood) => flood.enter(newLink())));
    for (const flood of floods) for (let i = 0; i < 20; i++) flood.say({ type: "relay", body: "x".repeat(60 * KIB) });
    await eventually(() => started.figure('sealcast_socket_rests_total{budget="address"}')).toBe(20);
    const bytes = (await started.figure("sealcast_bytes_in_total")) ?? 0;
    // 4 s of its rate, and what each socket had sent with the last of it.
    expect(bytes).toBeLessThan(20 * 20 * 60 * KIB * 0.5);
    await othersGoOn(started);
    clock.advance(milli(24_000));
    await eventually(() => started.figure("sealcast_bytes_in_total")).toBeGreaterThan(bytes + 60 * KIB);
    clock.advance(milli(60_000));
    await eventually(() => started.figure("sealcast_sockets")).toBe(0);
  });
});

describe("behind a proxy", () => {
  const from = (forwarded: string) => ({ "X-Forwarded-For": forwarded });
  const limits = { address: shares({ socketsPerAddress: 1 }) };

  test("an entry with a port counts as its address, and one that cannot be read is refused everywhere", async () => {
    const started = await startMeasured({ config: { behindProxy: true }, limits });
    const { address } = started;
    const url = `http://${address}`;
    await Connected.to(address, { headers: from("203.0.113.7:51234") });
    await Connected.to(address, { headers: from("[2001:db8::1]:443") });
    const host = { Host: address };
    for (const again of ["203.0.113.7:51235", "203.0.113.7", "[2001:db8::1]:444", "2001:db8::1"])
      expect(await upgradeOf(started, { ...host, ...from(again) }, url)).toBe(429);
    for (const unreadable of ["unknown", "_hidden", "203.0.113.7:51234:1", "[2001:db8::1"]) {
      expect(await upgradeOf(started, { ...host, ...from(unreadable) }, url)).toBe(400);
      expect(await statusOf(started, "/", from(unreadable))).toBe(400);
    }
    await Connected.to(address, { headers: from("198.51.100.7") });
  });

  test.each([
    ["never names a client is warned of", {}, true],
    ["names clients is not", from("198.51.100.7"), false],
  ])("a proxy that %s", async (_, headers, warned) => {
    const clock = new ManualClock();
    const started = await startMeasured({ clock, config: { behindProxy: true } });
    clock.advance(milli(60_000));
    await statusOf(started, "/healthz", {});
    await statusOf(started, "/", headers);
    expect(started.logged.join("")).not.toContain("proxy-silent");
    clock.advance(milli(60_000));
    expect(started.logged.join("").includes('"event":"proxy-silent"')).toBe(warned);
  });
});

test("a page that another name leads here, as with DNS rebinding, gets nothing", async () => {
  const started = await startMeasured({ config: { publicHosts: ["call.example.org"] } });
  const foreign = { Host: "evil.example" };
  expect(await statusOf(started, "/", foreign)).toBe(421);
  expect(await upgradeOf(started, foreign, "http://evil.example")).toBe(421);
  const own = { Host: "Call.Example.org" };
  expect(await statusOf(started, "/", own)).toBe(200);
  expect(await upgradeOf(started, own, "https://call.example.org")).toBe(101);
  expect(await statusOf(started, "/healthz", foreign), "an operator asks by the server's address").toBe(200);
});

describe("honest use", () => {
  const { address } = readConfig({}).limits;

  test("an office of 60 people behind one address loads its pages, meets, and is back after a restart at once", {
    timeout: 30_000,
  }, async () => {
    const links = Array.from({ length: 6 }, newLink);
    for (const _ of ["before the restart", "after"]) {
      const started = await startMeasured({ limits: { loopback: address } });
      await times(60 * 6, () => raw(started));
      const people = await times(60, () => hostile(started));
      await Promise.all(people.map((person, i) => person.enter(links[i % 6] ?? newLink())));
      for (const person of people) person.say({ type: "relay", body: "x".repeat(8 * KIB) });
      for (const person of people) await person.next("relayed");
      expect(await started.figure("sealcast_connections_refused_total")).toBe(0);
      expect(await started.figure("sealcast_sockets")).toBe(60);
      await started.server.stop();
    }
  });

  test("a call of 50 behind one address: each sends the others a description of 10 KiB, and nobody rests for bytes", {
    timeout: 30_000,
  }, async () => {
    const started = await startMeasured({ limits: { loopback: address } });
    const link = newLink();
    const members = await times(50, () => hostile(started));
    for (const member of members) await member.enter(link);
    const [newcomer] = members;
    for (let i = 0; i < 49; i++) newcomer?.say({ type: "relay", body: "x".repeat(10 * KIB) });
    for (const member of members) for (let i = 0; i < 49; i++) await member.next("relayed");
    expect(await started.figure('sealcast_socket_rests_total{budget="socket"}')).toBeNull();
    expect(await started.figure('sealcast_socket_rests_total{budget="room"}')).toBeNull();
    expect(await started.figure('sealcast_socket_rests_total{budget="address"}')).toBeNull();
  });
});
