import { concat, fromHex, toHex, u32, utf8 } from "@sealcast/bytes";
import { openWithSecret, random, sealWithSecret } from "@sealcast/crypto";
import { describe, expect, test } from "vitest";
import type { Alarm } from "../../shared/messages.ts";
import type { Group } from "../mls/group.ts";
import { type Membership, makeKeyPackage } from "../mls/key-package.ts";
import { ALL, encodePlaintext } from "../plaintext.ts";
import { encodeHeartbeat, type Heartbeat, hashRoster, parseHeartbeat, verifyHeartbeat } from "./heartbeat.ts";
import { link, OWN, Pair } from "./pair.cases.ts";
import { type CommitStep, PeerCommits } from "./peer-commits.ts";
import { newMembership, ROOM } from "./room.cases.ts";

const LABEL = "Sealcast heartbeat";

/** What heartbeats of its epoch are sealed under on their way over the server. */
const secretOf = (group: Group): Promise<Uint8Array> => group.exportSecret(LABEL, 32);

type Sign = (message: Uint8Array) => Promise<Uint8Array>;

/** The peer's heartbeat as it should be, but for what differs. */
async function beat({ peer }: Pair, differs: Partial<Heartbeat> = {}, by?: Sign): Promise<Uint8Array> {
  const { epoch, authenticator, credential, members } = peer;
  const leafKey = fromHex(members.find(({ me }) => me)?.leafKeyId ?? "") ?? expect.unreachable();
  const place = { epoch, authenticator, roster: await hashRoster(members) };
  const said = { ...place, connected: true, time: 1, leafKey, credential, ...differs };
  return encodeHeartbeat(ROOM, said, by ?? ((message) => peer.sign(message)));
}

/** A leaf key that nobody's tree holds yet, with a credential for it. */
async function again(membership: Membership): Promise<{ leafKey: Uint8Array; credential: Uint8Array; sign: Sign }> {
  const { publicPackage, privatePackage } = await makeKeyPackage(membership);
  const { credential, signaturePublicKey: leafKey } = publicPackage.leafNode;
  if (credential.credentialType !== "basic") return expect.unreachable();
  const { signature } = membership.suite;
  const sign: Sign = (message) => signature.sign(privatePackage.signaturePrivateKey, message);
  return { leafKey, credential: credential.identity, sign };
}

const alarms = (pair: Pair): Alarm[] => pair.said.findLast((message) => message.type === "alarms")?.alarms ?? [];

async function ticks(pair: Pair, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await pair.advance(1000);
}

test("a heartbeat goes every 4 s to every link and, sealed, to the room: it says where this member stands", async () => {
  const pair = await Pair.meet();
  const beats = () => pair.said.flatMap((message) => (message.type === "heartbeat" ? [message.body] : []));
  await ticks(pair, 3);
  expect(beats()).toEqual([]);
  await ticks(pair, 5);
  expect(beats()).toHaveLength(2);
  const [first] = beats() as [Uint8Array];
  const said = parseHeartbeat(first) ?? expect.unreachable();
  const { authenticator, members } = pair.peer;
  const own = members.find(({ me }) => !me);
  expect(said).toMatchObject({ connected: true, epoch: 1, time: 4000, authenticator });
  expect([said.roster, toHex(said.leafKey)]).toEqual([await hashRoster(members), own?.leafKeyId]);
  expect(await verifyHeartbeat(ROOM, first, said)).toBe(true);
  const secret = await secretOf(pair.peer);
  const sealed = pair.sent("beat").map(({ body }) => {
    expect(body.subarray(0, 4)).toEqual(u32(1));
    return openWithSecret(secret, LABEL, utf8(ROOM), body.subarray(4));
  });
  expect(await Promise.all(sealed)).toEqual(beats());
});

