import { toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { milli } from "@sealcast/time";
import { beforeEach, expect, test } from "vitest";
import { parseLiveLink } from "../../shared/live-link.ts";
import { newIdentity } from "../room/room.cases.ts";
import { type Claim, LIVE_TYPES } from "./ask.ts";
import type { Rotation } from "./channel.ts";
import { newViewerKey } from "./hpke.ts";
import { Guest, Stage, type TestHost } from "./live.cases.ts";

/** Guests without our code, who have the link. */

const pair = newViewerKey();
let stage: Stage;
let host: TestHost;
let secret: Uint8Array;
beforeEach(async () => {
  stage = new Stage();
  host = await stage.open();
  secret = await linkOf(host);
});

async function linkOf({ room, fragment }: TestHost): Promise<Uint8Array> {
  const link = await parseLiveLink(room, fragment);
  return link.ok ? link.secret : expect.unreachable("a damaged link");
}

/** One that has proved its answer, and what it was given. */
async function admitted(): Promise<{ guest: Guest; keys: Rotation }> {
  const guest = new Guest(stage, pair);
  await guest.ask(secret);
  return { guest, keys: await guest.prove() };
}

const remove = (guest: Guest) => host.keys.receive({ type: "remove", viewers: [guest.session] });
const gone = (guest: Guest) =>
  host.keys.receive({ type: "room", event: { type: "viewer", viewer: guest.session, is: "gone" } });
const decide = ({ session: viewer }: Guest, yes: boolean) => host.keys.receive({ type: "admit", viewer, yes });
const by = (id: Uint8Array): Claim => ({ kind: "resume", resumeId: id });
/** How the host's page sees them by now. */
const shown = async (guest: Guest) => {
  await stage.advance(100);
  return host.viewers.get(guest.session);
};
const isDismissed = ({ session }: Guest) =>
  host.said.some((m) => m.type === "to-room" && m.message.type === "dismiss" && m.message.viewers.includes(session));
const gotKeys = ({ came }: Guest) => came.includes(LIVE_TYPES.record);

test("of twenty resume secrets that a guest has hoarded, none readmits after its removal", async () => {
  const hoard: Rotation["resume"][] = [];
  for (let i = 0; i < 10; i += 1) {
    const { guest, keys } = await admitted();
    hoard.push(keys.resume);
    if (i < 9) await gone(guest);
    else {
      for (let more = 0; more < 10; more += 1) {
        await stage.advance(2_000);
        await guest.ask(secret);
        hoard.push((await guest.prove()).resume);
      }
      await remove(guest);
    }
  }
  expect(new Set(hoard.map(({ id }) => toHex(id))).size, "ids of ten sessions").toBe(10);
  const back: string[] = [];
  for (const { id, secret: resume } of hoard) {
    const guest = new Guest(stage, pair);
    await guest.ask(resume, by(id));
    await stage.advance(100);
    if (guest.came.includes(LIVE_TYPES.answer)) back.push(guest.session);
  }
  expect(back).toEqual([]);
});

test("who stays is given another secret with the removal, and comes back by it without a question", async () => {
  const [stays, goes] = [await admitted(), await admitted()];
  await remove(goes.guest);
  await stage.advance(100);
  await stays.guest.listen();
  const fresh = stays.guest.heard.findLast((content) => content.type === "rotation") ?? expect.unreachable();
  expect([fresh.removal, fresh.resume.id]).toEqual([true, stays.keys.resume.id]);
  expect(fresh.resume.secret).not.toEqual(stays.keys.resume.secret);
  await gone(stays.guest);
  const again = new Guest(stage, pair);
  await again.ask(fresh.resume.secret, by(fresh.resume.id));
  expect((await again.prove()).resume).toEqual(fresh.resume);
});

/** A host whose next signature waits until `finish`. */
async function slowHost() {
  const identity = await newIdentity();
  const gate = { isAsked: false, isSlow: false, finish: (): void => undefined };
  const open = new Promise<void>((done) => {
    gate.finish = done;
  });
  const sign = async (message: Uint8Array) => {
    if (gate.isSlow) {
      gate.isAsked = true;
      await open;
    }
    return identity.sign(message);
  };
  host = await stage.open({ publicKey: identity.publicKey, sign });
  secret = await linkOf(host);
  return gate;
}

test("an ask that is being answered during a removal is judged again", async () => {
  const gate = await slowHost();
  const { guest: goes } = await admitted();
  gate.isSlow = true;
  const guest = new Guest(stage, pair);
  const asked = guest.ask(secret);
  await stage.until(() => gate.isAsked);
  const removed = remove(goes);
  gate.finish();
  await Promise.all([asked, removed]);
  expect(await shown(guest)).toBe("waiting");
  expect(guest.came).toEqual([LIVE_TYPES.word]);
});

test("an answer that was put by and not opened before a removal is worth nothing after it", async () => {
  const { guest: goes } = await admitted();
  const guest = new Guest(stage, pair);
  await guest.ask(secret);
  const channel = await guest.open();
  await remove(goes);
  expect(await shown(guest)).toBe("gone");
  await channel.acknowledge();
  await stage.advance(100);
  expect(gotKeys(guest)).toBe(false);
  await gone(guest);
  await guest.askAgain();
  expect(await shown(guest)).toBe("waiting");
});

test("who does not prove that they opened the answer is listed, gets no key, and is gone after 10 s", async () => {
  const guest = new Guest(stage, pair);
  const since = stage.clock.now();
  await guest.ask(secret);
  expect(await shown(guest)).toBe("answered");
  for (let again = 0; again < 3; again += 1) {
    await guest.ask(secret);
    await guest.open();
  }
  const dismissal = { type: "to-room", message: { type: "dismiss", viewers: [guest.session] } };
  stage.clock.advance(milli(since + 9_999 - stage.clock.now()));
  expect(host.said).not.toContainEqual(dismissal);
  stage.clock.advance(milli(1));
  expect(host.said).toContainEqual(dismissal);
  expect(await shown(guest)).toBe("gone");
  expect(gotKeys(guest)).toBe(false);
});

test("who has the key, asks once more and proves nothing is not gone: the host sees that they have it, and can remove them", async () => {
  const { guest } = await admitted();
  await guest.ask(secret);
  await guest.open();
  await stage.advance(11_000);
  expect(host.said).toContainEqual({ type: "to-room", message: { type: "dismiss", viewers: [guest.session] } });
  expect(await shown(guest)).toBe("departed");
  const { rotation } = host;
  await remove(guest);
  expect([await shown(guest), host.rotation]).toEqual(["gone", rotation + 1]);
});

test("who proves it stays", async () => {
  const { guest } = await admitted();
  await stage.advance(11_000);
  expect(host.viewers.get(guest.session)).toBe("watching");
});

test("no rotation goes to a guest before their proof, and the host removes them before it as after", async () => {
  const stays = (await admitted()).guest;
  await stage.advance(200);
  stage.clock.advance(milli(9 * 60_000 + 55_000));
  const [guest, { rotation }] = [new Guest(stage, pair), host];
  await guest.ask(secret);
  const opened = await guest.open();
  await host.keys.receive({ type: "send", to: guest.session, body: random(4) });
  await stage.advance(6_000);
  expect(host.rotation).toBe(rotation + 1);
  await guest.listen();
  expect(guest.heard.map(({ type }) => type)).toEqual(["message"]);
  await remove(guest);
  await stage.advance(200);
  await guest.listen();
  await opened.acknowledge();
  await stage.advance(200);
  expect(guest.heard.map(({ type }) => type)).toEqual(["message", "farewell"]);
  expect([host.viewers.get(guest.session), host.viewers.get(stays.session)]).toEqual(["gone", "watching"]);
});

test("of twelve guests who never prove anything nobody is left after 10 s, and others come in meanwhile", async () => {
  const guests = Array.from({ length: 12 }, () => new Guest(stage, pair));
  for (const guest of guests) await guest.ask(secret);
  const viewer = await stage.admitted();
  await stage.advance(10_200);
  expect(guests.map(({ session }) => host.viewers.get(session))).toEqual(Array(12).fill("gone"));
  expect(host.viewers.get(viewer.session)).toBe("watching");
});

test("a session that asks without end gets few answers, and none once it is to end", async () => {
  const { guest } = await admitted();
  const answers = () => guest.came.filter((type) => type === LIVE_TYPES.answer).length;
  for (let i = 0; i < 40; i += 1) {
    await guest.ask(secret);
    await guest.askAgain();
    await stage.advance(50);
  }
  expect(answers()).toBeGreaterThan(3);
  expect(answers()).toBeLessThan(7);
  await stage.advance(11_000);
  expect(isDismissed(guest)).toBe(true);
  const before = answers();
  await guest.ask(secret);
  await stage.advance(1_000);
  expect(answers()).toBe(before);
});

test("a proof has its ten seconds from when the answer left, however long that waited behind those to others", async () => {
  const others = [await stage.admitted(), await stage.admitted()];
  for (let i = 0; i < 80; i += 1)
    await host.keys.receive({ type: "send", to: others[i % 2]?.session ?? "", body: random(40_000) });
  await stage.advance(50);
  for (let i = 0; i < 220; i += 1) await new Guest(stage, pair).ask(secret);
  const guest = new Guest(stage, pair);
  const asked = stage.clock.now();
  await guest.ask(secret);
  await stage.until(() => guest.came.includes(LIVE_TYPES.answer));
  expect(stage.clock.now() - asked).toBeGreaterThan(1_000);
  await stage.advance(9_900);
  expect(isDismissed(guest)).toBe(false);
  await stage.advance(300);
  expect(isDismissed(guest)).toBe(true);
});

test("of a session that asks again while its answer waits to leave, the last one goes alone", async () => {
  const other = await stage.admitted();
  for (let i = 0; i < 80; i += 1) await host.keys.receive({ type: "send", to: other.session, body: random(40_000) });
  await stage.advance(50);
  const guest = new Guest(stage, pair);
  for (let i = 0; i < 3; i += 1) await guest.ask(secret);
  expect(guest.came).toEqual([]);
  await guest.prove();
  expect(guest.came.filter((type) => type === LIVE_TYPES.answer)).toHaveLength(1);
});

/** Someone was removed, so that the link of before only knocks. */
async function replaced(): Promise<Uint8Array> {
  const former = secret;
  await remove((await admitted()).guest);
  return former;
}

async function knock(former: Uint8Array): Promise<Guest> {
  const guest = new Guest(stage, pair);
  await guest.ask(former);
  return guest;
}

test("a removal that ends a hundred sessions which proved nothing takes few messages to the server, and all of them end", async () => {
  const { guest: goes } = await admitted();
  const crowd = Array.from({ length: 100 }, () => new Guest(stage, pair));
  for (const guest of crowd) await guest.ask(secret);
  await stage.advance(100);
  const before = host.said.length;
  await remove(goes);
  await stage.advance(100);
  const messages = host.said.slice(before).filter(({ type }) => type === "to-room");
  expect(messages.length).toBeLessThan(10);
  expect([goes, ...crowd].every(isDismissed)).toBe(true);
});

test("a dismissal that was lost with the host's socket is said again, to who is still there, until the server says that they are gone", async () => {
  const [there, away, left] = [new Guest(stage, pair), new Guest(stage, pair), new Guest(stage, pair)];
  for (const guest of [there, away, left]) await guest.ask(secret);
  await stage.advance(11_000);
  expect([there, away, left].every(isDismissed)).toBe(true);
  await gone(left);
  const { guest: stays } = await admitted();
  host.said.length = 0;
  const here = [there, left, stays].map(({ session }) => session);
  await host.keys.receive({ type: "room", event: { type: "hosting", viewers: here } });
  await stage.advance(100);
  expect([there, away, left, stays].map(isDismissed)).toEqual([true, false, false, false]);
  await host.keys.receive({ type: "room", event: { type: "viewer", viewer: away.session, is: "back" } });
  await stage.advance(100);
  expect(isDismissed(away)).toBe(true);
  expect(await shown(there), "the page knows it already").toBeUndefined();
});

test("of one guest no more records are taken than an honest page sends, however often it asks, and of others as before", async () => {
  const { guest } = await admitted();
  const honest = await stage.admitted();
  const refused = () => host.said.filter((m) => m.type === "dropped" && m.what === "bad-record").length;
  const acknowledge = async (times: number) => {
    for (let i = 0; i < times; i += 1) await guest.acknowledge();
  };
  await acknowledge(120);
  expect(refused()).toBe(0);
  await guest.ask(secret);
  await guest.open();
  await acknowledge(20);
  const past = refused();
  expect(past).toBeGreaterThan(0);
  await honest.send("still heard");
  await stage.until(() => host.received.includes("still heard"));
  await stage.advance(1_000);
  await acknowledge(40);
  expect(refused() - past).toBeGreaterThanOrEqual(20);
  expect(refused() - past).toBeLessThan(30);
});

test("all that a viewer may have unacknowledged is taken at once, and once more", async () => {
  const { guest } = await admitted();
  for (let i = 0; i < 64; i += 1) await guest.tell(Uint8Array.of(i));
  await stage.advance(2_500);
  expect(host.received).toHaveLength(64);
  expect(host.said.some((m) => m.type === "dropped")).toBe(false);
});

test("a yes is overtaken by a removal that comes before the answer", async () => {
  const gate = await slowHost();
  const former = await replaced();
  secret = await linkOf(host);
  const { guest: goes } = await admitted();
  const guest = await knock(former);
  gate.isSlow = true;
  await decide(guest, true);
  await stage.until(() => gate.isAsked);
  const removed = remove(goes);
  gate.finish();
  await removed;
  await stage.until(() => guest.came.length === 2);
  expect([await shown(guest), guest.came]).toEqual(["waiting", [LIVE_TYPES.word, LIVE_TYPES.word]]);
});

test("a yes is for the ask that waited, and for no other of that session", async () => {
  const former = await replaced();
  const guest = await knock(former);
  await decide(guest, true);
  await guest.open();
  await gone(guest);
  await guest.askAgain();
  expect(await shown(guest)).toBe("waiting");
  await decide(guest, true);
  await guest.open();
  await guest.ask(former);
  expect([await shown(guest), isDismissed(guest)]).toEqual(["gone", true]);
});

test("who has the key and knocks in its session with a former link never waits: it leaves, and can be removed, however often it asks", async () => {
  const former = await replaced();
  secret = await linkOf(host);
  const { guest } = await admitted();
  for (let again = 0; again < 2; again += 1) {
    await guest.ask(former);
    expect([await shown(guest), isDismissed(guest)]).toEqual(["departed", true]);
  }
  await decide(guest, false);
  expect(await shown(guest)).toBe("departed");
  const { rotation } = host;
  await remove(guest);
  expect([await shown(guest), host.rotation]).toEqual(["gone", rotation + 1]);
});

test("who was answered and knocks with a former link before their proof is gone, and gets no key by proving", async () => {
  const former = await replaced();
  secret = await linkOf(host);
  const guest = new Guest(stage, pair);
  await guest.ask(secret);
  const channel = await guest.open();
  await guest.ask(former);
  await channel.acknowledge();
  expect([await shown(guest), isDismissed(guest), gotKeys(guest)]).toEqual(["gone", true, false]);
});

test("who knocks and then comes in by the present link waits no more: three others' no does not show them as gone", async () => {
  const former = await replaced();
  const guest = await knock(former);
  await guest.ask(await linkOf(host));
  await guest.prove();
  for (let other = 0; other < 3; other += 1) await decide(await knock(former), false);
  expect(await shown(guest)).toBe("watching");
});

test("a no holds for that session whatever it asks with, and for the resume secret that it asked with", async () => {
  const { guest: stayed, keys } = await admitted();
  await gone(stayed);
  await replaced();
  const guest = new Guest(stage, pair);
  await guest.ask(keys.resume.secret, by(keys.resume.id));
  expect(await shown(guest)).toBe("waiting");
  await decide(guest, false);
  await guest.ask(await linkOf(host));
  const again = new Guest(stage, pair);
  await again.ask(keys.resume.secret, by(keys.resume.id));
  for (const one of [guest, again]) {
    expect(await shown(one)).not.toBe("waiting");
    expect(new Set(one.came)).toEqual(new Set([LIVE_TYPES.word]));
  }
});

test("after three who came by one former link were turned away no other is asked about, and those who wait are gone", async () => {
  const former = await replaced();
  const guests = [await knock(former), await knock(former), await knock(former), await knock(former)];
  for (const guest of guests.slice(0, 2)) await decide(guest, false);
  const another = await knock(former);
  expect(await shown(another)).toBe("waiting");
  await decide(guests[2] ?? expect.unreachable(), false);
  for (const guest of [...guests, another]) expect(await shown(guest)).toBe("gone");
  const late = await knock(former);
  expect(await shown(late)).toBeUndefined();
  expect(late.came).toEqual([LIVE_TYPES.word]);
  // Who has the present link comes in, and who has the next former one is asked about.
  secret = await linkOf(host);
  await admitted();
  expect(await shown(await knock(await replaced()))).toBe("waiting");
});

test("the server's word that a viewer is gone is told apart from the host's own", async () => {
  const [left, dismissed, waits] = [(await admitted()).guest, (await admitted()).guest, await replaced()];
  const waiting = await knock(waits);
  for (const guest of [left, waiting]) await gone(guest);
  await remove(dismissed);
  expect([await shown(left), await shown(dismissed), await shown(waiting)]).toEqual(["left", "gone", "gone"]);
});

/** What one viewer gets while the host speaks and rotates, and meanwhile whatever `others` do. */
async function receivedBy(others: (step: number) => Promise<void>): Promise<unknown[]> {
  stage = new Stage();
  host = await stage.open();
  secret = await linkOf(host);
  const rotationAtFirst = host.rotation;
  await others(0);
  const { guest } = await admitted();
  await guest.acknowledge();
  const arrives = async (what: () => Promise<unknown>) => {
    const before = guest.bodies.length;
    await what();
    await stage.until(() => guest.bodies.length > before);
    await guest.acknowledge();
  };
  for (let step = 1; step <= 4; step += 1) {
    await others(step);
    if (step === 3) await arrives(async () => stage.clock.advance(milli(10 * 60_000)));
    const body = new Uint8Array(100 * step).fill(step);
    const toAll = [...host.viewers.keys()].map((to) => ({ type: "send", to, body }) as const);
    await arrives(() => Promise.all(toAll.map((message) => host.keys.receive(message))));
  }
  const said = guest.heard.map((content) =>
    content.type === "rotation"
      ? [content.rotation - rotationAtFirst, content.removal, content.floors.length, content.resume.id.length]
      : content,
  );
  // The counters of records stand in the clear.
  const bodies = guest.bodies.map((body) => [body[0], body.length, body[0] === 3 ? toHex(body.subarray(1, 9)) : ""]);
  return [...said, ...bodies];
}

test("what a viewer receives is the same alone and while others come, prove nothing, say things, knock and go", async () => {
  const alone = await receivedBy(async () => undefined);
  // An answer, two rotations and four messages, each as it was said and as it went.
  expect(alone).toHaveLength(13);
  let company: Guest[] = [];
  const inCompany = await receivedBy(async (step) => {
    if (step === 0) company = [];
    for (const guest of company.splice(0, 2)) await gone(guest);
    for (let i = 0; i < 3; i += 1) {
      const { guest } = await admitted();
      await guest.tell(random(100));
      company.push(guest);
      await new Guest(stage, pair).ask(i === 0 ? random(32) : secret);
    }
    await stage.until(() => host.said.filter(({ type }) => type === "message").length === 3 * (step + 1));
  });
  expect(inCompany).toEqual(alone);
});
