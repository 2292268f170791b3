import { toBase64url } from "@sealcast/bytes";
import { random, sign, verify } from "@sealcast/crypto";
import { milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { hostFingerprint, parseLiveLink } from "../../shared/live-link.ts";
import type { KeyUpdate } from "../../shared/messages.ts";
import { newIdentity } from "../room/room.cases.ts";
import { sealAnswer } from "./answer.ts";
import { LINK_CLAIM, LIVE_TYPES, parseAsk, pskOf, sealAsk } from "./ask.ts";
import { type ChannelContent, FLOORS, LiveChannel, type Rotation } from "./channel.ts";
import { Stage, TestHost, TestViewer } from "./live.cases.ts";

const isRecord = (body: Uint8Array) => body[0] === LIVE_TYPES.record;

/** What a viewer's media workers can open by now, and what the host's seal under. */
const heard = (news: readonly KeyUpdate[]) =>
  news.flatMap((item) => ("epoch" in item ? [`${item.type} ${item.epoch}`] : []));

async function bits(key: CryptoKey | undefined): Promise<string> {
  if (key === undefined) return "none";
  const algorithm = { name: "HKDF", hash: "SHA-512", salt: new Uint8Array(), info: new Uint8Array() };
  return Buffer.from(await crypto.subtle.deriveBits(algorithm, key, 256)).toString("hex");
}

const baseKeyOf = (news: TestViewer["news"], epoch: number) =>
  bits(news.flatMap((item) => (item.type === "epoch" && item.epoch === epoch ? [item.baseKey] : []))[0]);

test("a viewer asks, the host answers: both media workers hold one key, and only the host's may send", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  const { rotation } = host;
  expect(heard(host.news)).toEqual([`epoch ${rotation}`, `send ${rotation}`]);
  expect(heard(viewer.news)).toEqual([`epoch ${rotation}`]);
  expect(await baseKeyOf(viewer.news, rotation)).toBe(await baseKeyOf(host.news, rotation));
});

test("host and viewer say things to each other, in order and each once, and no viewer hears another", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [one, other] = [await stage.admitted(), await stage.admitted()];
  for (const text of ["offer", "candidates"]) await host.send(one, text);
  await one.send("answer");
  await other.send("question");
  await stage.until(() => host.received.length === 2 && one.received.length === 2);
  expect(one.received).toEqual(["offer", "candidates"]);
  expect(other.received).toEqual([]);
  expect(host.said.filter((m) => m.type === "message")).toMatchObject([{ from: one.session }, { from: other.session }]);
});

test("viewers may come before the host", async () => {
  const stage = new Stage();
  const identity = await newIdentity();
  const earlier = await TestHost.load(stage, identity, null);
  const link = await parseLiveLink(earlier.room, earlier.fragment);
  const early = new TestViewer(stage, earlier.room, link.ok ? link : expect.unreachable(), null);
  stage.viewers.push(early);
  stage.connect(early);
  stage.swap(earlier);
  await stage.until(() => early.state === "watching");
});

test("counter floors reach the viewer's media workers with the key", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const kids = [1n, 2n, 3n, 4n].map((instance) => (instance << 13n) | BigInt(host.rotation % 16));
  const floors = kids.map((kid) => ({ kid, highest: 300 }));
  await host.keys.receive({ type: "counters", floors });
  const viewer = await stage.admitted();
  expect(viewer.news).toMatchObject([{ type: "signer" }, { type: "epoch", floors }]);
});

