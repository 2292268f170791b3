import { toBase64url } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { milli } from "@sealcast/time";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseLiveLink } from "../../shared/live-link.ts";
import type { LiveFromHost, LiveToHost } from "../../shared/live-messages.ts";
import { DoorKey } from "../identity/door-key.ts";
import { MAX_BODY } from "../plaintext.ts";
import { LiveAdmission } from "./admission.ts";
import { LINK_CLAIM, LIVE_TYPES, sealAsk } from "./ask.ts";
import { LiveDeparted } from "./departed.ts";
import { newViewerKey } from "./hpke.ts";
import { Guest, SERVER, Stage, type TestHost, type TestViewer } from "./live.cases.ts";

const isRecord = (body: Uint8Array) => body[0] === LIVE_TYPES.record;

const hear = (host: TestHost, event: LiveToHost) => host.keys.receive({ type: "room", event });

const moved = (host: TestHost, { session }: TestViewer, is: "here" | "away" | "back" | "gone") =>
  hear(host, { type: "viewer", viewer: session, is });

const count = (host: TestHost, type: string) => host.said.filter((message) => message.type === type).length;

const sends = (host: TestHost) => host.news.flatMap((item) => (item.type === "send" ? [item.epoch] : []));

/** The link as a viewer without our code reads it. */
async function linkOf(host: TestHost) {
  const link = await parseLiveLink(host.room, host.fragment);
  return link.ok ? link : expect.unreachable("a damaged link");
}

/** An ask by the link, made by hand. */
async function askBy(stage: Stage, host: TestHost, viewerKey: Uint8Array, nonce = random(32)): Promise<Uint8Array> {
  const { secret } = await linkOf(host);
  return sealAsk(secret, host.room, stage.seconds(), { ...LINK_CLAIM, nonce, viewerKey });
}

/** What the host last said to the server of this type. */
const lastOf = <T extends LiveFromHost["type"]>(host: TestHost, type: T) => {
  const said = host.said.flatMap((m) => (m.type === "to-room" && m.message.type === type ? [m.message] : []));
  return said.at(-1) as Extract<LiveFromHost, { type: T }> | undefined;
};

test("a host proves its own key to this server, over this challenge, and says which doors lead in", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const nonce = toBase64url(random(32));
  await hear(host, { type: "challenge", nonce });
  const admission = (await LiveAdmission.parse(host.kept.subarray(1, 17), host.kept)) ?? expect.unreachable();
  const proof = await admission.prove({ nonce, host: SERVER });
  const door = await DoorKey.of((await linkOf(host)).secret, host.room);
  const load = toBase64url(host.stream.id);
  expect(lastOf(host, "host")).toEqual({ type: "host", nonce, ...proof, load, doors: [door.door] });
});

test("after a removal the server hears of the new door before the page has the new link", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const former = await DoorKey.of((await linkOf(host)).secret, host.room);
  const viewer = await stage.admitted();
  await host.keys.receive({ type: "remove", viewers: [viewer.session] });
  const saidFirst = host.said.find((m) => m.type === "link" || (m.type === "to-room" && m.message.type === "doors"));
  expect(saidFirst?.type).toBe("to-room");
  const present = await DoorKey.of((await linkOf(host)).secret, host.room);
  expect(lastOf(host, "doors")?.doors).toEqual([present.door, former.door]);
});

test("who is answered is accepted with the answer, each time it goes, and who has to wait is not", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const old = host.fragment;
  let lost = 1;
  stage.meddles = (body) => (body[0] === LIVE_TYPES.answer && lost-- > 0 ? null : body);
  const accepted = () =>
    host.said.flatMap((m) => (m.type === "to-room" && m.message.type === "deliver" ? m.message.accept : []));
  const viewer = await stage.watch(old);
  await stage.until(() => accepted().length === 1);
  stage.clock.advance(milli(3000));
  await stage.until(() => host.viewers.get(viewer.session) === "watching");
  expect(accepted()).toEqual([viewer.session, viewer.session]);
  await host.keys.receive({ type: "remove", viewers: [viewer.session] });
  const late = await stage.watch(old);
  await stage.until(() => late.state === "waiting");
  expect(accepted()).not.toContain(late.session);
  await host.keys.receive({ type: "admit", viewer: late.session, yes: true });
  await stage.until(() => late.state === "watching");
  expect(accepted()).toContain(late.session);
});

test("what was lost goes again as soon as the host's socket is back, or the viewer's", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  const again: [string, LiveToHost][] = [
    ["the host is back", { type: "hosting", viewers: [viewer.session] }],
    ["the viewer is back", { type: "viewer", viewer: viewer.session, is: "back" }],
  ];
  for (const [text, event] of again) {
    stage.meddles = (_, way) => (way === "to-viewer" ? null : _);
    await host.send(viewer, text);
    await stage.advance(100);
    expect(viewer.received).not.toContain(text);
    stage.meddles = (body) => body;
    const since = stage.clock.now();
    await hear(host, event);
    await stage.until(() => viewer.received.at(-1) === text);
    // Long before it would have gone again by itself.
    expect(stage.clock.now() - since).toBeLessThan(1_500);
  }
});

