import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startLiveKit } from "@sealcast/testbed";
import { ManualClock, milli } from "@sealcast/time";
import { decodeJwt } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { Event } from "../log.ts";
import { knockKey, newLink, token } from "../rooms/door.cases.ts";
import { nodeOf } from "../rooms/door.ts";
import { group } from "../rooms/room.cases.ts";
import { type Connected, startMeasured } from "../server.cases.ts";
import { LiveKit, type RelayConfig } from "./livekit.ts";

const config: RelayConfig = { url: "ws://relay", api: "http://127.0.0.1:1", key: "key", secret: "s".repeat(32) };

function livekit(at: Partial<RelayConfig> = {}) {
  const traffic = { tokens: 0, removals: 0, failures: 0 };
  const logged: Event[] = [];
  const log = (event: Event) => void logged.push(event);
  return { traffic, logged, relay: new LiveKit({ config: { ...config, ...at }, log, traffic }) };
}

/** Answers all that is asked of it with this. */
async function answering(status: number, text: string) {
  const server = createServer((_, response) => void response.writeHead(status).end(text));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return livekit({ api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

test("a token is for one identity in one room, for two minutes, to send and receive sound and pictures alone", async () => {
  const { relay, traffic } = livekit();
  const claims = decodeJwt(await relay.token("room", "identity"));
  expect(claims).toEqual({
    iss: "key",
    sub: "identity",
    iat: expect.any(Number),
    exp: (claims.iat ?? 0) + 120,
    video: {
      room: "room",
      roomJoin: true,
      canPublish: true,
      canSubscribe: true,
      canPublishData: false,
      canUpdateOwnMetadata: false,
      canSubscribeMetrics: false,
    },
  });
  expect(traffic.tokens).toBe(1);
});

test("a relay that is not there is logged once and counted each time", async () => {
  const { relay, traffic, logged } = livekit();
  for (const identity of ["one", "other"]) expect(await relay.remove("room", identity)).toBe("unreached");
  expect([traffic.failures, logged]).toEqual([2, [{ event: "relay-failed", status: 0 }]]);
});

test("a relay that refuses is logged with its status", async () => {
  const { relay, logged } = await answering(401, "{}");
  expect(await relay.remove("room", "identity")).toBe("unreached");
  expect(logged).toEqual([{ event: "relay-failed", status: 401 }]);
});

test.each([
  ["no JSON", "<html>"],
  ["more than that takes", `{"x":"${"x".repeat(16 * 1024)}"}`],
])("an answer that is %s removes nobody", async (_, text) => {
  expect(await (await answering(200, text)).relay.remove("room", "identity")).toBe("unreached");
});

test("who was there and who was not are told apart, and the former counted", async () => {
  const [removing, absent] = [await answering(200, "{}"), await answering(404, '{"code":"not_found"}')];
  const outcomes = [removing, absent].map(({ relay }) => relay.remove("room", "identity"));
  expect(await Promise.all(outcomes)).toEqual(["removed", "absent"]);
  expect([removing.traffic.removals, absent.traffic.removals, absent.traffic.failures]).toEqual([1, 0, 0]);
});

/** Answers as LiveKit does: what it says of who is there is as long as their tracks' names. */
async function listing() {
  const there = new Map<string, { name: string }[]>();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const { identity } = JSON.parse(text) as { identity: string };
    const participants = [...there].map(([identity, tracks]) => ({ identity, tracks }));
    const isListing = request.url?.endsWith("/ListParticipants") === true;
    const isGone = request.url?.endsWith("/RemoveParticipant") === true && !there.delete(identity);
    response.writeHead(isGone ? 404 : 200).end(JSON.stringify(isListing ? { participants } : {}));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const { relay } = livekit({ api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return { there, relay };
}

test("a removed member that comes back is sent away again, however much it says of its tracks", async () => {
  const { there, relay } = await listing();
  const { alice, bob, others, wait } = group(3, { relay });
  const everyone = [alice, bob, ...others];
  for (const one of everyone) {
    one.say({ type: "relay-token" });
    await expect.poll(() => one.all("relay-token").length).toBe(1);
    there.set(one.all("relay-token")[0]?.identity ?? "", []);
  }
  const [his = ""] = bob.all("relay-token").map(({ identity }) => identity);
  const isOut = () => {
    wait(1_000);
    return !there.has(his);
  };
  alice.commit("without bob");
  for (const one of [alice, ...others]) one.enter("without bob");
  await expect.poll(isOut).toBe(true);
  there.set(his, [{ name: "x".repeat(1_100_000) }]);
  await expect.poll(isOut).toBe(true);
  expect(there.size).toBe(2);
});

/** Our server before a LiveKit of the test's own, with people of one group; null where there is no LiveKit here. */
async function beforeLiveKit() {
  const node = await startLiveKit();
  if (node === null) return null;
  onTestFinished(() => node.program.stop("SIGKILL"));
  const clock = new ManualClock();
  const { LIVEKIT_API_KEY: key = "", LIVEKIT_API_SECRET: secret = "" } = node.environment;
  const relay = { url: node.url, api: node.http, key, secret };
  const server = await startMeasured({ clock, config: { relay } });
  const { relay: direct } = livekit(relay);
  /** A second of both clocks, about: this server's runs, and LiveKit answers. */
  const until = (is: () => boolean) => {
    const look = () => {
      clock.advance(milli(1_000));
      return is();
    };
    return expect.poll(look, { timeout: 20_000, interval: 50 }).toBe(true);
  };
  const ask = async (member: Connected) => {
    member.say({ type: "relay-token" });
    return member.next("relay-token");
  };
  return { ...server, node, direct, until, ask };
}

/** Connects as pages do; done when LiveKit says that it is in, or refuses. */
async function enterLiveKit(url: string, given: string) {
  const socket = new WebSocket(`${url}/rtc?${new URLSearchParams({ access_token: given, protocol: "16", sdk: "js" })}`);
  onTestFinished(() => socket.terminate());
  let isOpen = true;
  socket.on("close", () => {
    isOpen = false;
  });
  socket.on("error", () => {});
  const status = await Promise.race([
    once(socket, "message").then(() => 101),
    once(socket, "unexpected-response").then(([, { statusCode }]) => Number(statusCode)),
  ]);
  return { status, isIn: () => isOpen };
}

test("LiveKit lets in who has a token, and nobody with a token that was changed, is old, or is another server's", async ({
  skip,
}) => {
  const stage = await beforeLiveKit();
  if (stage === null) return skip("no livekit-server");
  const { connect, ask, node, direct } = stage;
  const alice = await connect();
  await alice.enter(newLink());
  const given = await ask(alice);
  expect((await enterLiveKit(given.url, given.token)).status).toBe(101);

  const [head, claims = "", signature] = given.token.split(".");
  const video = { ...decodeJwt(given.token), video: { room: "other", roomJoin: true } };
  const changed = [head, Buffer.from(JSON.stringify(video)).toString("base64url"), signature].join(".");
  const unsigned = [Buffer.from('{"alg":"none"}').toString("base64url"), claims, ""].join(".");
  const foreign = await livekit({ key: "local" }).relay.token(given.room, given.identity);
  for (const bad of [changed, unsigned, foreign, ""]) expect((await enterLiveKit(node.url, bad)).status).toBe(401);

  expect(await direct.remove("A".repeat(22), given.identity), "in no other room").toBe("absent");
  expect(await direct.remove(given.room, given.identity)).toBe("removed");
  await expect.poll(() => direct.remove(given.room, given.identity), { timeout: 10_000 }).toBe("absent");
});

test("a member's token asks nothing of LiveKit's own interface", async ({ skip }) => {
  const stage = await beforeLiveKit();
  if (stage === null) return skip("no livekit-server");
  const alice = await stage.connect();
  await alice.enter(newLink());
  const { room, identity, token: given } = await stage.ask(alice);
  const methods = ["ListParticipants", "RemoveParticipant", "DeleteRoom", "ListRooms", "SendData", "UpdateParticipant"];
  for (const method of methods) {
    const headers = { Authorization: `Bearer ${given}`, "Content-Type": "application/json" };
    const body = JSON.stringify(method === "ListRooms" ? {} : { room, identity });
    const { status } = await fetch(`${stage.node.http}/twirp/livekit.RoomService/${method}`, {
      method: "POST",
      headers,
      body,
    });
    expect([method, status]).toEqual([method, 401]);
  }
});

test("who leaves, and who is removed, is out at LiveKit, and out again when they come back with what they have", async ({
  skip,
}) => {
  const stage = await beforeLiveKit();
  if (stage === null) return skip("no livekit-server");
  const { connect, ask, until, figure } = stage;
  const link = newLink();
  const [alice, bob, eve] = [await connect(), await connect(), await connect()];
  const everyone = [];
  for (const one of [alice, bob, eve]) {
    await one.enter(link);
    const given = await ask(one);
    everyone.push({ given, at: await enterLiveKit(given.url, given.token) });
  }
  const [hers, his, eves] = everyone.map(({ at }) => at);
  bob.say({ type: "leave" });
  await until(() => his?.isIn() === false);

  const [at, next] = [nodeOf(token("epoch")), nodeOf(token("without eve"))];
  alice.say({ type: "commit", at, next, body: "b", welcome: null, despite: [], door: null, knockKey: knockKey("e") });
  alice.say({ type: "enter", token: token("without eve"), knockKey: null });
  await alice.next("entered");
  await until(() => eves?.isIn() === false);
  expect(hers?.isIn()).toBe(true);

  const [, , { given } = expect.unreachable()] = everyone;
  const again = await enterLiveKit(given.url, given.token);
  await until(() => !again.isIn());
  expect(hers?.isIn()).toBe(true);
  expect(await figure("sealcast_relay_removals_total")).toBeGreaterThanOrEqual(3);
  expect(await figure("sealcast_relay_tokens_total")).toBe(3);
  expect(await figure("sealcast_relay_failures_total")).toBe(0);
});
