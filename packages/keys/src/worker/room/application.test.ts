import { toHex } from "@sealcast/bytes";
import { random, Secret } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, describe, expect, test } from "vitest";
import type { Membership } from "../mls/key-package.ts";
import { Application } from "./application.ts";
import { sealHandover } from "./handover.ts";
import { knockKeysOf, readKnock } from "./knock.cases.ts";
import { type Answer, sealAnswer } from "./knock.ts";
import { newMembership } from "./room.cases.ts";
import type { ToRoom } from "./wire.ts";

const membership = await newMembership(random(32));
const EVERY = milli(3000);
const epochOf = (letter: string) => ({ place: { token: "", node: letter.repeat(43) }, externalSecret: random(64) });
const [here, there] = [epochOf("A"), epochOf("B")];

let clock: ManualClock;
let application: Application;
let sent: ToRoom[];
let heard: string[];
/** Of the epoch that the member is in. */
let node: string | null;
/** The work at hand, as a member's queue has it. */
let work: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  [sent, heard, work] = [[], [], Promise.resolve()];
  node = null;
  application = make(membership);
});

function make(membership: Membership): Application {
  return new Application({
    membership,
    clock,
    later: (delay, task) =>
      clock.after(delay, () => {
        work = work.then(task);
      }),
    toRoom: (message) => void sent.push(message),
    answered: (is) => void heard.push(is),
    ended: (why) => void heard.push(`ended: ${why}`),
    node: () => node,
  });
}

async function advance(ms: number): Promise<void> {
  clock.advance(milli(ms));
  await work;
}

const knocks = () => sent.filter((message) => message.type === "knock");
const requests = () => sent.flatMap((message) => (message.type === "request-keys" ? [message.all] : []));

/** The server names these epochs, with knock keys under the link that this member has. */
async function offer(...epochs: (typeof here)[]): Promise<void> {
  const given = await Promise.all(
    epochs.map((epoch) => knockKeysOf(epoch, membership, membership.linkSecret.reveal())),
  );
  await application.offered(given.flatMap(({ tips }) => tips));
}

/** Time passes, and every request is answered so. */
async function pass(ms: number, ...epochs: (typeof here)[]): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) {
    await advance(Math.min(left, 1000));
    await offer(...epochs);
  }
}

function newestLeafKey(): Uint8Array {
  return application.packages.at(-1)?.publicPackage.leafNode.signaturePublicKey ?? new Uint8Array();
}

function answer(said: Answer, leafKey = newestLeafKey()): Promise<Uint8Array> {
  return sealAnswer(membership.linkSecret.reveal(), membership.room, leafKey, said);
}

test("knocks as soon as it knows where, asks again at every interval, and has a fresh key package each time", async () => {
  expect(application.isOpen).toBe(false);
  await offer(here);
  application.start(EVERY);
  expect([application.isOpen, sent]).toEqual([true, []]);
  await advance(0);
  expect(sent).toEqual([{ type: "request-keys", all: false }]);
  await offer(here);
  expect([knocks().length, application.packages.length]).toEqual([1, 1]);
  await offer(here);
  await advance(2_999);
  expect([knocks().length, requests().length]).toEqual([1, 1]);
  await advance(1);
  await offer(here);
  expect([knocks().length, requests().length]).toEqual([2, 2]);
  const keys = application.packages.map(({ publicPackage }) => toHex(publicPackage.leafNode.signaturePublicKey));
  expect(new Set(keys).size).toBe(2);
  const read = await readKnock(here, membership, knocks()[1] ?? expect.unreachable());
  expect(read).toMatchObject({ name: "Ada" });
  expect(toHex(read!.keyPackage.leafNode.signaturePublicKey)).toBe(keys[1]);
});

test("of several keys of an epoch each has its turn: a member can give the server a wrong one", async () => {
  const link = membership.linkSecret.reveal();
  const wrong = { ...here, externalSecret: random(64) };
  const elsewhere = await knockKeysOf({ ...here, externalSecret: random(64) }, membership, random(32));
  const [first, second] = [await knockKeysOf(wrong, membership, link), await knockKeysOf(here, membership, link)];
  const tips = [...elsewhere.tips, ...first.tips, ...second.tips];
  application.start(EVERY, { isOffered: true });
  const readers = [];
  for (let asked = 0; asked < 4; asked += 1) {
    await application.offered(tips);
    const knock = knocks().at(-1) ?? expect.unreachable();
    readers.push([await readKnock(wrong, membership, knock), await readKnock(here, membership, knock)]);
    await advance(EVERY);
  }
  expect(knocks()).toHaveLength(4);
  expect(readers.map((read) => read.findIndex((applicant) => applicant !== null))).toEqual([0, 1, 0, 1]);
});

test("where the server offers keys by itself, does not ask until the interval has passed", async () => {
  await application.prepare();
  application.start(EVERY, { isOffered: true });
  await offer(here);
  expect([knocks().length, requests()]).toEqual([1, []]);
  await advance(2_999);
  expect(requests()).toEqual([]);
  await advance(1);
  expect(requests()).toEqual([false]);
});