test("every ten minutes there is a new key, one record a viewer; the old one opens for 10 s more", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewers = [await stage.admitted(), await stage.admitted()];
  const first = host.rotation;
  stage.traffic.length = 0;
  stage.clock.advance(milli(10 * 60_000));
  await stage.until(() => viewers.every(({ rotation }) => rotation === first + 1));
  const wraps = stage.traffic.filter(({ way, body }) => way === "to-viewer" && isRecord(body));
  expect(wraps).toHaveLength(2);
  await stage.until(() => heard(host.news).includes(`send ${first + 1}`));
  for (const { news } of [...viewers, host])
    expect(await baseKeyOf(news, first + 1)).toBe(await baseKeyOf(host.news, first + 1));
  expect(await baseKeyOf(host.news, first + 1)).not.toBe(await baseKeyOf(host.news, first));
  const dropped = () => viewers.filter(({ news }) => heard(news).includes(`drop ${first}`)).length;
  stage.clock.advance(milli(9000));
  expect(dropped()).toBe(0);
  stage.clock.advance(milli(1000));
  expect(dropped()).toBe(2);
});

test("a viewer who does not acknowledge holds a rotation up for 3 s, after a removal for 1 s", async () => {
  const stage = new Stage();
  const host = await stage.open();
  await stage.admitted();
  const removed = await stage.admitted();
  stage.meddles = (body) => (isRecord(body) ? null : body);
  const sendsIn = () => heard(host.news).filter((item) => item.startsWith("send")).length;
  stage.clock.advance(milli(10 * 60_000));
  await stage.until(() => host.said.filter(({ type }) => type === "rotated").length === 1);
  await stage.advance(500);
  stage.clock.advance(milli(2000));
  expect(sendsIn()).toBe(1);
  stage.clock.advance(milli(500));
  expect(sendsIn()).toBe(2);
  const done = host.keys.receive({ type: "remove", viewers: [removed.session] });
  await stage.until(() => host.said.filter(({ type }) => type === "rotated").length === 2);
  const since = stage.clock.now();
  await stage.until(() => sendsIn() === 3);
  expect(stage.clock.now() - since).toBeLessThanOrEqual(1000);
  await done;
});

test("a viewer who is away holds no rotation up, nor does one that goes away meanwhile", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [away, goes] = [await stage.admitted(), await stage.admitted()];
  stage.meddles = (body) => (isRecord(body) ? null : body);
  stage.disconnect(away);
  stage.clock.advance(milli(10 * 60_000));
  await stage.until(() => host.said.some(({ type }) => type === "rotated"));
  await stage.advance(500);
  expect(heard(host.news)).not.toContain(`send ${host.rotation}`);
  stage.disconnect(goes);
  expect(heard(host.news)).toContain(`send ${host.rotation}`);
});

test("who is not there when the host comes back is away, and has left after 75 s", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [missing, back] = [await stage.admitted(), await stage.admitted()];
  for (const viewer of [missing, back]) viewer.isConnected = false;
  stage.reconnectHost();
  stage.clock.advance(milli(74_000));
  expect([missing, back].map(({ session }) => host.viewers.get(session))).toEqual(["away", "away"]);
  stage.connect(back, true);
  await stage.advance(1500);
  expect([missing, back].map(({ session }) => host.viewers.get(session))).toEqual(["departed", "watching"]);
});

test("who takes nothing any more is let go, and asks again", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  stage.meddles = (body, way) => (way === "to-host" ? null : body);
  for (let i = 0; i < 64; i += 1) await host.send(viewer, `${i}`);
  await stage.advance(200);
  expect(host.viewers.get(viewer.session)).toBe("watching");
  await host.send(viewer, "one too many");
  await stage.advance(200);
  expect(host.viewers.get(viewer.session)).toBe("departed");
  stage.meddles = (body) => body;
  await viewer.send("still here?");
  // Three times unanswered, after 2, 4 and 8 s.
  stage.clock.advance(milli(14_000));
  await stage.until(() => viewer.streams.length === 2);
});

