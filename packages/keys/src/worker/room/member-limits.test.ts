import { utf8 } from "@sealcast/bytes";
import { describe, expect, test, vi } from "vitest";
import { LEAF_MESSAGES } from "../../shared/messages.ts";
import { Group } from "../mls/group.ts";
import { ALL, encodePlaintext, type MessageContent } from "../plaintext.ts";
import { data, OWN, Pair, PEER } from "./pair.cases.ts";

test("a message of an epoch to come waits for it, 256 of them; after a second the server is asked", {
  timeout: 20_000,
}, async () => {
  const pair = await Pair.meet();
  const commit = await pair.commit();
  for (let i = 0; i < 256; i += 1) await pair.relay(ALL, data(i, 2, `${i}`, i === 0 ? 1 : 2));
  expect([pair.received, pair.notes()]).toEqual([[], []]);
  await pair.relay(ALL, data(256, 2, "256", 2));
  expect(pair.notes()).toEqual(["bad-message: too many of a future epoch"]);
  await pair.advance(999);
  const asked = pair.sent("enter").length;
  await pair.advance(1);
  expect(pair.sent("enter")).toHaveLength(asked + 1);
  await pair.follow(commit);
  expect(pair.place).toBe(pair.peerPlace);
  // The first to all since this member came is the one after which no earlier epoch comes.
  expect(pair.received).toHaveLength(0);
  await pair.relay(ALL, data(0, 2, "again", 0));
  expect(pair.received).toEqual(["again"]);
  // There is room for others to wait.
  await pair.commit();
  await pair.relay(ALL, data(1, 3, "early", 2));
  expect(pair.notes()).toHaveLength(1);
});

test("a new session of the server's is answered with the commits that this member took", {
  timeout: 20_000,
}, async () => {
  const pair = await Pair.meet();
  const commits = [];
  for (let i = 0; i < 17; i += 1) {
    commits.push(await pair.commit());
    await pair.order(commits[i]!);
  }
  for (const resumed of [true, false]) {
    expect(pair.sent("restock")).toEqual([]);
    await pair.hear({ type: "joined", member: OWN, resumed });
    await pair.hear({ type: "entered", at: pair.node, is: "new", knockKeys: [] });
  }
  const taken = commits.slice(1).map(({ token, next, body }) => ({ type: "restock", token, next, body }));
  expect(pair.sent("restock")).toEqual(taken);
});

describe("a member of a changed app", () => {
  test("that greets by another name each time is answered once a second", async () => {
    const pair = await Pair.meet();
    await pair.relay(ALL, { type: "hello", member: PEER });
    const before = pair.sent("relay").length;
    const answers = () => pair.sent("relay").length - before;
    for (let i = 0; i < 40; i += 1) await pair.relay(ALL, { type: "hello", member: `${i % 2}`.repeat(22) });
    expect(answers(), "the first at once").toBe(1);
    await pair.advance(999);
    expect(answers()).toBe(1);
    await pair.advance(1);
    expect(answers(), "all others as one").toBe(2);
    await pair.advance(3_000);
    expect(answers()).toBe(2);
  });

  test("that says one message again and again is told seldom that it is there", async () => {
    const pair = await Pair.meet();
    const before = pair.sent("relay").length;
    for (let i = 0; i < 200; i += 1) {
      await pair.relay(ALL, data(0, 1, "one"));
      await pair.advance(50);
    }
    expect(pair.received).toEqual(["one"]);
    expect(pair.sent("relay").length - before).toBeLessThanOrEqual(30);
  });

  test("that says more than a leaf may, of whatever kind, is left out past that, and the page hears of it once", {
    timeout: 60_000,
  }, async () => {
    const pair = await Pair.meet();
    const { burst, perSecond } = LEAF_MESSAGES;
    const { leafKeyId } = pair.peer.members[0]!;
    const floods = () => pair.said.filter(({ type }) => type === "flood");
    const say = async (times: number, to: number, content: MessageContent) => {
      const bodies: Uint8Array[] = [];
      for (let i = 0; i < times; i += 1) bodies.push(await pair.peer.seal(encodePlaintext(to, content)));
      for (const body of bodies)
        void pair.member.receive({ type: "room", event: { type: "relayed", from: PEER, body } });
      await pair.settle();
    };
    await say(9, 2, { type: "ack", direct: 0, all: 0 });
    await say(burst, 1, { type: "ack", direct: 0, all: 0 });
    expect(floods(), "what is for others does not count").toEqual([]);
    await say(2, ALL, data(0, 1, "too much"));
    expect([pair.received, floods()]).toEqual([[], [{ type: "flood", from: leafKeyId }]]);
    await pair.advance(1_000);
    await say(2 * perSecond, ALL, data(0, 1, "again"));
    expect([pair.received, floods().length]).toEqual([["again"], 1]);
  });

  test("that begins with the last number there is breaks nothing: it is no message", async () => {
    const pair = await Pair.meet();
    await pair.relay(ALL, data(0xffff_ffff, 1, "last"));
    await pair.advance(50);
    expect([pair.received, pair.notes()]).toEqual([[], ["bad-message: malformed content"]]);
    const before = pair.sent("relay").length;
    await pair.relay(ALL, data(0xffff_fffe, 1, "last but one"));
    await pair.advance(50);
    await pair.relay(ALL, data(0xffff_ffff, 1, "last", 1));
    await pair.advance(50);
    expect([pair.received, pair.sent("relay").length]).toEqual([["last but one"], before + 1]);
  });
});

test("what cannot be sealed takes nothing with it that waits behind it", async () => {
  const pair = await Pair.meet();
  await pair.tell({ type: "send", to: "all", body: utf8("x") });
  await pair.hear({ type: "joined", member: OWN, resumed: false });
  const before = pair.sent("relay").length;
  const seal = vi.spyOn(Group.prototype, "seal").mockRejectedValueOnce(new Error("a bug"));
  // A greeting, and then what the other has not acknowledged.
  await expect(pair.hear({ type: "entered", at: pair.node, is: "tip", knockKeys: [] })).rejects.toThrow("a bug");
  await pair.settle();
  expect(pair.sent("relay")).toHaveLength(before + 1);
  seal.mockRestore();
});