test("to a viewer who goes away nothing is sent again before it is back", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  stage.meddles = () => null;
  await host.send(viewer, "unheard");
  await stage.advance(100);
  const before = count(host, "to-room");
  for (const is of ["away", "here"] as const) await moved(host, viewer, is);
  await stage.advance(500);
  expect(count(host, "to-room")).toBe(before);
});

test("who is there when the host comes back stays so, to the host's eye", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  host.said.length = 0;
  stage.reconnectHost();
  await stage.advance(500);
  stage.clock.advance(milli(80_000));
  expect([...host.viewers]).toEqual([[viewer.session, "watching"]]);
});

test("a viewer is answered at first, watches once it has shown that it has the keys, and that is said once", async () => {
  const stage = new Stage();
  const host = await stage.open();
  stage.meddles = (body, way) => (way === "to-host" && isRecord(body) ? null : body);
  const viewer = await stage.watch(host.fragment);
  await stage.until(() => viewer.state === "watching");
  for (const is of ["away", "back"] as const) await moved(host, viewer, is);
  await stage.advance(200);
  expect([...host.viewers]).toEqual([[viewer.session, "answered"]]);
  stage.meddles = (body) => body;
  await viewer.send("here");
  await stage.until(() => host.viewers.get(viewer.session) === "watching");
  const shown = count(host, "viewers");
  await viewer.send("still here");
  await stage.until(() => host.received.includes("still here"));
  await stage.advance(200);
  expect(count(host, "viewers")).toBe(shown);
  expect(viewer.notes("old-rotation")).toBe(0);
});

test("who asks again goes on watching, and is not said to be answered again", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  const { publicKey } = await newViewerKey();
  const body = Buffer.from(await askBy(stage, host, publicKey)).toString("base64url");
  host.said.length = 0;
  await hear(host, { type: "told", from: viewer.session, body });
  await stage.advance(200);
  expect([host.delivered.length, count(host, "viewers")]).toEqual([1, 0]);
});

test("of someone who only looked in nothing is told", async () => {
  const stage = new Stage();
  const host = await stage.open();
  for (const is of ["here", "gone"] as const) await hear(host, { type: "viewer", viewer: "passer-by", is });
  await stage.advance(200);
  expect(count(host, "viewers")).toBe(0);
});

test("who comes back holds a rotation up as before; who is gone for good does not, and is sent nothing", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  const first = host.rotation;
  stage.meddles = (body) => (isRecord(body) ? null : body);
  stage.clock.advance(milli(10 * 60_000));
  await stage.until(() => host.said.some(({ type }) => type === "rotated"));
  await stage.advance(200);
  await moved(host, viewer, "back");
  expect(sends(host)).toEqual([first]);
  await moved(host, viewer, "gone");
  expect(sends(host)).toEqual([first, first + 1]);
  await stage.advance(200);
  const before = count(host, "to-room");
  await host.send(viewer, "anybody?");
  await stage.advance(5000);
  expect(count(host, "to-room")).toBe(before);
});

test("what is neither an ask nor a record is nothing; a record that does not open is noted", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  const notes = () => host.said.flatMap((message) => (message.type === "dropped" ? [message.what] : []));
  for (const type of [0, LIVE_TYPES.answer, LIVE_TYPES.word, 9])
    await stage.hand("to-host", viewer, Uint8Array.of(type));
  expect(notes()).toEqual([]);
  await stage.hand("to-host", viewer, Uint8Array.of(LIVE_TYPES.record, ...random(40)));
  expect(notes()).toEqual(["bad-record"]);
});

test("8,192 asks wait at most, one of each viewer", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const ask = (from: string) => hear(host, { type: "told", from, body: "AQ" });
  // The first is being judged, and waits no more.
  for (let i = 0; i <= 8192; i += 1) void ask(`viewer ${i}`);
  void ask("one too many");
  await ask("viewer 1");
  const judged = host.said.filter((message) => message.type === "dropped" && message.what === "bad-ask");
  expect(judged).toHaveLength(8193);
});

test("an ask with a key that is none is noted, and does not keep the next from being answered", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const body = Buffer.from(await askBy(stage, host, new Uint8Array(1216).fill(255))).toString("base64url");
  await hear(host, { type: "told", from: "broken", body });
  expect(host.said.at(-1)).toEqual({ type: "dropped", what: "bad-ask" });
  await stage.admitted();
});