test("who goes away for good while the answer is made is not let in", async () => {
  const stage = new Stage();
  const identity = await newIdentity();
  let finish: () => void = () => undefined;
  const gate = new Promise<void>((open) => {
    finish = open;
  });
  let isAsked = false;
  const sign = async (message: Uint8Array) => {
    isAsked = true;
    await gate;
    return identity.sign(message);
  };
  const host = await stage.open({ publicKey: identity.publicKey, sign });
  const viewer = await stage.watch(host.fragment);
  await stage.until(() => isAsked);
  await host.keys.receive({ type: "room", event: { type: "viewer", viewer: viewer.session, is: "gone" } });
  finish();
  await stage.advance(500);
  expect([viewer.state, stage.traffic.some(({ body }) => body[0] === LIVE_TYPES.answer)]).toEqual(["asking", false]);
});

test("of those with an old link 256 wait at most, and only who was asked about is decided on", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const old = host.fragment;
  await host.keys.receive({ type: "remove", viewers: [(await stage.admitted()).session] });
  const link = await parseLiveLink(host.room, old);
  if (!link.ok) return expect.unreachable();
  const late = async (from: string) => {
    const ask = { ...LINK_CLAIM, nonce: random(32), viewerKey: new Uint8Array(1216) };
    const body = toBase64url(await sealAsk(link.secret, host.room, stage.seconds(), ask));
    await host.keys.receive({ type: "room", event: { type: "told", from, body } });
  };
  for (let i = 0; i <= 256; i += 1) await late(`viewer ${i}`);
  await stage.advance(200);
  expect([...host.viewers].filter(([, is]) => is === "waiting")).toHaveLength(256);
  await host.keys.receive({ type: "admit", viewer: "viewer 256", yes: false });
  await stage.advance(200);
  expect(host.viewers.has("viewer 256")).toBe(false);
});

test("a removed viewer hears so, gets no later key, and the others' old key goes after 3 s", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [stays, goes] = [await stage.admitted(), await stage.admitted()];
  const first = host.rotation;
  await host.keys.receive({ type: "remove", viewers: [goes.session] });
  await stage.until(() => stays.rotation === first + 1 && goes.state === "removed");
  expect(goes.rotation).toBe(first);
  expect(heard(goes.news)).toEqual([`epoch ${first}`, `drop ${first}`]);
  await stage.advance(3000);
  expect(heard(stays.news)).toContain(`drop ${first}`);
  const { kept } = goes;
  const again = await stage.watch(host.fragment, kept);
  await stage.until(() => again.state === "turned-away");
  expect(again.news).toEqual([]);
});

test("a removed viewer cannot read the later keys, even those that it is shown", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [stays, early] = [await stage.admitted(), await stage.admitted()];
  const keys = await channelKeys(() => stage.admitted());
  const goes = stage.viewers.at(-1) ?? expect.unreachable();
  // It goes on reading after the farewell, and the server shows it all that goes to anybody.
  const read = async () => {
    const heard: ChannelContent[] = [];
    for (const openKey of keys) {
      const own = { openKey: openKey.slice(), sealKey: random(32), clock: stage.clock };
      const deliver = (content: ChannelContent) => void heard.push(content);
      const channel = await LiveChannel.open({ ...own, transmit: () => undefined, deliver });
      for (const { way, body } of stage.traffic) if (way === "to-viewer") await channel.receive(body);
      channel.close();
    }
    return heard;
  };
  await host.keys.receive({ type: "remove", viewers: [early.session] });
  await stage.until(() => stays.rotation === host.rotation);
  const { rotation } = host;
  await host.keys.receive({ type: "remove", viewers: [goes.session] });
  await stage.until(() => stays.rotation === host.rotation && host.viewers.get(goes.session) === "gone");
  expect(host.rotation).toBe(rotation + 1);
  const heard = await read();
  expect(heard).toMatchObject([
    { type: "rotation", rotation: rotation - 1 },
    { type: "rotation", rotation },
    { type: "farewell", why: "removed" },
  ]);
  expect(heard).not.toContainEqual(expect.objectContaining({ streamKey: host.stream.key }));
});