test("it says that there is a socket while the server has spoken in the last 8 s, if only to a ping", async () => {
  const pair = await Pair.meet();
  const connected = () => {
    const last = pair.said.findLast((message) => message.type === "heartbeat");
    return parseHeartbeat(last?.body ?? new Uint8Array())?.connected;
  };
  await ticks(pair, 8);
  expect(connected()).toBe(true);
  await ticks(pair, 4);
  expect(connected()).toBe(false);
  await pair.tell({ type: "alive" });
  await ticks(pair, 4);
  expect(connected()).toBe(true);
  await pair.tell({ type: "disconnected" });
  await ticks(pair, 4);
  expect(connected()).toBe(false);
  await pair.hear({ type: "joined", member: OWN, resumed: true });
  await ticks(pair, 4);
  expect(connected()).toBe(true);
});

test("the other's is compared, however it comes, and raises an alarm at once where it disagrees", async () => {
  const leafKeyId = (pair: Pair) => pair.peer.members.find(({ me }) => me)?.leafKeyId ?? "";
  const elsewhere = { authenticator: random(64) };
  const direct = await Pair.meet();
  await direct.tell({ type: "heartbeat", from: "", body: await beat(direct) });
  expect(alarms(direct)).toEqual([]);
  await direct.tell({ type: "heartbeat", from: "", body: await beat(direct, { ...elsewhere, time: 2 }) });
  expect(alarms(direct)).toEqual([{ what: "forked", leafKeyId: leafKeyId(direct) }]);
  await direct.tell({ type: "heartbeat", from: "", body: await beat(direct, { time: 3 }) });
  expect(alarms(direct)).toEqual([]);

  const relayed = await Pair.meet();
  const body = await beat(relayed, elsewhere);
  const right = await secretOf(relayed.peer);
  const relay = async (secret: Uint8Array, room: string, epoch: number) => {
    const sealed = concat(u32(epoch), await sealWithSecret(secret, LABEL, utf8(room), body));
    await relayed.hear({ type: "heartbeat-relayed", from: "X", body: sealed });
  };
  await relay(link, ROOM, 1);
  await relay(right, "B".repeat(22), 1);
  await relay(right, ROOM, 0);
  await relay(right, ROOM, 2);
  expect(alarms(relayed)).toEqual([]);
  await relay(right, ROOM, 1);
  expect(alarms(relayed)).toEqual([{ what: "forked", leafKeyId: leafKeyId(relayed) }]);
});

test("the host's is passed on to the epoch where it says that it is elsewhere, and came past the server", async () => {
  const pair = await Pair.meet();
  const secret = await secretOf(pair.peer);
  await pair.tell({ type: "heartbeat", from: "", body: await beat(pair) });
  await ticks(pair, 4);
  expect(pair.sent("beat")).toHaveLength(1);
  const called = await beat(pair, { authenticator: random(64), time: 2 });
  await pair.tell({ type: "heartbeat", from: "", body: called });
  await ticks(pair, 4);
  const [, , passed] = pair.sent("beat").map(({ body }) => body);
  expect(passed?.subarray(0, 4)).toEqual(u32(1));
  expect(await openWithSecret(secret, LABEL, utf8(ROOM), passed!.subarray(4))).toEqual(called);

  const again = await beat(pair, { authenticator: random(64), time: 3 });
  const sealed = concat(u32(1), await sealWithSecret(secret, LABEL, utf8(ROOM), again));
  await pair.hear({ type: "heartbeat-relayed", from: "X", body: sealed });
  await ticks(pair, 4);
  expect(pair.sent("beat")).toHaveLength(4);
});

test("a host that floods its heartbeats has each member pass on one, with one of its own", async () => {
  const pair = await Pair.meet();
  for (let time = 1; time <= 50; time += 1)
    await pair.tell({ type: "heartbeat", from: "", body: await beat(pair, { authenticator: random(64), time }) });
  await ticks(pair, 8);
  expect(pair.sent("beat")).toHaveLength(3);
});

test("what the host once said with a key of before is nothing, no matter who repeats it", async () => {
  const pair = await Pair.meet();
  const ago = (seconds: bigint) => again({ ...pair.founder, seconds: () => pair.founder.seconds() - seconds });
  const elsewhere = { authenticator: random(64), epoch: 5 };
  await pair.tell({ type: "heartbeat", from: "", body: await beat(pair) });
  const { sign, ...before } = await ago(10n);
  for (const time of [10, 20, 30])
    await pair.tell({
      type: "heartbeat",
      from: "another",
      body: await beat(pair, { ...elsewhere, ...before, time }, sign),
    });
  await ticks(pair, 6);
  expect([alarms(pair), pair.sent("beat").length]).toEqual([[], 1]);
});