test("a viewer can only say things: no rotation and no farewell", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const guest = new Guest(stage);
  await guest.ask((await linkOf(host)).secret);
  const channel = await guest.open();
  const resume = { id: random(16), secret: random(32) };
  await channel.send(host.stream.keysFor(resume, true));
  await channel.send({ type: "farewell", why: "removed" });
  await channel.send({ type: "message", body: new TextEncoder().encode("hello") });
  await stage.until(() => host.received.length > 0);
  expect(host.received).toEqual(["hello"]);
  channel.close();
});

test("a message has a largest size; one to nobody goes nowhere", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  await expect(host.send(viewer, "x".repeat(MAX_BODY + 1))).rejects.toThrow(
    new RangeError(`a message of ${MAX_BODY + 1} bytes: at most ${MAX_BODY}`),
  );
  await host.send(viewer, "x".repeat(MAX_BODY));
  await stage.until(() => viewer.received.length === 1);
  await host.keys.receive({ type: "send", to: "nobody", body: random(4) });
});

/** Holds up the next record that is sealed, and with it what waits for that, until what it gives is called. */
function holdRecord(): () => void {
  const encrypt = crypto.subtle.encrypt.bind(crypto.subtle);
  let letGo = (): void => undefined;
  const held = new Promise<void>((done) => {
    letGo = done;
  });
  const slow: typeof encrypt = async (parameters, key, data) => {
    const { additionalData } = parameters as AesGcmParams;
    if (additionalData instanceof Uint8Array && isRecord(additionalData)) {
      crypto.subtle.encrypt = encrypt;
      await held;
    }
    return encrypt(parameters, key, data);
  };
  crypto.subtle.encrypt = slow;
  return letGo;
}

test("a rotation reaches more than 128 viewers, and is not held up by who goes or asks again while it goes out", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [pair, { secret }] = [newViewerKey(), await linkOf(host)];
  const crowd = Array.from({ length: 130 }, () => new Guest(stage, pair));
  for (const guest of crowd) await guest.ask(secret);
  await Promise.all(crowd.map((guest) => guest.prove()));
  for (const guest of crowd) await guest.acknowledge();
  const sessions = crowd.map(({ session }) => session);
  const [goes, asks] = crowd.slice(128) as [Guest, Guest];
  const before = host.delivered.length;
  const letGo = holdRecord();
  stage.clock.advance(milli(10 * 60_000));
  await stage.until(() => count(host, "rotated") === 1);
  await hear(host, { type: "viewer", viewer: goes.session, is: "gone" });
  await asks.ask(secret);
  letGo();
  const records = () => host.delivered.slice(before).flatMap(({ to, body }) => (isRecord(body) ? [to] : []));
  await stage.until(() => new Set(records()).size >= 128);
  await stage.advance(200);
  // Some may have had theirs again, where sealing took long by the clock of the test.
  expect(new Set(records())).toEqual(new Set(sessions.slice(0, 128)));
  expect([...host.viewers].filter(([, is]) => is !== "watching")).toEqual([[goes.session, "departed"]]);
  await asks.prove();
  expect(records()).toContain(asks.session);
});

test("keys and farewells do not wait for what is said to others, nor for what is said to who is removed", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [first, stays, goes] = [await stage.admitted(), await stage.admitted(), await stage.admitted()];
  const { rotation } = host;
  const long = "x".repeat(MAX_BODY);
  for (let i = 0; i < 60; i += 1) for (const viewer of [first, goes]) await host.send(viewer, long);
  await stage.advance(50);
  expect(first.received.length, "there is more to say than can be said at once").toBeLessThan(60);
  await host.keys.receive({ type: "remove", viewers: [goes.session] });
  await stage.advance(1_000);
  expect(stays.rotation).toBe(rotation + 1);
  await stage.advance(20_000);
  expect([goes.state, goes.isConnected]).toEqual(["removed", false]);
});

test("what waits for who is gone goes nowhere any more", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  for (let i = 0; i < 60; i += 1) await host.send(viewer, "x".repeat(MAX_BODY));
  await stage.advance(50);
  expect(viewer.received.length, "there is more to say than can be said at once").toBeLessThan(60);
  await moved(host, viewer, "gone");
  const before = host.deliveredTo(viewer.session).length;
  await stage.advance(20_000);
  expect(host.deliveredTo(viewer.session).length).toBe(before);
});

test("viewers who acknowledge nothing do not keep newcomers from being let in", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const { secret } = await linkOf(host);
  const silent = Array.from({ length: 4 }, () => new Guest(stage));
  for (const guest of silent) {
    await guest.ask(secret);
    await guest.prove();
  }
  const long = "x".repeat(MAX_BODY);
  for (let i = 0; i < 60; i += 1) for (const guest of silent) await host.send(guest, long);
  for (let round = 0; round < 3; round += 1) {
    await stage.advance(3_000);
    const since = stage.clock.now();
    await stage.admitted();
    expect(stage.clock.now() - since).toBeLessThan(1_000);
  }
});