/** Both keys of the channels that come to be meanwhile. */
async function channelKeys(meanwhile: () => Promise<unknown>): Promise<Uint8Array<ArrayBuffer>[]> {
  const keys: Uint8Array<ArrayBuffer>[] = [];
  const open = LiveChannel.open.bind(LiveChannel);
  const opening = vi.spyOn(LiveChannel, "open").mockImplementation((options) => {
    keys.push(options.openKey.slice());
    return open(options);
  });
  await meanwhile();
  opening.mockRestore();
  return keys;
}

test("after a removal the link is another one, and the old one admits with the host's yes only", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const old = host.fragment;
  const goes = await stage.admitted();
  await host.keys.receive({ type: "remove", viewers: [goes.session] });
  expect(host.fragment).not.toBe(old);
  const fresh = await stage.admitted();
  expect(fresh.rotation).toBe(host.rotation);
  const [wanted, unwanted] = [await stage.watch(old), await stage.watch(old)];
  await stage.until(() => [wanted, unwanted].every(({ session }) => host.viewers.get(session) === "waiting"));
  await stage.until(() => wanted.state === "waiting" && unwanted.state === "waiting");
  expect([wanted.news, unwanted.news]).toEqual([[], []]);
  await host.keys.receive({ type: "admit", viewer: wanted.session, yes: true });
  await host.keys.receive({ type: "admit", viewer: unwanted.session, yes: false });
  await stage.until(() => wanted.state === "watching" && unwanted.state === "turned-away");
  expect(unwanted.news).toEqual([]);
});

test("a yes is for one viewer and for no other with the old link", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const old = host.fragment;
  await host.keys.receive({ type: "remove", viewers: [(await stage.admitted()).session] });
  const wanted = await stage.watch(old);
  await stage.until(() => wanted.state === "waiting");
  await host.keys.receive({ type: "admit", viewer: wanted.session, yes: true });
  await stage.until(() => wanted.state === "watching");
  const another = await stage.watch(old);
  await stage.until(() => another.state === "waiting");
});

test("who is in comes back after a removal, with the old link and without a question", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const old = host.fragment;
  const [stays, goes] = [await stage.admitted(), await stage.admitted()];
  await host.keys.receive({ type: "remove", viewers: [goes.session] });
  await stage.until(() => stays.rotation === host.rotation);
  stage.disconnect(stays);
  const again = await stage.admitted(stays.kept, old);
  expect(again.rotation).toBe(host.rotation);
});

test("a host's reload is a new stream with a new key; viewers ask again by themselves, and the removed stay out", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const old = host.fragment;
  const [stays, goes] = [await stage.admitted(), await stage.admitted()];
  await host.keys.receive({ type: "remove", viewers: [goes.session] });
  await stage.until(() => stays.rotation === host.rotation);
  const before = await baseKeyOf(stays.news, host.rotation);
  const again = await stage.reload();
  expect(again.room).toBe(host.room);
  expect(again.fragment).toBe(host.fragment);
  await stage.until(() => stays.streams.length === 2 && stays.rotation === again.rotation);
  expect(new Set(stays.streams).size).toBe(2);
  expect(heard(stays.news).at(-2)).toBe(`drop ${host.rotation}`);
  expect(await baseKeyOf(stays.news, again.rotation)).not.toBe(before);
  const late = await stage.watch(old);
  const banned = await stage.watch(again.fragment, goes.kept);
  await stage.until(() => late.state === "waiting" && banned.state === "turned-away");
});

test("nothing that one host kept is of use to another identity", async () => {
  const stage = new Stage();
  const host = await stage.open();
  await expect(TestHost.load(stage, await newIdentity(), host.kept)).rejects.toThrow("not this host's");
});