test("asks twice for the oldest group's keys and then for all, and knocks at every epoch that is offered under its link", async () => {
  application.start(EVERY);
  for (const all of [false, false, true]) {
    await advance(requests().length === 0 ? 0 : 3_000);
    expect(requests().at(-1)).toBe(all);
  }
  const { tips } = await knockKeysOf(epochOf("C"), membership, random(32));
  await application.offered([
    ...(await knockKeysOf(here, membership, membership.linkSecret.reveal())).tips,
    ...tips,
    ...(await knockKeysOf(there, membership, random(32), membership.linkSecret.reveal())).tips,
  ]);
  expect(knocks().map(({ at }) => at)).toEqual([here.place.node, there.place.node]);
  const [first, second] = application.packages;
  expect(first).not.toBe(second);
});

test("hopes to be let in until no epoch that is named can be knocked at by its link", async () => {
  expect(application.isHopeful).toBe(false);
  application.start(EVERY);
  await advance(0);
  expect(application.isHopeful).toBe(true);
  await application.offered((await knockKeysOf(here, membership, random(32))).tips);
  expect(application.isHopeful).toBe(false);
  await advance(3_000);
  await offer(there);
  expect(application.isHopeful).toBe(true);
});

test("leaving its branch, asks for all groups at once and does not knock where it is", async () => {
  node = here.place.node;
  application.start(EVERY, { isLeaving: true });
  await advance(0);
  await offer(here, there);
  expect([requests(), knocks().map(({ at }) => at)]).toEqual([[true], [there.place.node]]);
  application.restart(true);
  await offer(here);
  await advance(3_000);
  expect([requests(), knocks().length]).toEqual([[true, true], 1]);
});

test("a key that is none, as anyone with the link can offer, keeps it from no other epoch", async () => {
  application.start(EVERY, { isOffered: true });
  const none = random(64);
  const link = membership.linkSecret.reveal();
  const { suite } = membership;
  const hpke = { ...suite.hpke, exportPublicKey: async () => none };
  const { tips } = await knockKeysOf(there, { ...membership, suite: { ...suite, hpke } }, link);
  await application.offered([...tips, ...(await knockKeysOf(here, membership, link)).tips]);
  expect(knocks().map(({ at }) => at)).toEqual([here.place.node]);
});

test("knows the last 64 key packages, and the leaf keys of 128", async () => {
  application.start(milli(1));
  const keys: string[] = [];
  for (let i = 0; i < 130; i += 1) {
    await advance(i === 0 ? 0 : 1);
    await offer(here);
    keys.push(toHex(newestLeafKey()));
  }
  expect(application.packages.map(({ publicPackage }) => toHex(publicPackage.leafNode.signaturePublicKey))).toEqual(
    keys.slice(-64),
  );
  expect(keys.map((key) => application.isOurs(key))).toEqual(keys.map((_, i) => i >= 2));
  application.close();
  expect([application.packages, application.isOurs(keys[129]!)]).toEqual([[], true]);
});

test("opened again soon, waits until the interval has passed since it last asked", async () => {
  application.start(EVERY);
  await advance(0);
  application.close();
  await advance(1_000);
  application.start(EVERY);
  await advance(1_999);
  expect(requests()).toHaveLength(1);
  await advance(1);
  expect(requests()).toHaveLength(2);
  application.start(milli(500));
  await advance(500);
  expect(requests()).toHaveLength(3);
});

test("starts over when the way to the room was interrupted, with all its patience, if it is open", async () => {
  application.restart(false);
  await advance(60_000);
  expect([sent, heard]).toEqual([[], []]);
  application.start(EVERY);
  await advance(1_000);
  await offer(here);
  application.restart(false);
  expect(application.packages).toEqual([]);
  await advance(0);
  expect(requests()).toHaveLength(2);
  application.restart(true);
  await offer(here);
  expect([requests().length, knocks().length]).toEqual([2, 2]);
  await advance(29_999);
  expect(heard).toEqual([]);
  await advance(1);
  expect(heard).toEqual(["ended: not-admitted"]);
});

test("gives up after 30 s, or after 10 minutes once a host has to decide", async () => {
  application.start(EVERY);
  await advance(29_999);
  expect(heard).toEqual([]);
  await advance(1);
  expect(heard).toEqual(["ended: not-admitted"]);
  heard = [];
  application.start(EVERY, { isOffered: true });
  await offer(here);
  await advance(20_000);
  await application.answered(await answer("waiting"));
  expect(heard).toEqual(["waiting"]);
  clock.advance(milli(599_999));
  expect(heard).toEqual(["waiting"]);
  await advance(1);
  expect(heard).toEqual(["waiting", "ended: not-admitted"]);
});

test("in a group of its own, waits for no host's decision", async () => {
  node = "N".repeat(43);
  application.start(EVERY, { isOffered: true });
  await offer(here);
  await application.answered(await answer("waiting"));
  await advance(30_000);
  expect(heard).toEqual(["waiting", "ended: not-admitted"]);
});