test("a host that says that it is elsewhere stops commits, but for that of another host by which it is removed", async () => {
  const idOf = ({ members }: Group, isPeer: boolean) => members.find(({ me }) => me === isPeer)?.identity ?? "";
  let pair = await Pair.meet();
  // The first host is the one with the lower identity.
  while (idOf(pair.peer, true) > idOf(pair.peer, false)) pair = await Pair.meet();
  const [theirs, own] = [idOf(pair.peer, true), idOf(pair.peer, false)];
  await pair.order(await pair.commit({ room: { mode: "open", hosts: [theirs, own] } }));
  await pair.tell({ type: "heartbeat", from: "", body: await beat(pair, { authenticator: random(64) }) });
  await pair.tell({ type: "mode", mode: "locked" });
  await pair.advance(500);
  expect(pair.sent("commit")).toEqual([]);
  await pair.tell({ type: "remove", identity: theirs });
  await pair.advance(500);
  expect(pair.sent("commit")).toHaveLength(1);
});

test("one that is malformed, old or signed by someone else counts for nothing", async () => {
  const pair = await Pair.meet();
  const elsewhere = { authenticator: random(64) };
  await pair.tell({ type: "heartbeat", from: "", body: random(339) });
  // One of an epoch to come may be true.
  await pair.hear({ type: "heartbeat-relayed", from: "X", body: concat(u32(2), random(100)) });
  expect(pair.notes()).toEqual([]);
  for (const body of [random(3), concat(u32(1), random(100))])
    await pair.hear({ type: "heartbeat-relayed", from: "X", body });
  const stranger = await again(await newMembership(link));
  await pair.tell({ type: "heartbeat", from: "", body: await beat(pair, elsewhere, stranger.sign) });
  const closed = "bad-heartbeat: does not open";
  expect(pair.notes()).toEqual([closed, closed, "bad-heartbeat: signature"]);
  await pair.tell({ type: "heartbeat", from: "", body: await beat(pair, { time: 5 }) });
  for (const time of [4, 5])
    await pair.tell({ type: "heartbeat", from: "", body: await beat(pair, { ...elsewhere, time }) });
  expect([alarms(pair), pair.notes().length]).toEqual([[], 3]);
});

describe("a commit that another member gives", () => {
  async function give(pair: Pair, step: CommitStep): Promise<void> {
    const bodies: Uint8Array[] = [];
    const nobody = { find: () => undefined, offered: () => undefined };
    new PeerCommits({ ...nobody, send: (_, body) => bodies.push(body) }).give("them", step);
    for (const body of bodies) await pair.tell({ type: "peer-commit", from: "the peer", body });
  }

  test("counts 2 s later where it was not asked for, and the server is told of it", async () => {
    const pair = await Pair.meet();
    const step = await pair.commit();
    await give(pair, step);
    await pair.advance(1_999);
    expect(pair.place).not.toBe(pair.peerPlace);
    await pair.advance(1);
    expect(pair.place).toBe(pair.peerPlace);
    const { token, next, body } = step;
    expect(pair.sent("restock")).toEqual([{ type: "restock", token, next, body }]);
  });

  test("counts at once where it was asked for", async () => {
    const pair = await Pair.meet();
    const step = await pair.commit();
    await pair.tell({ type: "heartbeat", from: "the peer", body: await beat(pair) });
    await pair.advance(2_000);
    expect(pair.said.some(({ type }) => type === "peer-commit")).toBe(true);
    await give(pair, step);
    expect(pair.place).toBe(pair.peerPlace);
  });

  test("counts no more once the server has given it", async () => {
    const pair = await Pair.meet();
    const [step, other] = [await pair.commit(), await pair.commit()];
    await give(pair, step);
    await give(pair, other);
    await pair.order(step);
    await pair.advance(2_000);
    expect([pair.notes(), pair.sent("restock")]).toEqual([[], []]);
  });
});