test("sequence numbers never repeat, and nothing is lost, whatever sockets do", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  const channel = viewer.streams.length;
  stage.traffic.length = 0;
  const texts = Array.from({ length: 12 }, (_, i) => `message ${i}`);
  for (const [i, text] of texts.entries()) {
    if (i % 3 === 0) stage.disconnect(viewer);
    await host.send(viewer, text);
    await viewer.send(text);
    if (i % 3 === 1) stage.connect(viewer, true);
    if (i % 4 === 3) stage.reconnectHost();
    await stage.advance(100);
  }
  stage.connect(viewer, true);
  await stage.until(() => viewer.received.length === texts.length && host.received.length === texts.length);
  expect(viewer.received).toEqual(texts);
  expect(host.received).toEqual(texts);
  expect(viewer.streams).toHaveLength(channel);
  for (const way of ["to-host", "to-viewer"]) {
    const counters = stage.traffic
      .filter((item) => item.way === way && isRecord(item.body))
      .map(({ body }) => new DataView(body.buffer, body.byteOffset).getBigUint64(1));
    expect(counters.length).toBeGreaterThan(6);
    expect(counters).toEqual([...counters].sort((a, b) => Number(a - b)));
    expect(new Set(counters).size).toBe(counters.length);
  }
});

test("a viewer whose channel the host does not know any more asks again by itself", async () => {
  const stage = new Stage();
  await stage.open();
  const viewer = await stage.admitted();
  stage.meddles = (body, way) => (way === "to-host" && isRecord(body) ? null : body);
  await viewer.send("lost");
  // Three times unanswered, after 2, 4 and 8 s.
  stage.clock.advance(milli(13_999));
  expect(viewer.streams).toHaveLength(1);
  stage.clock.advance(milli(1));
  await stage.until(() => viewer.streams.length === 2);
  expect(new Set(viewer.streams).size).toBe(1);
});

test("another host in the host's place is refused, although it has the link", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const { fragment, room, kept } = host;
  // The thief knows all that the host keeps, and not its identity's key.
  const thief = await newIdentity();
  const stolen = kept.slice();
  stolen.set(await hostFingerprint(thief.publicKey), 1);
  stage.swap(await TestHost.load(stage, thief, stolen));
  const viewer = await stage.watch(fragment, null, room);
  await stage.until(() => viewer.state !== "asking");
  expect(viewer.state).toBe("wrong-host");
  expect(viewer.news).toEqual([]);
});

test("the host's public key without its private one is another host", async () => {
  const stage = new Stage();
  const [owner, thief] = [await newIdentity(), await newIdentity()];
  const host = await stage.open(owner);
  const posing = { publicKey: owner.publicKey, sign: thief.sign };
  stage.swap(await TestHost.load(stage, posing, host.kept));
  const viewer = await stage.watch(host.fragment);
  await stage.until(() => viewer.state !== "asking");
  expect(viewer.state).toBe("wrong-host");
  expect(viewer.news).toEqual([]);
});

test("a viewer takes no rotation below its own, and its own once, whichever channel brings it", async () => {
  const stage = new Stage();
  const [identity, secret, clock] = [await newIdentity(), random(32), stage.clock];
  const host = await hostFingerprint(identity.publicKey);
  const room = "r".repeat(22);
  const viewer = new TestViewer(stage, room, { secret, host }, null);
  viewer.isConnected = true;
  const grant = { stream: random(16), signingKey: random(32) };
  const resume = { id: random(16), secret: random(32) };
  const floors = Array(FLOORS).fill({ kid: 0n, highest: 0 });
  const keys = (number: number): Rotation => {
    return { type: "rotation", rotation: number, removal: false, streamKey: random(32), resume, floors };
  };
  const asked = () => viewer.told;
  const answer = async () => {
    viewer.said.length = 0;
    await viewer.keys.receive({ type: "room", event: { type: "watching", resumed: false, host: "here" } });
    await stage.until(() => asked().length > 0);
    const ask = parseAsk(asked()[0] ?? new Uint8Array()) ?? expect.unreachable();
    const psk = pskOf(ask, ask.kind === "link" ? secret : resume.secret);
    const sealed = await sealAnswer(identity, { room, nonce: ask.nonce, viewerKey: ask.viewerKey, psk }, grant);
    if (sealed === null) return expect.unreachable();
    await stage.hand("to-viewer", viewer, sealed.body);
    const { toViewer: sealKey, toHost: openKey } = sealed.keys;
    const transmit = (body: Uint8Array) => void stage.hand("to-viewer", viewer, body);
    return LiveChannel.open({ clock, sealKey, openKey, transmit, deliver: () => undefined });
  };
  const channel = await answer();
  for (const rotation of [5, 4, 5, 6, 6, 3]) await channel.send(keys(rotation));
  await stage.until(() => viewer.notes("old-rotation") === 2);
  expect(viewer.rotation).toBe(6);
  channel.close();
  const fresh = await answer();
  await fresh.send(keys(5));
  await stage.until(() => viewer.notes("old-rotation") === 1);
  expect(heard(viewer.news)).toEqual(["epoch 5", "epoch 6"]);
  fresh.close();
});

