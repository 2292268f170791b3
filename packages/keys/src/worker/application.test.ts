import { toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test } from "vitest";
import { Application } from "./application.ts";
import { sealHandover } from "./handover.ts";
import { type Membership, readApplication } from "./key-package.ts";
import { type Answer, openKnock, sealAnswer } from "./knock.ts";
import { newMembership } from "./room.cases.ts";

const membership = await newMembership(random(32));
const EVERY = milli(3000);

let clock: ManualClock;
let application: Application;
let knocks: Uint8Array[];
let heard: string[];
/** The work at hand, as a member's queue has it. */
let work: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  [knocks, heard, work] = [[], [], Promise.resolve()];
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
    knock: (body) => void knocks.push(body),
    waiting: () => void heard.push("waiting"),
    turnedAway: () => void heard.push("turned away"),
    expired: () => void heard.push("expired"),
  });
}

async function advance(ms: number): Promise<void> {
  clock.advance(milli(ms));
  await work;
}

function newestLeafKey(): Uint8Array {
  return application.packages.at(-1)?.publicPackage.leafNode.signaturePublicKey ?? new Uint8Array();
}

function answer(said: Answer, leafKey = newestLeafKey()): Promise<Uint8Array> {
  return sealAnswer(membership.linkSecret.reveal(), membership.room, leafKey, said);
}

test("knocks at once and then at every interval, each time with a fresh key package", async () => {
  expect(application.isOpen).toBe(false);
  application.start(EVERY);
  expect([application.isOpen, knocks]).toEqual([true, []]);
  await advance(0);
  expect([knocks.length, application.packages.length]).toEqual([1, 1]);
  await advance(2_999);
  expect(knocks).toHaveLength(1);
  await advance(1);
  expect(knocks).toHaveLength(2);
  const keys = application.packages.map(({ publicPackage }) => toHex(publicPackage.leafNode.signaturePublicKey));
  expect(new Set(keys).size).toBe(2);
  const { linkSecret, room, seconds } = membership;
  const opened = await openKnock(linkSecret.reveal(), room, seconds(), knocks[1]!);
  const read = await readApplication(membership, opened!);
  expect(read).toMatchObject({ name: "Ada" });
  expect(toHex(read!.keyPackage.leafNode.signaturePublicKey)).toBe(keys[1]);
});

test("knows the last 12 key packages, and the leaf keys of 24", async () => {
  application.start(milli(1));
  const keys: string[] = [];
  for (let i = 0; i < 26; i += 1) {
    await advance(i === 0 ? 0 : 1);
    keys.push(toHex(newestLeafKey()));
  }
  expect(application.packages.map(({ publicPackage }) => toHex(publicPackage.leafNode.signaturePublicKey))).toEqual(
    keys.slice(-12),
  );
  expect(keys.map((key) => application.isOurs(key))).toEqual(keys.map((_, i) => i >= 2));
  application.close();
  expect([application.packages, application.isOurs(keys[25]!)]).toEqual([[], true]);
});

test("opened again soon, waits until the interval has passed since its last knock", async () => {
  application.start(EVERY);
  await advance(0);
  application.close();
  await advance(1_000);
  application.start(EVERY);
  await advance(1_999);
  expect(knocks).toHaveLength(1);
  await advance(1);
  expect(knocks).toHaveLength(2);
  application.start(milli(500));
  await advance(500);
  expect(knocks).toHaveLength(3);
});

test("starts over when the way to the room was interrupted, with all its patience, if it is open", async () => {
  application.restart();
  await advance(60_000);
  expect([knocks, heard]).toEqual([[], []]);
  application.start(EVERY);
  await advance(1_000);
  await advance(0);
  application.restart();
  expect(application.packages).toEqual([]);
  await advance(0);
  expect(knocks).toHaveLength(2);
  await advance(29_999);
  expect(heard).toEqual([]);
  await advance(1);
  expect(heard).toEqual(["expired"]);
});

test("gives up after 30 s, or after 10 minutes once a host has to decide", async () => {
  application.start(EVERY);
  await advance(29_999);
  expect(heard).toEqual([]);
  await advance(1);
  expect(heard).toEqual(["expired"]);
  heard = [];
  application.start(EVERY);
  await advance(20_000);
  await application.answered(await answer("waiting"));
  expect(heard).toEqual(["waiting"]);
  clock.advance(milli(599_999));
  expect(heard).toEqual(["waiting"]);
  await advance(1);
  expect(heard).toEqual(["waiting", "expired"]);
});

test("closed, knocks no more and gives up no more", async () => {
  application.start(EVERY);
  await advance(0);
  const late = await answer("waiting");
  application.close();
  expect(application.isOpen).toBe(false);
  await application.answered(late);
  await advance(700_000);
  expect([knocks.length, heard]).toEqual([1, []]);
});

test("closed while a knock waits in the queue, does not knock", async () => {
  application.start(EVERY);
  clock.advance(milli(0));
  application.close();
  await work;
  expect([knocks, application.packages]).toEqual([[], []]);
});

test("hears an answer to any of its knocks, and none to another's", async () => {
  application.start(EVERY);
  await advance(0);
  const first = newestLeafKey();
  await advance(3_000);
  await application.answered(await answer("turned-away", random(32)));
  await application.answered(random(50));
  expect(heard).toEqual([]);
  await application.answered(await answer("turned-away", first));
  await application.answered(await answer("turned-away"));
  await application.answered(await answer("waiting", first));
  expect(heard).toEqual(["turned away", "turned away", "waiting"]);
});

test("handed links, goes on under its own, and keeps the last four until it is closed; what cannot be opened is none", async () => {
  const mine = await newMembership(random(32));
  const old = mine.linkSecret.reveal();
  application = make(mine);
  application.start(EVERY);
  await advance(0);
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
  expect(await openKnock(old, mine.room, mine.seconds(), knocks[1]!)).not.toBeNull();
  application.close();
  expect(application.handed).toEqual([]);
  for (const link of last) expect(() => link.reveal()).toThrow();
  expect(mine.linkSecret.reveal()).toEqual(old);
});