test("a flood over one link keeps nothing out that comes over another, or by the server", async () => {
  for (const way of ["link", "server"]) {
    const pair = await Pair.meet();
    const made = await beat(pair);
    for (let i = 0; i < 100; i += 1) {
      const body = made.map((byte, at) => (at === made.length - 1 ? byte ^ 1 : byte));
      await pair.member.receive({ type: "heartbeat", from: "a flood", body });
    }
    expect(pair.notes().length).toBe(64);
    const body = await beat(pair, { authenticator: random(64) });
    if (way === "link") await pair.tell({ type: "heartbeat", from: "a link", body });
    const sealed = concat(u32(1), await sealWithSecret(await secretOf(pair.peer), LABEL, utf8(ROOM), body));
    if (way === "server") await pair.hear({ type: "heartbeat-relayed", from: "X", body: sealed });
    expect(alarms(pair)).toMatchObject([{ what: "forked" }]);
  }
});

test("a key that the tree does not hold counts where its credential names someone who is here", async () => {
  const cases: [string, (pair: Pair) => Promise<Awaited<ReturnType<typeof again>>>, boolean][] = [
    ["the peer, afresh", ({ founder }) => again(founder), true],
    ["a stranger", async () => again(await newMembership(link)), false],
    ["the peer in another room", ({ founder }) => again({ ...founder, room: "B".repeat(22) }), false],
    ["the peer's key of before", async (p) => ({ ...(await again(p.founder)), credential: p.peer.credential }), false],
    [
      "nothing that is a credential",
      async ({ founder }) => ({ ...(await again(founder)), credential: random(129) }),
      false,
    ],
  ];
  for (const [name, make, counts] of cases) {
    const pair = await Pair.meet();
    const { sign, ...by } = await make(pair);
    await pair.tell({ type: "heartbeat", from: "", body: await beat(pair, { ...by, epoch: 3 }, sign) });
    for (let second = 0; second < 6; second += 1) {
      await pair.tell({ type: "alive" });
      await ticks(pair, 1);
    }
    expect(alarms(pair), name).toEqual(
      counts ? [{ what: "withheld-here", ahead: [pair.peer.members[0]?.leafKeyId] }] : [],
    );
  }
});

test("a member of the tree who is ahead makes this one ask the server where it stands, a second later", async () => {
  const pair = await Pair.meet();
  await pair.tell({ type: "heartbeat", from: "", body: await beat(pair) });
  await pair.advance(1000);
  const asked = pair.sent("enter").length;
  const commit = await pair.commit();
  await pair.tell({ type: "heartbeat", from: "", body: await beat(pair, { time: 2 }) });
  await pair.advance(999);
  expect(pair.sent("enter")).toHaveLength(asked);
  await pair.advance(1);
  expect(pair.sent("enter")).toHaveLength(asked + 1);
  await pair.follow(commit);
  expect(pair.place).toBe(pair.peerPlace);
});

test("a greeting shows that its sender holds the epoch it was sealed in", async () => {
  const pair = await Pair.meet();
  const early = await pair.peer.seal(encodePlaintext(ALL, { type: "hello", member: "P".repeat(22) }));
  await pair.order(await pair.commit());
  await pair.hear({ type: "relayed", from: "P", body: early });
  const sends = () => pair.news.flatMap((news) => (news.type === "send" ? [news.epoch] : []));
  expect(sends()).toEqual([1]);
  await pair.relay(ALL, { type: "hello", member: "P".repeat(22) });
  expect(sends()).toEqual([1, 2]);
});

test("a member that greets by a new name has a new session, and is greeted in turn", async () => {
  const pair = await Pair.meet();
  const said = () => pair.sent("relay").length;
  await pair.relay(ALL, { type: "hello", member: "P".repeat(22) });
  const before = said();
  await pair.relay(ALL, { type: "hello", member: "P".repeat(22) });
  expect(said()).toBe(before);
  await pair.relay(ALL, { type: "hello", member: "Q".repeat(22) });
  expect(said()).toBe(before + 1);
});