test("who was being answered while the key changed gets the new one", async () => {
  const stage = new Stage();
  const identity = await newIdentity();
  let signatures = 0;
  let finish: () => void = () => undefined;
  const gate = new Promise<void>((open) => {
    finish = open;
  });
  const sign = async (message: Uint8Array) => {
    signatures += 1;
    if (signatures === 2) await gate;
    return identity.sign(message);
  };
  const host = await stage.open({ publicKey: identity.publicKey, sign });
  await stage.admitted();
  const viewer = await stage.watch(host.fragment);
  await stage.until(() => signatures === 2);
  const first = host.rotation;
  stage.clock.advance(milli(10 * 60_000));
  await stage.until(() => host.rotation === first + 1);
  finish();
  await stage.until(() => viewer.rotation === first + 1);
  expect(heard(viewer.news)).toEqual([`epoch ${first + 1}`]);
});

test("a viewer whose first word was lost says it again when the host is back", async () => {
  const stage = new Stage();
  const host = await stage.open();
  stage.meddles = (body, way) => (way === "to-host" && isRecord(body) ? null : body);
  const viewer = await stage.watch(host.fragment);
  await stage.until(() => viewer.state === "watching" && stage.traffic.some(({ body }) => isRecord(body)));
  stage.meddles = (body) => body;
  stage.reconnectHost();
  await stage.until(() => host.viewers.get(viewer.session) === "watching");
});

test("a host that never had the link cannot answer", async () => {
  const stage = new Stage();
  const { fragment, room } = await stage.open();
  const stranger = await TestHost.load(stage, await newIdentity(), null);
  stage.swap(stranger);
  const viewer = await stage.watch(fragment, null, room);
  await stage.until(() => stranger.said.some((m) => m.type === "dropped" && m.what === "bad-ask"));
  expect(viewer.state).toBe("asking");
});

test("any altered byte of any message is refused", { timeout: 120_000 }, async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.watch(host.fragment);
  const altered = (body: Uint8Array, at: number) => body.map((byte, i) => (i === at ? byte ^ (1 << (at % 8)) : byte));
  const refused = () => host.said.filter((m) => m.type === "dropped").length + viewer.notes("bad-answer");

  // What is first of its kind is held back, and comes altered at every place (long ones at some) before it comes as it is.
  const tried = new Set<string>();
  const held: { way: "to-host" | "to-viewer"; body: Uint8Array }[] = [];
  stage.meddles = (body, way) => {
    const kind = `${way} ${body[0]}`;
    if (tried.has(kind)) return body;
    tried.add(kind);
    held.push({ way, body });
    return null;
  };
  for (let done = 0; done < 4; done += 1) {
    if (done === 3) await host.send(viewer, "an offer");
    await stage.until(() => held.length > 0);
    const { way, body } = held.shift() ?? expect.unreachable();
    const step = Math.max(1, Math.floor(body.length / 60));
    for (let at = 0; at < body.length; at += at < 40 || at > body.length - 150 ? 1 : step) {
      const before = [host.viewers.size, viewer.state, viewer.received.length];
      await stage.hand(way, viewer, altered(body, at));
      expect([host.viewers.size, viewer.state, viewer.received.length], `${way} ${body[0]} at ${at}`).toEqual(before);
    }
    await stage.hand(way, viewer, body);
  }
  await stage.until(() => host.viewers.get(viewer.session) === "watching" && viewer.received.length === 1);
  expect(viewer.received).toEqual(["an offer"]);
  expect([...tried].sort()).toEqual(["to-host 1", "to-host 3", "to-viewer 2", "to-viewer 3"]);
  expect(refused()).toBeGreaterThan(200);
});

