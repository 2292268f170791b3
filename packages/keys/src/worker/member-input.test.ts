import { fromHex, toHex, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { encodeKeyPackage } from "ts-mls/keyPackage.js";
import { describe, expect, test } from "vitest";
import type { FromKeys, FromRoom, KeyNews, RoomMode, ToRoom } from "../shared/messages.ts";
import { makeKeyPackage } from "./key-package.ts";
import { openAnswer, sealKnock } from "./knock.ts";
import { Member } from "./member.ts";
import { data, link, OWN, Pair, PEER } from "./pair.cases.ts";
import { ALL, encodePlaintext, MAX_BODY } from "./plaintext.ts";
import { NOTHING, newMembership } from "./room.cases.ts";
import type { OwnKeyPackage } from "./welcome.ts";

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
    await pair.hear({ type: "joined", member: OWN, founder: false, resumed: true, head: null });
    const again = pair.sent("relay").slice(before.length + 1);
    expect(again.map(({ body }) => toHex(body))).toEqual([toHex(late.body)]);
    expect(pair.notes()).toEqual([]);
  });

  test("is not sent again in a new session of the server's, in which its epoch may be over", async () => {
    const pair = await Pair.meet();
    const count = new Set(pair.sent("relay").map(({ body }) => toHex(body))).size;
    await pair.hear({ type: "joined", member: OWN, founder: false, resumed: false, head: null });
    const all = pair.sent("relay").map(({ body }) => toHex(body));
    expect(all.length).toBeGreaterThan(count);
    expect(new Set(all).size).toBe(all.length);
    // Nor is it taken for somebody else's where it comes late.
    await pair.hear({ type: "relayed", from: OWN, body: pair.sent("relay")[0]!.body });
    expect(pair.notes()).toEqual([]);
  });

  test("that is too long is not sent, nor one for nobody", async () => {
    const pair = await Pair.meet();
    const before = pair.sent("relay").length;
    await pair.tell({ type: "send", to: "all", body: new Uint8Array(MAX_BODY + 1) });
    expect(pair.notes()).toEqual(["unsent: too long"]);
    await pair.tell({ type: "send", to: "somebody", body: utf8("x") });
    expect([pair.sent("relay").length, pair.notes().length]).toEqual([before, 1]);
    await pair.tell({ type: "send", to: pair.peer.members[0]!.occupancy, body: new Uint8Array(MAX_BODY) });
    expect(pair.sent("relay")).toHaveLength(before + 1);
  });

  test("that is one too many for somebody who acknowledges none is noted", async () => {
    const pair = await Pair.meet();
    const { occupancy } = pair.peer.members[0]!;
    for (let i = 0; i < 512; i += 1) void pair.member.receive({ type: "send", to: occupancy, body: utf8("x") });
    await pair.settle();
    expect(pair.notes()).toEqual([]);
    await pair.tell({ type: "send", to: occupancy, body: utf8("x") });
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
  test("of an epoch that is over is dropped; of one to come makes the member fetch what lies between", async () => {
    const pair = await Pair.meet();
    const [first, second] = [await pair.commit(), await pair.commit()];
    await pair.order(second);
    expect(pair.sent("fetch")).toEqual([{ type: "fetch", epoch: 1 }]);
    await pair.order(first);
    expect(pair.place.startsWith("2 ")).toBe(true);
    await pair.hear({ type: "history", commits: [first, second] });
    expect(pair.place).toBe(`3 ${toHex(pair.peer.authenticator)}`);
    await pair.order(first);
    expect([pair.notes(), pair.sent("skip"), pair.sent("fetch").length]).toEqual([["stale: commit"], [], 1]);
  });

  test("that does not hold is skipped by its number, and the next one counts", async () => {
    const pair = await Pair.meet();
    const sound = await pair.commit();
    await pair.order({ epoch: 1, body: sound.body.map((byte, i) => (i === sound.body.length - 1 ? byte ^ 1 : byte)) });
    expect(pair.notes()).toEqual(["invalid-commit: invalid"]);
    expect(pair.sent("skip")).toEqual([{ type: "skip", seq: 1 }]);
    await pair.order(sound);
    expect(pair.place).toBe(`2 ${toHex(pair.peer.authenticator)}`);
  });

  test("that was fetched and does not hold makes the member ask to be taken in anew", async () => {
    const pair = await Pair.meet();
    const [first, second] = [await pair.commit(), await pair.commit()];
    await pair.order(second);
    await pair.hear({ type: "history", commits: [{ ...first, body: random(50) }, second] });
    expect(pair.notes()).toEqual(["invalid-commit: malformed", "resync: a fetched commit was refused"]);
    expect(pair.sent("knock")).toHaveLength(1);
    await pair.advance(5_000);
    expect(pair.sent("knock")).toHaveLength(2);
    await pair.letIn([1]);
    expect(pair.place).toBe(`4 ${toHex(pair.peer.authenticator)}`);
  });

  test("that is asked for and does not come, or not from where it is needed, makes it ask as well", async () => {
    const silent = await Pair.meet();
    await silent.commit();
    await silent.order(await silent.commit());
    await silent.advance(2_999);
    expect(silent.notes()).toEqual([]);
    await silent.advance(1);
    expect(silent.notes()).toEqual(["resync: no history came"]);

    const short = await Pair.meet();
    await short.commit();
    const second = await short.commit();
    await short.order(second);
    await short.hear({ type: "history", commits: [second] });
    expect(short.notes()).toEqual(["resync: the history does not reach back far enough"]);
    expect(short.place.startsWith("1 ")).toBe(true);
  });

  test("that is not all there is to fetch leads on to the next", async () => {
    const pair = await Pair.meet();
    const [first, second, third] = [await pair.commit(), await pair.commit(), await pair.commit()];
    await pair.order(third);
    await pair.hear({ type: "history", commits: [first] });
    expect(pair.sent("fetch").map(({ epoch }) => epoch)).toEqual([1, 2]);
    await pair.hear({ type: "history", commits: [second, third] });
    expect([pair.place, pair.notes()]).toEqual([`4 ${toHex(pair.peer.authenticator)}`, []]);
  });

  test("that was fetched and ends the call is the last", async () => {
    const pair = await Pair.meet();
    const removal = await pair.commit({ remove: [1], newLink: true });
    await pair.order(await pair.commit());
    await pair.hear({ type: "history", commits: [removal] });
    expect([pair.last, pair.notes()]).toEqual([{ type: "refused", why: "removed" }, []]);
  });

  test("of before this member was taken in anew is offered to no server", async () => {
    const pair = await Pair.meet();
    await pair.order(await pair.commit());
    await pair.tell({ type: "rejoin" });
    await pair.advance(5_000);
    await pair.letIn([1]);
    expect(pair.place.startsWith("3 ")).toBe(true);
    await pair.hear({ type: "joined", member: OWN, founder: false, resumed: false, head: null });
    expect(pair.sent("restock")).toEqual([]);
  });

  test("of a history that nobody asked for is not taken", async () => {
    const pair = await Pair.meet();
    await pair.hear({ type: "history", commits: [await pair.commit()] });
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
  test("that another branch is ahead, or where this member is, makes it ask to be taken in anew", async () => {
    const pair = await Pair.meet();
    const authenticator = fromHex(pair.place.split(" ")[1] ?? "");
    const joined = { type: "joined", member: OWN, founder: false, resumed: false } as const;
    for (const head of [
      { epoch: 1, authenticator },
      { epoch: 1, authenticator: null },
      { epoch: 0, authenticator: random(64) },
      null,
    ])
      await pair.hear({ ...joined, head });
    expect([pair.notes(), pair.sent("fetch")]).toEqual([[], []]);
    await pair.hear({ ...joined, head: { epoch: 1, authenticator: random(64) } });
    expect(pair.notes()).toEqual(["resync: the group went another way"]);
    const ahead = await Pair.meet();
    await ahead.hear({ ...joined, head: { epoch: 2, authenticator: null } });
    expect(ahead.sent("fetch")).toEqual([{ type: "fetch", epoch: 1 }]);
  });

  test("to found or to yield changes nothing for who is with others", async () => {
    const pair = await Pair.meet();
    const { place } = pair;
    await pair.hear({ type: "found" });
    await pair.hear({ type: "yield" });
    await pair.hear({ type: "joined", member: OWN, founder: true, resumed: true, head: null });
    expect(pair.place).toBe(place);
    expect(pair.sent("knock")).toHaveLength(1);
  });

  test("that a commit was refused counts for the one that is on its way", async () => {
    const pair = await Pair.meet();
    await pair.hear({ type: "refused", epoch: 1, head: { epoch: 5, authenticator: null } });
    await pair.advance(5_000);
    expect([pair.notes(), pair.sent("fetch")]).toEqual([[], []]);
    await pair.relay(ALL, { type: "bye" });
    expect(pair.sent("commit")).toHaveLength(1);
    await pair.hear({ type: "refused", epoch: 0, head: { epoch: 2, authenticator: null } });
    await pair.hear({ type: "refused", epoch: 1, head: null });
    await pair.advance(1_000);
    expect([pair.notes(), pair.sent("fetch")]).toEqual([["commit-lost: epoch 1"], []]);
    await pair.hear({ type: "refused", epoch: 1, head: { epoch: 1, authenticator: null } });
    await pair.advance(1_000);
    expect(pair.sent("fetch")).toEqual([]);
    await pair.hear({ type: "refused", epoch: 1, head: { epoch: 2, authenticator: null } });
    await pair.advance(999);
    expect(pair.sent("fetch")).toEqual([]);
    await pair.advance(1);
    expect(pair.sent("fetch")).toEqual([{ type: "fetch", epoch: 1 }]);
  });

  test("that a commit was refused is no cause to fetch if the winner's comes", async () => {
    const pair = await Pair.meet();
    await pair.relay(ALL, { type: "bye" });
    await pair.advance(500);
    expect(pair.sent("commit")).toHaveLength(1);
    await pair.hear({ type: "refused", epoch: 1, head: { epoch: 2, authenticator: null } });
    await pair.order(await pair.commit());
    await pair.advance(1_000);
    expect([pair.place.split(" ")[0], pair.sent("fetch")]).toEqual(["2", []]);
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
    await pair.hear({ type: "knocked", from: "X", body: random(100) });
    const { room, seconds } = await newMembership(link);
    await pair.hear({ type: "knocked", from: "Y", body: await sealKnock(link, room, seconds(), random(100)) });
    expect(pair.notes()).toEqual(["bad-knock: X", "bad-knock: Y"]);
  });

  test("that comes again is nobody's: it neither brings back who has left nor seats anew who is here", async () => {
    const pair = await Pair.meet();
    const stranger = await newMembership(link);
    const application = encodeKeyPackage((await makeKeyPackage(stranger)).publicPackage);
    const body = await sealKnock(link, stranger.room, stranger.seconds(), application);
    await pair.hear({ type: "knocked", from: "S", body });
    await pair.advance(2_000);
    const [commit] = pair.sent("commit");
    expect(commit?.welcome?.to).toEqual(["S"]);
    await pair.order(commit!);
    expect(pair.place.startsWith("2 ")).toBe(true);
    await pair.advance(6_000);
    await pair.hear({ type: "knocked", from: "S", body });
    await pair.advance(2_000);
    expect(pair.notes()).toEqual(["replayed: S"]);
    expect(pair.sent("commit").filter(({ epoch }) => epoch > 1)).toEqual([]);
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
        const body = await sealKnock(link, stranger.room, stranger.seconds(), encodeKeyPackage(own.publicPackage));
        await pair.hear({ type: "knocked", from: "S", body });
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

test("alone there is nothing to be taken in anew to, and nobody to say anything to", async () => {
  const said: FromKeys[] = [];
  const clock = new ManualClock();
  const member = new Member(await newMembership(link), clock, (message) => void said.push(message));
  await member.receive({
    type: "room",
    event: { type: "joined", member: OWN, founder: true, resumed: false, head: null },
  });
  await member.receive({ type: "rejoin" });
  await member.receive({ type: "send", to: "all", body: utf8("x"), receipt: 4 });
  clock.advance(milli(10_000));
  await member.receive({ type: "reachable", leaf: 0, up: true });
  expect(said.map(({ type }) => type)).toEqual(["head", "members", "delivered"]);
  await member.receive({ type: "leave" });
  expect(said.at(-1)).toEqual({ type: "left" });
});

test("the base key of an epoch is told with its leaf, and is not extractable", async () => {
  const pair = await Pair.meet({ layers: 2 });
  const keys = pair.news.find((news) => news.type === "epoch");
  expect(keys).toMatchObject({ epoch: 1, leaf: 1, outerKey: expect.any(Uint8Array) });
  expect(keys?.type === "epoch" && keys.baseKey.extractable).toBe(false);
  expect(keys?.type === "epoch" && keys.outerKey?.length).toBe(32);
});

test("alone it yields to a live group that comes back: it is nowhere, has no keys, and knocks", async () => {
  const said: FromKeys[] = [];
  const news: KeyNews[] = [];
  const clock = new ManualClock();
  const member = new Member(await newMembership(link), clock, (message) => void said.push(message));
  const port = { postMessage: (item: KeyNews) => void news.push(item) };
  await member.receive({ type: "media", port: port as unknown as MessagePort });
  const joined = { type: "joined", member: OWN, founder: true, resumed: false, head: null } as const;
  await member.receive({ type: "room", event: joined });
  await member.receive({ type: "room", event: { type: "yield" } });
  expect(said.at(-1)).toEqual({ type: "head", head: null });
  expect(news.map((item) => `${item.type} ${"epoch" in item && item.epoch}`)).toEqual(["epoch 0", "send 0", "drop 0"]);
  clock.advance(milli(0));
  await member.receive({ type: "reachable", leaf: 0, up: true });
  expect(said.at(-1)).toMatchObject({ type: "to-room", message: { type: "knock" } });
});

test("to a member that is in no group, what is of one means nothing", async () => {
  const said: FromKeys[] = [];
  const member = new Member(await newMembership(link), new ManualClock(), (message) => void said.push(message));
  const stranger = await newMembership(link);
  const application = encodeKeyPackage((await makeKeyPackage(stranger)).publicPackage);
  const knock = await sealKnock(link, stranger.room, stranger.seconds(), application);
  const pair = await Pair.meet();
  const body = await pair.peer.seal(encodePlaintext(ALL, { type: "bye" }));
  const events: FromRoom[] = [
    { type: "yield" },
    { type: "knocked", from: "S", body: knock },
    { type: "ordered", seq: 1, from: PEER, epoch: 0, body },
    { type: "refused", epoch: 0, head: null },
    { type: "history", commits: [{ epoch: 0, body }] },
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
  await member.receive({ type: "send", to: "somebody", body: utf8("x") });
  expect(said).toEqual([{ type: "dropped", what: "bad-welcome", detail: "not asked for" }]);
});

test.each([
  ["is behind", { type: "room", event: { type: "ordered", seq: 1, from: PEER, epoch: 5, body: random(9) } }],
  ["asks to be taken in anew", { type: "rejoin" }],
] as const)("a commit that is due just when the member %s is not made", async (_, news) => {
  const pair = await Pair.meet();
  const body = await pair.peer.seal(encodePlaintext(ALL, { type: "bye" }));
  await pair.member.receive({ type: "room", event: { type: "relayed", from: PEER, body } });
  const learned = pair.member.receive(news);
  await pair.advance(0);
  await learned;
  expect(pair.sent("commit")).toEqual([]);
});

test("what it yielded is over: its commit does not go again, and no commit of it is offered to the server", async () => {
  const said: FromKeys[] = [];
  const clock = new ManualClock();
  const member = new Member(await newMembership(link), clock, (message) => void said.push(message));
  const hear = (event: FromRoom) => member.receive({ type: "room", event });
  const sent = (type: ToRoom["type"]) =>
    said.flatMap((message) => (message.type === "to-room" && message.message.type === type ? [message.message] : []));
  const change = async (mode: RoomMode) => {
    await member.receive({ type: "mode", mode });
    clock.advance(milli(0));
    await member.receive(NOTHING);
    const commit = sent("commit").at(-1);
    return commit?.type === "commit" ? commit : expect.unreachable();
  };
  const joined = { type: "joined", member: OWN, founder: true, resumed: false, head: null } as const;
  await hear(joined);
  const { epoch, body } = await change("locked");
  await hear({ type: "ordered", seq: 1, from: OWN, epoch, body });
  await change("waiting");
  await hear({ type: "yield" });
  clock.advance(milli(10_000));
  await member.receive(NOTHING);
  expect(sent("commit")).toHaveLength(2);
  await hear({ type: "found" });
  await hear({ ...joined, founder: false });
  expect([sent("restock"), sent("commit").length]).toEqual([[], 2]);
});
