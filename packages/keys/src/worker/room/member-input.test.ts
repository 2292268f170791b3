import { toBase64url, toHex, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { describe, expect, test } from "vitest";
import { DoorKey } from "../identity/door-key.ts";
import { makeKeyPackage } from "../mls/key-package.ts";
import type { OwnKeyPackage } from "../mls/welcome.ts";
import { ALL, encodePlaintext, MAX_BODY } from "../plaintext.ts";
import { knockAt, knockKeysOf } from "./knock.cases.ts";
import { openAnswer } from "./knock.ts";
import { Member } from "./member.ts";
import { data, link, OWN, Pair, PEER } from "./pair.cases.ts";
import { NOTHING, newMembership, nodeOf, ROOM } from "./room.cases.ts";
import type { FromMember, FromRoom } from "./wire.ts";

describe("a message", () => {
  test("for this leaf or for all is delivered, one for another leaf is not", async () => {
    const pair = await Pair.meet();
    await pair.relay(ALL, data(0, 1, "for all"));
    await pair.relay(1, data(0, 1, "for you"));
    await pair.relay(2, data(1, 1, "for another"));
    expect(pair.received).toEqual(["for all", "for you"]);
    expect(pair.notes()).toEqual([]);
  });

  test("without a meaning, or that does not open, is noted", async () => {
    const pair = await Pair.meet();
    await pair.relay(ALL, Uint8Array.of(9, 9));
    await pair.hear({ type: "relayed", from: PEER, body: random(100) });
    const body = await pair.peer.seal(encodePlaintext(ALL, { type: "bye" }));
    const damaged = body.map((byte, i) => (i === body.length - 1 ? byte ^ 1 : byte));
    await pair.hear({ type: "relayed", from: PEER, body: damaged });
    const why = ["malformed content", "malformed", "invalid"];
    expect(pair.notes()).toEqual(why.map((detail) => `bad-message: ${detail}`));
  });

  test("that comes twice is taken once", async () => {
    const pair = await Pair.meet();
    const body = await pair.relay(ALL, data(0, 1, "once"));
    await pair.hear({ type: "relayed", from: PEER, body });
    expect([pair.received, pair.notes()]).toEqual([["once"], ["replayed: replayed"]]);
  });

  test("of its own that comes back is no message, and is not sent again", async () => {
    const pair = await Pair.meet();
    const before = pair.sent("relay");
    expect(before.length).toBeGreaterThan(0);
    for (const { body } of before) await pair.hear({ type: "relayed", from: OWN, body });
    await pair.tell({ type: "send", to: "all", body: utf8("late") });
    const late = pair.sent("relay").at(-1)!;
    await pair.hear({ type: "joined", member: OWN, resumed: true });
    const again = pair.sent("relay").slice(before.length + 1);
    expect(again.map(({ body }) => toHex(body))).toEqual([toHex(late.body)]);
    expect(pair.notes()).toEqual([]);
  });

  test("is not sent again in a new session of the server's, in which its epoch may be over", async () => {
    const pair = await Pair.meet();
    const count = new Set(pair.sent("relay").map(({ body }) => toHex(body))).size;
    await pair.hear({ type: "joined", member: OWN, resumed: false });
    await pair.hear({ type: "entered", at: pair.node, is: "tip", knockKeys: [] });
    const all = pair.sent("relay").map(({ body }) => toHex(body));
    expect(all.length).toBeGreaterThan(count);
    expect(new Set(all).size).toBe(all.length);
    // Nor is it taken for someone else's where it comes late.
    await pair.hear({ type: "relayed", from: OWN, body: pair.sent("relay")[0]!.body });
    expect(pair.notes()).toEqual([]);
  });

  test("that was written as an earlier leaf is not sent, and as the present one it is", async () => {
    const pair = await Pair.meet();
    const own = pair.peer.members.find(({ me }) => !me)!.leafKeyId;
    const before = pair.sent("relay").length;
    await pair.tell({ type: "send", to: "all", body: utf8("before"), as: "0".repeat(64), receipt: 1 });
    expect([pair.sent("relay").length - before, pair.notes()]).toEqual([0, []]);
    await pair.tell({ type: "send", to: "all", body: utf8("now"), as: own, receipt: 2 });
    expect(pair.sent("relay").length - before).toBe(1);
  });

  test("that is too long is not sent, nor one for nobody", async () => {
    const pair = await Pair.meet();
    const before = pair.sent("relay").length;
    await pair.tell({ type: "send", to: "all", body: new Uint8Array(MAX_BODY + 1) });
    expect(pair.notes()).toEqual(["unsent: too long"]);
    await pair.tell({ type: "send", to: "someone", body: utf8("x") });
    expect([pair.sent("relay").length, pair.notes().length]).toEqual([before, 1]);
    await pair.tell({ type: "send", to: pair.peer.members[0]!.leafKeyId, body: new Uint8Array(MAX_BODY) });
    expect(pair.sent("relay")).toHaveLength(before + 1);
  });

  test("that is one too many for someone who acknowledges none is noted", async () => {
    const pair = await Pair.meet();
    const { leafKeyId } = pair.peer.members[0]!;
    for (let i = 0; i < 512; i += 1) void pair.member.receive({ type: "send", to: leafKeyId, body: utf8("x") });
    await pair.settle();
    expect(pair.notes()).toEqual([]);
    await pair.tell({ type: "send", to: leafKeyId, body: utf8("x") });
    expect(pair.notes()).toEqual(["unsent: to leaf 0"]);
  });

  test("of an epoch that was left opens for 10 s", async () => {
    const pair = await Pair.meet();
    const [early, late] = [
      await pair.peer.seal(new Uint8Array([2, ALL])),
      await pair.peer.seal(new Uint8Array([2, ALL])),
    ];
    await pair.order(await pair.commit());
    await pair.advance(9_999);
    await pair.hear({ type: "relayed", from: PEER, body: early });
    expect(pair.notes()).toEqual([]);
    await pair.advance(1);
    await pair.hear({ type: "relayed", from: PEER, body: late });
    expect(pair.notes()).toEqual(["stale: past-epoch"]);
  });
});

describe("a commit", () => {
  test("of another epoch is dropped; those that follow are fetched one by one, as the server says that there are some", async () => {
    const pair = await Pair.meet();
    const [first, second] = [await pair.commit(), await pair.commit()];
    await pair.order(second);
    expect(pair.place.startsWith("1 ")).toBe(true);
    await pair.follow(first);
    expect(pair.place.startsWith("2 ")).toBe(true);
    await pair.follow(second);
    expect(pair.place).toBe(pair.peerPlace);
    expect(pair.sent("fetch").map(({ token }) => token)).toEqual([first.token, second.token]);
    await pair.order(first);
    expect(pair.notes()).toEqual(["stale: commit", "stale: commit"]);
    await pair.hear({ type: "entered", at: pair.node, is: "tip", knockKeys: [] });
    await pair.relay(ALL, data(0, 3, "here"));
    expect(pair.received).toEqual(["here"]);
  });

  test("that does not hold is refused, the next one counts, and until then this member makes one beside it", async () => {
    const pair = await Pair.meet();
    const sound = await pair.commit();
    const broken = sound.body.map((byte, i) => (i === sound.body.length - 1 ? byte ^ 1 : byte));
    await pair.order({ ...sound, body: broken, next: pair.node });
    expect(pair.notes()).toEqual(["invalid-commit: invalid"]);
    await pair.advance(1_000);
    expect(pair.sent("commit")).toMatchObject([{ at: sound.at, despite: [pair.node], welcome: null }]);
    await pair.order(sound);
    expect(pair.place).toBe(pair.peerPlace);
    expect(pair.sent("commit")).toHaveLength(1);
  });

  test("that follows more garbage than the server keeps names what the server has, and 16 at most", async () => {
    const pair = await Pair.meet();
    const { node: at } = pair;
    const garbage = Array.from({ length: 18 }, () => toBase64url(random(32)));
    for (const next of garbage) await pair.hear({ type: "ordered", from: PEER, at, next, body: random(50) });
    await pair.advance(1_000);
    const named = () => pair.sent("commit").map(({ despite }) => despite);
    expect(named().at(-1)).toEqual(garbage.slice(2));
    const before = named().length;
    const kept = [...garbage.slice(0, 15), garbage[17]!];
    await pair.hear({ type: "refused", at, successors: kept });
    expect(named().at(-1)).toEqual(kept);
    await pair.hear({ type: "refused", at, successors: kept });
    expect(named().length).toBe(before + 1);
  });

  test("that the server refuses without a word of another is not taken without its order, however often", async () => {
    const pair = await Pair.meet();
    await pair.hear({ type: "ordered", from: PEER, at: pair.node, next: "A".repeat(43), body: random(50) });
    const { place } = pair;
    for (let seconds = 0; seconds < 60; seconds += 3) {
      await pair.advance(3_000);
      await pair.hear({ type: "refused", at: pair.node, successors: [] });
    }
    expect(pair.sent("commit").length).toBeGreaterThan(5);
    expect(pair.place).toBe(place);
  });

  test("that was lacking ends no asking to join afresh for another reason, of before or of later", async () => {
    const pair = await Pair.meet();
    const lacks = async () => {
      const commit = await pair.commit();
      await pair.follow({ next: commit.next, body: random(50) });
      await pair.order(commit);
    };
    const asks = async () => {
      const before = pair.sent("request-keys").length;
      await pair.advance(5_000);
      return pair.sent("request-keys").length > before;
    };
    await lacks();
    expect(await asks()).toBe(false);
    await pair.tell({ type: "rejoin" });
    await pair.order(await pair.commit());
    expect(await asks()).toBe(true);
    await lacks();
    expect(await asks()).toBe(true);
  });

  test("that leads elsewhere than it says does not hold", async () => {
    const pair = await Pair.meet();
    const sound = await pair.commit();
    await pair.order({ ...sound, next: sound.at });
    expect([pair.notes(), pair.place.startsWith("1 ")]).toEqual([["invalid-commit: other-node"], true]);
    await pair.order(sound);
    expect(pair.place).toBe(pair.peerPlace);
  });

  test("of several that were fetched, the first that holds counts", async () => {
    const pair = await Pair.meet();
    const sound = await pair.commit();
    await pair.follow({ next: "A".repeat(43), body: random(50) }, sound);
    expect([pair.notes(), pair.place]).toEqual([["invalid-commit: malformed"], pair.peerPlace]);
  });

  test("that was fetched and does not hold, or never comes, makes the member ask to join afresh, in its group meanwhile", async () => {
    const pair = await Pair.meet();
    const knocks = pair.sent("knock").length;
    const first = await pair.commit();
    await pair.follow({ next: first.next, body: random(50) });
    expect(pair.notes()).toEqual(["invalid-commit: malformed", "resync: no commit came that follows"]);
    expect(pair.sent("request-keys")).toEqual([]);
    await pair.advance(5_000);
    expect(pair.sent("request-keys")).toEqual([{ type: "request-keys", all: false }]);
    await pair.open();
    await pair.advance(2_999);
    expect(pair.sent("knock")).toHaveLength(knocks);
    await pair.advance(1);
    await pair.letIn([1]);
    expect(pair.place).toBe(pair.peerPlace);

    // Whom the commit reaches meanwhile does not knock.
    const late = await Pair.meet();
    const asked = late.sent("knock").length;
    const follows = await late.commit();
    await late.follow({ next: follows.next, body: random(50) });
    await late.advance(5_000);
    await late.open();
    await late.order(follows);
    await late.advance(10_000);
    expect([late.place, late.sent("knock").length]).toEqual([late.peerPlace, asked]);

    const silent = await Pair.meet();
    await silent.hear({ type: "entered", at: silent.node, is: "ended", knockKeys: [] });
    await silent.advance(2_999);
    expect(silent.notes()).toEqual([]);
    await silent.advance(1);
    expect(silent.notes()).toEqual(["resync: no commit came that follows"]);
    // Nobody answers: the call goes on.
    await silent.advance(60_000);
    await silent.order(await silent.commit());
    expect(silent.place).toBe(silent.peerPlace);
    expect(silent.said.map(({ type }) => type)).not.toContain("refused");
  });

  test("that was fetched and ends the call is the last", async () => {
    const pair = await Pair.meet();
    await pair.follow(await pair.commit({ remove: [1], newLink: true }));
    expect([pair.last, pair.notes()]).toEqual([{ type: "refused", why: "removed" }, []]);
  });

  test("of before this member joined afresh is offered to no server", async () => {
    const pair = await Pair.meet();
    await pair.order(await pair.commit());
    await pair.tell({ type: "rejoin" });
    await pair.advance(5_000);
    await pair.letIn([1]);
    expect(pair.place.startsWith("3 ")).toBe(true);
    await pair.hear({ type: "joined", member: OWN, resumed: false });
    await pair.hear({ type: "entered", at: pair.node, is: "new", knockKeys: [] });
    expect(pair.sent("restock")).toEqual([]);
  });

  test("of a history that nobody asked for, or of another epoch, is not taken", async () => {
    const pair = await Pair.meet();
    const at = pair.node;
    const commit = await pair.commit();
    await pair.hear({ type: "history", at, edges: [commit] });
    await pair.hear({ type: "entered", at, is: "ended", knockKeys: [] });
    await pair.hear({ type: "history", at: commit.next, edges: [commit] });
    expect(pair.place.startsWith("1 ")).toBe(true);
  });

  test("that takes this member out without its doing makes it come back; by a host, ends the call", async () => {
    const pair = await Pair.meet();
    await pair.order(await pair.commit({ remove: [1] }));
    expect(pair.notes()).toEqual(["resync: this member was removed"]);

    const other = await Pair.meet();
    await other.order(await other.commit({ remove: [1], newLink: true }));
    expect(other.last).toEqual({ type: "refused", why: "removed" });
    const count = other.said.length;
    await other.tell({ type: "send", to: "all", body: utf8("x") });
    await other.advance(60_000);
    expect(other.said).toHaveLength(count);
  });
});

describe("the server's word", () => {
  test("that nobody is in a group, or that another group is there, changes nothing for who is with others", async () => {
    const pair = await Pair.meet();
    const { place } = pair;
    await pair.hear({ type: "alone" });
    for (let i = 0; i < 9; i += 1) await pair.hear({ type: "groups", tips: [{ at: "A".repeat(43), sessions: 40 }] });
    await pair.hear({ type: "entered", at: "A".repeat(43), is: "ended", knockKeys: [] });
    await pair.advance(0);
    expect([pair.place, pair.notes(), pair.sent("fetch")]).toEqual([place, [], []]);
    expect(pair.sent("request-keys")).toEqual([]);
  });

  test("that a commit was refused counts for the one that is on its way, and makes the member ask where it stands", async () => {
    const pair = await Pair.meet();
    const { node } = pair;
    const other = "A".repeat(43);
    await pair.hear({ type: "refused", at: node, successors: [other] });
    await pair.relay(ALL, { type: "bye" });
    await pair.advance(500);
    expect([pair.notes(), pair.sent("commit").length]).toEqual([[], 1]);
    const asked = () => pair.sent("enter").length;
    const before = asked();
    await pair.hear({ type: "refused", at: other, successors: [other] });
    await pair.advance(1_000);
    expect([pair.notes(), asked()]).toEqual([[], before]);
    await pair.hear({ type: "refused", at: node, successors: [other] });
    await pair.advance(999);
    expect([pair.notes(), asked()]).toEqual([["commit-lost: epoch 1"], before]);
    await pair.advance(1);
    expect(asked()).toBe(before + 1);
    // The server does not know that it stands here.
    await pair.hear({ type: "refused", at: node, successors: [] });
    expect(asked()).toBe(before + 2);
  });

  test("that a commit was refused is no cause to ask if the winner's comes", async () => {
    const pair = await Pair.meet();
    await pair.relay(ALL, { type: "bye" });
    await pair.advance(500);
    expect(pair.sent("commit")).toHaveLength(1);
    await pair.hear({ type: "refused", at: pair.node, successors: ["A".repeat(43)] });
    await pair.order(await pair.commit());
    const asked = pair.sent("enter").length;
    await pair.advance(1_000);
    expect([pair.place, pair.sent("enter").length]).toEqual([pair.peerPlace, asked]);
  });

  test("of a welcome counts while this member asks to be let in, and when it verifies", async () => {
    const pair = await Pair.meet();
    const { place } = pair;
    await pair.hear({ type: "welcomed", from: PEER, body: random(100) });
    expect([pair.place, pair.notes()]).toEqual([place, ["bad-welcome: not asked for"]]);
    await pair.tell({ type: "rejoin" });
    await pair.hear({ type: "welcomed", from: PEER, body: random(100) });
    expect([pair.place, pair.notes()]).toEqual([
      place,
      ["bad-welcome: not asked for", "resync: media does not open", "bad-welcome: does not verify"],
    ]);
  });
});

describe("a knock", () => {
  test("that cannot be read is noted, with whom it came from", async () => {
    const pair = await Pair.meet();
    const knock = await knockAt(pair.peer, await newMembership(link));
    const strangers = await knockAt(pair.peer, await newMembership(random(32)));
    await pair.hear({ ...knock, from: "X", body: random(100) });
    await pair.hear({ ...strangers, from: "Y" });
    await pair.hear({ ...knock, from: "Z", at: "A".repeat(43) });
    expect(pair.notes()).toEqual(["bad-knock: X", "bad-knock: Y", "stale: Z"]);
  });

  test("that comes again is nobody's: it neither brings back who has left nor seats again who is here", async () => {
    const pair = await Pair.meet();
    const knock = await knockAt(pair.peer, await newMembership(link));
    await pair.hear(knock);
    await pair.advance(2_000);
    const [commit] = pair.sent("commit");
    expect(commit?.welcome?.to).toEqual(["S"]);
    await pair.hear({ ...commit!, type: "ordered", from: OWN });
    expect(pair.place.startsWith("2 ")).toBe(true);
    await pair.advance(6_000);
    await pair.hear(knock);
    await pair.advance(2_000);
    expect(pair.notes()).toEqual(["replayed: S"]);
    expect(pair.sent("commit").filter(({ at }) => at === pair.node)).toEqual([]);
  });

  test("in a room that is not open is answered by the first connected member", async () => {
    for (const [mode, answer] of [
      ["waiting", "waiting"],
      ["locked", "turned-away"],
    ] as const) {
      const pair = await Pair.meet();
      await pair.order(await pair.commit({ room: { ...pair.peer.room, mode } }));
      const stranger = await newMembership(link);
      const knock = async (own: OwnKeyPackage) => {
        await pair.hear(await knockAt(pair.peer, stranger, { own }));
      };
      await knock(await makeKeyPackage(stranger));
      expect(pair.sent("answer")).toEqual([]);
      await pair.relay(ALL, { type: "hello", member: PEER });
      await pair.hear({ type: "presence", member: PEER, is: "away" });
      const own = await makeKeyPackage(stranger);
      await knock(own);
      const [sent] = pair.sent("answer");
      expect(sent?.to).toBe("S");
      const leafKey = own.publicPackage.leafNode.signaturePublicKey;
      expect(await openAnswer(link, stranger.room, leafKey, sent!.body)).toBe(answer);
    }
  });
});

test("alone there is nothing to be taken in again to, and nobody to say anything to", async () => {
  const said: FromMember[] = [];
  const clock = new ManualClock();
  const member = new Member(await newMembership(link), clock, (message) => void said.push(message));
  await member.receive({ type: "room", event: { type: "alone" } });
  await member.receive({ type: "rejoin" });
  await member.receive({ type: "send", to: "all", body: utf8("x"), receipt: 4 });
  clock.advance(milli(10_000));
  await member.receive({ type: "reachable", leaf: 0, up: true });
  expect(said.map(({ type }) => type)).toEqual(["to-room", "members", "delivered"]);
  await member.receive({ type: "leave" });
  expect(said.at(-1)).toEqual({ type: "left" });
});

test("the base key of an epoch is told with its leaf and those of all members, and is not extractable", async () => {
  const pair = await Pair.meet({ layers: 2 });
  const keys = pair.news.find((news) => news.type === "epoch");
  expect(keys).toMatchObject({ epoch: 1, leaf: 1, leaves: [0, 1], outerKey: expect.any(Uint8Array) });
  expect(keys?.type === "epoch" && keys.baseKey.extractable).toBe(false);
  expect(keys?.type === "epoch" && keys.outerKey?.length).toBe(32);
});

test("alone it knocks at a larger group, at one of a lower node, and at one that stays; its own goes on meanwhile", async () => {
  const [low, high] = ["-".repeat(43), "z".repeat(43)];
  for (const [tips, times] of [
    [[{ at: high, sessions: 2 }], 1],
    [[{ at: low, sessions: 1 }], 1],
    [[{ at: high, sessions: 1 }], 4],
  ] as const) {
    const said: FromMember[] = [];
    const clock = new ManualClock();
    const member = new Member(await newMembership(link), clock, (message) => void said.push(message));
    const requests = () =>
      said.filter((message) => message.type === "to-room" && message.message.type === "request-keys").length;
    const hear = async (event: FromRoom) => {
      await member.receive({ type: "room", event });
      clock.advance(milli(0));
      await member.receive(NOTHING);
    };
    await hear({ type: "alone" });
    const token = said.flatMap((m) => (m.type === "to-room" && m.message.type === "enter" ? [m.message.token] : []))[0];
    const own = { at: nodeOf(token!), sessions: 1 };
    for (let i = 1; i < times; i += 1) await hear({ type: "groups", tips: [own, ...tips] });
    expect(requests()).toBe(0);
    await hear({ type: "groups", tips: [own, ...tips] });
    expect(requests()).toBe(1);
    clock.advance(milli(40_000));
    await member.receive(NOTHING);
    expect(said.some(({ type }) => type === "refused")).toBe(false);
  }
});

test("to a member that is in no group, what is of one means nothing", async () => {
  const said: FromMember[] = [];
  const member = new Member(await newMembership(link), new ManualClock(), (message) => void said.push(message));
  const pair = await Pair.meet();
  const body = await pair.peer.seal(encodePlaintext(ALL, { type: "bye" }));
  const events: FromRoom[] = [
    { type: "entered", at: "A".repeat(43), is: "ended", knockKeys: [] },
    { type: "groups", tips: [{ at: "A".repeat(43), sessions: 2 }] },
    await knockAt(pair.peer, await newMembership(link)),
    await knockKeysOf(pair.peer, pair.founder, link),
    { type: "ordered", from: PEER, at: "A".repeat(43), next: "B".repeat(43), body },
    { type: "refused", at: "A".repeat(43), successors: [] },
    { type: "history", at: "A".repeat(43), edges: [{ next: "B".repeat(43), body }] },
    { type: "relayed", from: PEER, body },
    { type: "welcomed", from: PEER, body },
    { type: "presence", member: PEER, is: "gone" },
  ];
  for (const event of events) await member.receive({ type: "room", event });
  await member.receive({ type: "remove", identity: "nobody" });
  await member.receive({ type: "mode", mode: "locked" });
  await member.receive({ type: "reachable", leaf: 0, up: true });
  await member.receive({ type: "admit", seat: "S", yes: true });
  await member.receive({ type: "rejoin" });
  await member.receive({ type: "send", to: "someone", body: utf8("x") });
  expect(said).toEqual([{ type: "dropped", what: "bad-welcome", detail: "not asked for" }]);
});

test("a commit that is due just when the member learns that others follow is not made", async () => {
  const pair = await Pair.meet();
  await pair.advance(1000);
  const { node: at } = pair;
  const body = await pair.peer.seal(encodePlaintext(ALL, { type: "bye" }));
  await pair.member.receive({ type: "room", event: { type: "relayed", from: PEER, body } });
  const learned = pair.member.receive({ type: "room", event: { type: "entered", at, is: "ended", knockKeys: [] } });
  await pair.advance(0);
  await learned;
  expect(pair.sent("commit")).toEqual([]);
});

describe("a member that is behind", () => {
  const ended = (pair: Pair) => pair.hear({ type: "entered", at: pair.node, is: "ended", knockKeys: [] });

  test("asks for the commits that follow once, and not when a commit took it out", async () => {
    const pair = await Pair.meet();
    await ended(pair);
    await ended(pair);
    expect(pair.sent("fetch")).toHaveLength(1);
    const out = await Pair.meet();
    await out.order(await out.commit({ remove: [1] }));
    await ended(out);
    expect(out.sent("fetch")).toEqual([]);
  });

  test("greets the others when it has come to the end, and not on its way", async () => {
    const pair = await Pair.meet();
    await pair.follow(await pair.commit());
    const before = pair.sent("relay").length;
    await pair.follow(await pair.commit());
    expect(pair.sent("relay")).toHaveLength(before);
    await pair.hear({ type: "entered", at: pair.node, is: "tip", knockKeys: [] });
    expect(pair.sent("relay")).toHaveLength(before + 1);
  });

  test("asks once where it stands, however much comes of a later epoch, and not when it comes there meanwhile", async () => {
    const pair = await Pair.meet();
    const [token, commit] = [pair.token, await pair.commit()];
    const asked = () => pair.sent("enter").length;
    const before = asked();
    for (let i = 0; i < 3; i += 1) await pair.relay(ALL, { type: "hello", member: PEER });
    await pair.advance(1000);
    expect([asked(), pair.token]).toEqual([before + 1, token]);
    await pair.advance(1000);
    expect(asked()).toBe(before + 1);
    await pair.relay(ALL, { type: "hello", member: PEER });
    const { at, next, body } = commit;
    const taken = pair.member.receive({ type: "room", event: { type: "ordered", from: PEER, at, next, body } });
    pair.clock.advance(milli(1000));
    await taken;
    await pair.settle();
    expect(asked()).toBe(before + 2);
  });
});

test("a socket is let in by proof of the link, and hears of the doors that removals closed", async () => {
  const pair = await Pair.meet();
  const proven = async (nonce: string) => {
    const before = pair.said.length;
    await pair.hear({ type: "challenge", nonce });
    await pair.hear({ type: "joined", member: OWN, resumed: false });
    const toRoom = pair.said.slice(before).flatMap((message) => (message.type === "to-room" ? [message.message] : []));
    return toRoom.filter(({ type }) => type === "join" || type === "listen");
  };
  const challenge = { nonce: toBase64url(random(32)), host: "localhost" };
  const former = await DoorKey.of(link, ROOM);
  expect(await proven(challenge.nonce)).toEqual([
    { type: "join", nonce: challenge.nonce, ...(await former.prove("join", challenge)) },
  ]);
  await pair.order(await pair.commit({ remove: [], newLink: false }));
  const third = await makeKeyPackage(await newMembership(link));
  await pair.order(await pair.commit({ add: [third.publicPackage] }));
  await pair.order(await pair.commit({ remove: [2], newLink: true }));
  const later = await DoorKey.of(await pair.peer.laterLinkSecret(), ROOM);
  expect(await proven(challenge.nonce)).toEqual([
    { type: "join", nonce: challenge.nonce, ...(await later.prove("join", challenge)) },
    { type: "listen", ...(await former.prove("listen", challenge)) },
  ]);
});