test("nothing counts twice: not an answer, not a record, not a rotation", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const one = await stage.admitted();
  await host.send(one, "once");
  stage.clock.advance(milli(10 * 60_000));
  await stage.until(() => one.received.length === 1 && one.rotation === host.rotation);
  const seen = [...stage.traffic];
  const before = { news: one.news.length, rotation: one.rotation, channels: one.streams.length };
  for (const { way, viewer, body } of seen) if (way === "to-viewer" && viewer === one) await stage.hand(way, one, body);
  expect(one.received).toEqual(["once"]);
  expect({ news: one.news.length, rotation: one.rotation, channels: one.streams.length }).toEqual(before);
  expect(one.notes("bad-record")).toBeGreaterThan(0);
});

test("one viewer's ask is not taken as another's", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const [one, other] = [await stage.admitted(), await stage.admitted()];
  const ask = stage.traffic.find(({ viewer, body }) => viewer === one && body[0] === LIVE_TYPES.ask);
  await stage.hand("to-host", other, ask?.body ?? expect.unreachable());
  expect(host.said).toContainEqual({ type: "dropped", what: "replayed-ask" });
  // Whose it is may repeat it, as before.
  await stage.hand("to-host", one, ask?.body ?? expect.unreachable());
  expect(host.said.filter(({ type }) => type === "dropped")).toHaveLength(1);
  await other.send("still here");
  await stage.until(() => host.received.includes("still here"));
});

test("an answer to an earlier ask is refused", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  const answer = stage.traffic.find(({ body }) => body[0] === LIVE_TYPES.answer)?.body ?? expect.unreachable();
  stage.meddles = (body) => (body[0] === LIVE_TYPES.answer ? null : body);
  const again = await stage.watch(host.fragment, viewer.kept);
  await stage.until(() => stage.traffic.filter(({ body }) => body[0] === LIVE_TYPES.answer).length === 2);
  await stage.hand("to-viewer", again, answer);
  expect([again.state, again.notes("bad-answer")]).toEqual(["asking", 1]);
});

test("an ask is good for two minutes", async () => {
  const stage = new Stage();
  const host = await stage.open();
  stage.meddles = () => null;
  const viewer = await stage.watch(host.fragment);
  await stage.until(() => stage.traffic.length === 1);
  const ask = stage.traffic[0]?.body ?? expect.unreachable();
  stage.disconnect(viewer);
  stage.clock.advance(milli(4 * 60_000 + 2000));
  await stage.hand("to-host", viewer, ask);
  expect(host.said.at(-1)).toEqual({ type: "dropped", what: "bad-ask" });
});

test("an ask that was not answered is sent again as it was, and answered once", async () => {
  const stage = new Stage();
  const host = await stage.open();
  let lost = 2;
  stage.meddles = (body) => (body[0] === LIVE_TYPES.answer && lost-- > 0 ? null : body);
  const viewer = await stage.watch(host.fragment);
  const answers = () => stage.traffic.filter(({ body }) => body[0] === LIVE_TYPES.answer).map(({ body }) => body);
  for (const sent of [1, 2, 3]) {
    await stage.until(() => answers().length === sent);
    stage.clock.advance(milli(3000));
  }
  await stage.until(() => viewer.state === "watching");
  expect(answers()).toHaveLength(3);
  expect(new Set(answers().map((body) => Buffer.from(body).toString("hex"))).size).toBe(1);
});

