import { once } from "node:events";
import type { Up } from "@sealcast/protocol";
import { describe, expect, test } from "vitest";
import { type Link, newLink, token } from "../rooms/door.cases.ts";
import { type Connected, startForTest } from "../server.cases.ts";
import { hosting, newStream, type Started, sayHost, sayWatch, watching } from "./live.cases.ts";

/** Outsiders who know the room's name and no link of it. */
function crowd({ connect }: Started, count: number, room: string): Promise<Connected[]> {
  const outsider = async () => {
    const socket = await connect();
    sayWatch(socket, room, newLink());
    return socket;
  };
  return Promise.all(Array.from({ length: count }, outsider));
}

test("viewers speak to the host, the host to each, all hear how it is, and a dismissed one goes", async () => {
  const [started, stream] = [await startForTest(), newStream()];
  const host = await hosting(started, stream);
  const one = await started.connect();
  sayWatch(one, stream.room, stream.link);
  expect(await one.next("watching")).toMatchObject({ host: "here", resumed: false });
  const { viewer } = await host.next("viewer");
  const other = await watching(started, stream);
  one.say({ type: "tell", body: "ask" });
  expect(await host.next("told")).toEqual({ type: "told", from: viewer, body: "ask" });
  host.say({ type: "deliver", accept: [], items: [{ to: viewer, body: "answer" }] });
  host.say({ type: "end" });
  expect(await one.next("delivered")).toMatchObject({ body: "answer" });
  expect(await other.next("host-is")).toMatchObject({ is: "ended" });
  host.say({ type: "dismiss", viewers: [viewer] });
  expect(await one.next("fault")).toMatchObject({ code: "dismissed" });
  expect(await one.closed).toBe(1008);
  other.say({ type: "relay", body: "of another kind of room" });
  expect(await other.next("fault")).toMatchObject({ code: "malformed" });
});

test("what is said in a call is nothing in a live room, and the other way round", async () => {
  const { connect } = await startForTest();
  const caller = await connect();
  await caller.join();
  caller.say({ type: "tell", body: "no live room" });
  expect(await caller.next("fault")).toMatchObject({ code: "malformed" });
});

test("with a room's name alone nobody hosts, watches, ends or fills a stream that runs", async () => {
  const [started, stream] = [await startForTest(), newStream()];
  const host = await hosting(started, stream);
  const viewer = await watching(started, stream);
  await host.next("viewer");
  const thief = await started.connect();
  sayHost(thief, { host: newLink(), link: newLink() });
  await thief.next("hosting");
  const lies: Up[] = [{ type: "end" }, { type: "doors", doors: [newLink().door] }, { type: "ping" }];
  for (const message of lies) thief.say(message);
  await thief.next("pong");
  for (const outsider of await crowd(started, 70, stream.room)) {
    expect(await outsider.next("fault")).toMatchObject({ code: "refused-door" });
    expect(await outsider.closed).toBe(1008);
  }
  for (const one of [host, viewer]) {
    one.say({ type: "ping" });
    await once(one.socket, "received");
    expect(one.received).toEqual([{ type: "pong" }]);
  }
  await watching(started, stream);
}, 30_000);

test("on a server that was restarted the host gets its place, no matter who comes first", async () => {
  const [started, stream] = [await startForTest(), newStream()];
  const thief = await started.connect();
  sayHost(thief, { host: newLink(), link: stream.link });
  await thief.next("hosting");
  const outsiders = await crowd(started, 64, stream.room);
  for (const outsider of outsiders) {
    expect(await outsider.next("watching")).toMatchObject({ host: "absent" });
    outsider.say({ type: "tell", body: "flood" });
  }
  const early = await started.connect();
  sayWatch(early, stream.room, stream.link);
  expect(await early.next("fault")).toMatchObject({ code: "room-full" });

  const host = await started.connect();
  sayHost(host, stream);
  expect(await host.next("hosting")).toMatchObject({ viewers: [] });
  for (const outsider of outsiders) expect(await outsider.next("fault")).toMatchObject({ code: "refused-door" });
  await watching(started, stream);
  expect(await host.next("viewer")).toMatchObject({ is: "here" });
}, 30_000);

describe("a signature is worth nothing", () => {
  const elsewhere = { host: "elsewhere.example", nonce: token("another nonce") };
  const wrong: [string, (socket: Connected, link: Link, right: "watch" | "host") => string][] = [
    ["of another role", (socket, link) => socket.prove(link, "join").signature],
    ["of the other side", (socket, link, right) => socket.prove(link, right === "host" ? "watch" : "host").signature],
    ["of another door", (socket, _, right) => socket.prove(newLink(), right).signature],
    ["over another challenge", ({ address: host }, link, right) => link.prove(right, { ...elsewhere, host }).signature],
    ["for another server", ({ nonce }, link, right) => link.prove(right, { ...elsewhere, nonce }).signature],
  ];

  test.each(wrong)("%s, from a viewer", async (_, signatureOf) => {
    const [started, stream] = [await startForTest(), newStream()];
    await hosting(started, stream);
    const viewer = await started.connect();
    sayWatch(viewer, stream.room, stream.link, { signature: signatureOf(viewer, stream.link, "watch") });
    expect(await viewer.next("fault")).toMatchObject({ code: "refused-door" });
  });

  test.each(wrong)("%s, from a host", async (_, signatureOf) => {
    const [started, stream] = [await startForTest(), newStream()];
    await hosting(started, stream);
    const host = await started.connect();
    sayHost(host, stream, { signature: signatureOf(host, stream.host, "host") });
    expect(await host.next("fault")).toMatchObject({ code: "refused-door" });
  });
});

test("another load of the host's page replaces the one before", async () => {
  const [started, stream] = [await startForTest(), newStream()];
  const first = await hosting(started, stream);
  const next = await started.connect();
  sayHost(next, stream, { load: "m".repeat(22) });
  await next.next("hosting");
  expect(await first.next("fault")).toMatchObject({ code: "replaced" });
});

test("one message reaches 1,000 viewers, and a host that does not read is spared their asks, not the end of them", async () => {
  const [started, stream] = [await startForTest(), newStream()];
  const host = await hosting(started, stream);
  const viewers: Connected[] = [];
  for (let i = 0; i < 1_000; i++) {
    const viewer = await started.connect();
    sayWatch(viewer, stream.room, stream.link);
    viewers.push(viewer);
  }
  await Promise.all(viewers.map((viewer) => viewer.next("watching")));
  host.say({ type: "end" });
  for (const { is } of await Promise.all(viewers.map((viewer) => viewer.next("host-is")))) expect(is).toBe("ended");
  host.socket.pause();
  for (const viewer of viewers) viewer.say({ type: "tell", body: "a".repeat(60_000) });
  for (const viewer of viewers) viewer.say({ type: "ping" });
  await Promise.all(viewers.map((viewer) => viewer.next("pong")));
  host.socket.resume();
  host.say({ type: "ping" });
  await host.next("pong");
  expect(host.received.filter(({ type }) => type === "told").length).toBeLessThan(1_000);
}, 60_000);