test("closed, knocks no more and gives up no more", async () => {
  application.start(EVERY, { isOffered: true });
  await offer(here);
  const late = await answer("waiting");
  application.close();
  expect(application.isOpen).toBe(false);
  await application.answered(late);
  await offer(here);
  await advance(700_000);
  expect([sent.length, heard]).toEqual([1, []]);
});

test("closed while a request waits in the queue, does not ask", async () => {
  application.start(EVERY);
  clock.advance(milli(0));
  application.close();
  await work;
  expect([sent, application.packages]).toEqual([[], []]);
});

test("hears an answer to any of its knocks, and none to another's", async () => {
  application.start(EVERY, { isOffered: true });
  await offer(here);
  const first = newestLeafKey();
  await pass(3_000, here);
  await application.answered(await answer("waiting", random(32)));
  await application.answered(random(50));
  expect(heard).toEqual([]);
  await application.answered(await answer("waiting", first));
  await application.answered(await answer("waiting"));
  expect(heard).toEqual(["waiting", "waiting"]);
});

describe("turned away", () => {
  test("it asks for all groups at once, and ends where there is no other", async () => {
    application.start(EVERY, { isOffered: true });
    await offer(here);
    await application.answered(await answer("turned-away"));
    expect([heard, requests()]).toEqual([[], [true]]);
    await offer(here);
    expect([heard, knocks().length]).toEqual([["ended: turned-away"], 1]);
  });

  test("by one group only, it goes on knocking at the others until its patience ends, and says so", async () => {
    application.start(EVERY, { isOffered: true });
    await offer(here);
    await application.answered(await answer("turned-away"));
    await offer(here, there);
    expect([heard, knocks().map(({ at }) => at)]).toEqual([["turned-away"], [here.place.node, there.place.node]]);
    await pass(29_000, here, there);
    expect(new Set(heard)).toEqual(new Set(["turned-away"]));
    expect(
      new Set(
        knocks()
          .slice(1)
          .map(({ at }) => at),
      ),
    ).toEqual(new Set([there.place.node]));
    await advance(1_000);
    expect(heard.at(-1)).toBe("ended: turned-away");
  });

  test("by one group while a host of another decides, it waits for that one", async () => {
    application.start(EVERY, { isOffered: true });
    await offer(here);
    await application.answered(await answer("waiting"));
    await pass(6_000, here, there);
    expect(knocks().at(-1)).toMatchObject({ at: there.place.node });
    await application.answered(await answer("turned-away"));
    await pass(40_000, here, there);
    expect(new Set(heard)).toEqual(new Set(["waiting"]));
  });

  test("by a host, it hears no member who says that a host has to decide", async () => {
    application.start(EVERY, { isOffered: true });
    await offer(here);
    await application.answered(await answer("turned-away"));
    await application.answered(await answer("waiting"));
    await offer(here);
    expect(heard).toEqual(["ended: turned-away"]);
  });

  test("it is not while nothing is there to knock at, and knocks again where another epoch is", async () => {
    application.start(EVERY, { isOffered: true });
    await offer(here);
    await application.answered(await answer("turned-away"));
    await offer();
    expect(heard).toEqual([]);
    await pass(3_000, there);
    expect([heard, knocks().at(-1)]).toMatchObject([[], { at: there.place.node }]);
  });
});

test("handed links, goes on under its own, and keeps the last four until it is closed; what cannot be opened is none", async () => {
  const mine = await newMembership(random(32));
  const old = mine.linkSecret.reveal();
  application = make(mine);
  application.start(EVERY, { isOffered: true });
  const offerHere = async () => application.offered((await knockKeysOf(here, mine, old)).tips);
  await offerHere();
  const own = application.packages[0] ?? expect.unreachable();
  const { signaturePublicKey } = own.publicPackage.leafNode;
  const hand = async (link: Uint8Array) =>
    application.answered(await sealAnswer(old, mine.room, signaturePublicKey, { link }));
  await hand(random(80));
  expect(application.handed).toEqual([]);
  const givers = await Promise.all(Array.from({ length: 5 }, () => newMembership(random(32))));
  await hand(await sealHandover(givers[0]!, own.publicPackage));
  const [first] = application.handed;
  for (const giver of givers.slice(1)) await hand(await sealHandover(giver, own.publicPackage));
  const last = [...application.handed];
  expect(last.map((link) => link.reveal())).toEqual(givers.slice(1).map(({ linkSecret }) => linkSecret.reveal()));
  expect(() => first?.reveal()).toThrow();
  await advance(3_000);
  await offerHere();
  const under = { ...mine, linkSecret: new Secret(old.slice()) };
  expect(await readKnock(here, under, knocks()[1] ?? expect.unreachable())).not.toBeNull();
  application.close();
  expect(application.handed).toEqual([]);
  for (const link of last) expect(() => link.reveal()).toThrow();
  expect(mine.linkSecret.reveal()).toEqual(old);
});