test("the oldest ask is answered first, and a removal does not wait for those who ask", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const goes = await stage.admitted();
  stage.traffic.length = 0;
  const viewers: TestViewer[] = [];
  for (let i = 0; i < 30; i += 1) viewers.push(await stage.watch(host.fragment));
  const asked = () => stage.traffic.filter(({ body }) => body[0] === LIVE_TYPES.ask);
  await stage.until(() => asked().length === 30);
  const order = asked().map(({ viewer }) => viewer);
  await host.keys.receive({ type: "remove", viewers: [goes.session] });
  const answered = () => stage.traffic.filter(({ body }) => body[0] === LIVE_TYPES.answer);
  expect(answered().length).toBeLessThan(30);
  await stage.until(() => viewers.every(({ state }) => state !== "asking"));
  const first = answered().map(({ viewer }) => viewer);
  expect(first).toEqual(order.slice(0, first.length));
});

test("the stream's end takes the keys from everybody", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  await host.keys.receive({ type: "end" });
  await stage.until(() => viewer.state === "ended");
  expect(heard(viewer.news).at(-1)).toBe(`drop ${host.rotation}`);
  expect(host.said).toContainEqual({ type: "to-room", message: { type: "end" } });
});

test("the host's media workers sign with the stream's own key, which the viewer's know and nobody can export", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewer = await stage.admitted();
  const signing = host.news.find((news) => news.type === "signing") ?? expect.unreachable();
  const signer = viewer.news.find((news) => news.type === "signer") ?? expect.unreachable();
  expect(signer.leaf).toBe(0);
  expect(signer.context).toBe(signing.context);
  expect(signing.context).toContain(host.room);
  expect(signing.key.extractable).toBe(false);
  const batch = random(40);
  expect(await verify(signer.key, batch, await sign(signing.key, batch))).toBe(true);
});

test("another load of the host's page signs with another key, in another context", async () => {
  const stage = new Stage();
  await stage.open();
  const viewer = await stage.admitted();
  const before = viewer.news.findLast((news) => news.type === "signer") ?? expect.unreachable();
  const again = await stage.reload();
  await stage.until(() => viewer.streams.length === 2);
  const after = viewer.news.findLast((news) => news.type === "signer") ?? expect.unreachable();
  expect(after.context).not.toBe(before.context);
  const signing = again.news.find((news) => news.type === "signing") ?? expect.unreachable();
  const batch = random(40);
  const signature = await sign(signing.key, batch);
  expect([await verify(before.key, batch, signature), await verify(after.key, batch, signature)]).toEqual([
    false,
    true,
  ]);
});

test("what is for the server comes in messages of at most 64, and the page hears of viewers ten times a second", async () => {
  const stage = new Stage();
  const host = await stage.open();
  const viewers: TestViewer[] = [];
  for (let i = 0; i < 70; i += 1) viewers.push(await stage.watch(host.fragment));
  await stage.until(() => viewers.every(({ session }) => host.viewers.get(session) === "watching"));
  const changes = host.said.filter(({ type }) => type === "viewers");
  expect(changes.length).toBeLessThanOrEqual(Math.ceil(stage.clock.now() / 100));
  await stage.advance(200);
  host.said.length = 0;
  const next = host.rotation + 1;
  stage.clock.advance(milli(10 * 60_000));
  await stage.until(() => viewers.every(({ rotation }) => rotation === next));
  const deliveries = host.said.flatMap((m) =>
    m.type === "to-room" && m.message.type === "deliver" ? [m.message] : [],
  );
  // What a slow computer acknowledges late is said again.
  expect(deliveries.map(({ items }) => items.length).slice(0, 2)).toEqual([1, 64]);
  for (const { items } of deliveries) expect(items.length).toBeLessThanOrEqual(64);
  const firsts = deliveries.flatMap(({ items }) => items.map(({ to }) => to)).slice(0, 70);
  expect(new Set(firsts).size, "once to each before anything goes again").toBe(70);
});