test("to remove someone who is not there any more replaces the link and the key all the same, and says so", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [fragment, rotation] = [host.fragment, host.rotation];
  await host.keys.receive({ type: "remove", viewers: ["a stranger"] });
  await stage.advance(200);
  expect(host.rotation).toBe(rotation + 1);
  expect(host.fragment).not.toBe(fragment);
  expect([...host.viewers]).toEqual([["a stranger", "gone"]]);
});

test("who left with the key is removed like who is here: nothing that they have leads back in", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [viewer, stays] = [await stage.admitted(), await stage.admitted()];
  const { rotation, fragment } = host;
  stage.disconnect(viewer);
  await moved(host, viewer, "gone");
  await stage.advance(200);
  expect(host.viewers.get(viewer.session)).toBe("departed");
  await host.keys.receive({ type: "remove", viewers: [viewer.session] });
  await stage.until(() => stays.rotation === rotation + 1);
  await stage.advance(200);
  expect(host.viewers.get(viewer.session)).toBe("gone");
  const [back, byLink] = [await stage.watch(fragment, viewer.kept), await stage.watch(fragment)];
  await stage.until(() => back.state === "turned-away" && byLink.state === "waiting");
  expect([viewer, back].map((each) => each.rotation)).toEqual([rotation, -1]);
});

test("who left and came back is one: the earlier session has left, and to remove it removes the other", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  stage.disconnect(viewer);
  await moved(host, viewer, "gone");
  const again = await stage.admitted(viewer.kept);
  await stage.advance(200);
  expect([viewer, again].map(({ session }) => host.viewers.get(session))).toEqual(["left", "watching"]);
  await host.keys.receive({ type: "remove", viewers: [viewer.session] });
  await stage.until(() => again.state === "removed");
  await stage.advance(200);
  expect([viewer, again].map(({ session }) => host.viewers.get(session))).toEqual(["gone", "gone"]);
});

test("who left is departed until the next key, which comes early once too many have left", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewers = [await stage.admitted(), await stage.admitted(), await stage.admitted()] as const;
  const { rotation } = host;
  const stands = () => viewers.map(({ session }) => host.viewers.get(session));
  await moved(host, viewers[0], "gone");
  await stage.advance(200);
  expect([stands(), host.rotation]).toEqual([["departed", "watching", "watching"], rotation]);
  const isFull = vi.spyOn(LiveDeparted.prototype, "isFull").mockReturnValue(true);
  onTestFinished(() => isFull.mockRestore());
  await moved(host, viewers[1], "gone");
  await stage.until(() => viewers[2].rotation === rotation + 1);
  await stage.advance(200);
  expect([stands(), host.rotation]).toEqual([["left", "left", "watching"], rotation + 1]);
});

test("the server is told to let go of who is removed, and the page that they are gone", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [stays, goes] = [await stage.admitted(), await stage.admitted()];
  await host.keys.receive({ type: "remove", viewers: [goes.session] });
  await stage.advance(200);
  expect(host.said).toContainEqual({ type: "to-room", message: { type: "dismiss", viewers: [goes.session] } });
  expect([goes, stays].map(({ session }) => host.viewers.get(session))).toEqual(["gone", "watching"]);
});

test("who waits is shown once, and is gone when turned away, not when let in", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const old = host.fragment;
  await host.keys.receive({ type: "remove", viewers: [(await stage.admitted()).session] });
  const [wanted, unwanted] = [await stage.watch(old), await stage.watch(old)];
  await stage.until(() => [wanted, unwanted].every(({ state }) => state === "waiting"));
  await stage.advance(200);
  const shown = count(host, "viewers");
  stage.clock.advance(milli(10_000));
  await stage.advance(500);
  expect(count(host, "viewers")).toBe(shown);
  for (const [viewer, yes] of [
    [wanted, true],
    [unwanted, false],
  ] as const) {
    await host.keys.receive({ type: "admit", viewer: viewer.session, yes });
    stage.clock.advance(milli(100));
    expect(host.viewers.get(viewer.session)).toBe(yes ? "waiting" : "gone");
  }
});

test("a viewer who comes back is known by the same resume secret", async () => {
  const stage = new Stage();
  await stage.open();
  const viewer = await stage.admitted();
  const again = await stage.admitted(viewer.kept);
  expect(again.kept).toEqual(viewer.kept);
});

test("when the stream is over nothing is said any more", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  await host.keys.receive({ type: "end" });
  const said = host.said.length;
  await moved(host, viewer, "gone");
  await host.keys.receive({ type: "remove", viewers: [viewer.session] });
  stage.clock.advance(milli(11 * 60_000));
  await stage.advance(200);
  expect(host.said).toHaveLength(said);
});
