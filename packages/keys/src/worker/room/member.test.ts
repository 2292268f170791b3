import { fromHex, toBase64url, toHex } from "@sealcast/bytes";
import { random, Secret } from "@sealcast/crypto";
import { milli } from "@sealcast/time";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyUpdate } from "../../shared/messages.ts";
import { DoorKey } from "../identity/door-key.ts";
import { newMembership, Person, ROOM, TestRoom } from "./room.cases.ts";
import type { FromRoom } from "./wire.ts";

const RUNS = Number(process.env.FUZZ_RUNS ?? 5);

async function roomOf(...names: string[]): Promise<{ room: TestRoom; people: Person[] }> {
  const room = new TestRoom();
  return { room, people: await room.enterAll(...names) };
}

async function two(): Promise<{ room: TestRoom; a: Person; b: Person }> {
  const room = new TestRoom();
  return { room, a: await room.enter("a"), b: await room.enter("b") };
}

async function three(): Promise<{ room: TestRoom; a: Person; b: Person; c: Person }> {
  const { room, a, b } = await two();
  return { room, a, b, c: await room.enter("c") };
}

function must<T>(value: T | null): T {
  if (value === null) throw new Error("missing");
  return value;
}

/** All are in one epoch of one group, and it has no other members. */
function expectTogether(...people: Person[]): void {
  expect(new Set(people.map(({ place }) => place)).size).toBe(1);
  for (const person of people) {
    expect(person.place).not.toBe("outside");
    expect(person.members.length, `members that ${person.name} sees`).toBe(people.length);
  }
}

function epochs(person: Person): number[] {
  return person.news.flatMap((news) => (news.type === "epoch" ? [news.epoch] : []));
}

function sending(person: Person): number | undefined {
  return person.news.findLast((news) => news.type === "send")?.epoch;
}

function hasDropped(person: Person, epoch: number): boolean {
  return person.news.some((news) => news.type === "drop" && news.epoch === epoch);
}

/** What only the holder of the same base key can derive. */
async function fingerprint(news: KeyUpdate[], epoch: number): Promise<string> {
  const found = news.findLast((item) => item.type === "epoch" && item.epoch === epoch);
  if (found?.type !== "epoch") return "none";
  expect(found.baseKey.extractable).toBe(false);
  const algorithm = { name: "HKDF", hash: "SHA-512", salt: new Uint8Array(), info: new Uint8Array() };
  return toHex(new Uint8Array(await crypto.subtle.deriveBits(algorithm, found.baseKey, 256)));
}

/** Had it the knock, it would commit in its turn, and learn from the refusal what it missed. */
function missesChanges({ type }: FromRoom): boolean {
  return type === "ordered" || type === "knocked";
}

/** Nor does it hear anything that tells of the change. */
function missesEverything(event: FromRoom): boolean {
  return missesChanges(event) || event.type === "relayed" || event.type === "heartbeat-relayed";
}

/** The same numbers from 0 to 1 on every run. */
function dice(): () => number {
  let state = 1;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
}

describe("joining", () => {
  test("people come one after the other; each gets the keys of its own time and no earlier ones", async () => {
    const { people } = await roomOf("a", "b", "c", "d");
    expectTogether(...people);
    const keys = await Promise.all(people.map(({ news }) => fingerprint(news, 3)));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).not.toBe("none");
    expect(people.map(epochs)).toEqual([[0, 1, 2, 3], [1, 2, 3], [2, 3], [3]]);
    expect(people.map(sending)).toEqual([3, 3, 3, 3]);
  });

  test("a newcomer never holds an earlier key, though messages get lost and another member never answers", async () => {
    const { room, a, b, c } = await three();
    const before = a.epoch;
    const chance = dice();
    room.ignores = (from, message) => from === c || (message.type === "relay" && chance() < 0.5);
    for (const person of [a, b]) person.loses = ({ type }) => type === "relayed" && chance() < 0.5;
    const d = await room.enter("d");
    expectTogether(a, b, c, d);
    // For half a second the others still seal under what d cannot open, and then no longer.
    expect([sending(a), sending(b), sending(d)]).toEqual([before + 1, before + 1, before + 1]);
    expect(epochs(d)).toEqual([before + 1]);
  });

  test("many at once share epochs, at most one a second", async () => {
    const { room, a } = await two();
    const before = a.epoch;
    for (const name of ["c", "d", "e", "f"]) room.connect(await room.newPerson(name));
    await room.advance(2500);
    expectTogether(...room.people);
    expect(a.epoch).toBeLessThanOrEqual(before + 2);
  });

  test("with the first leaf absent the second lets people in after 300 ms", async () => {
    const { room, a, b } = await two();
    room.ignores = (from) => from === a;
    const c = await room.newPerson("c");
    room.connect(c);
    await room.advance(250);
    expect(c.place).toBe("outside");
    await room.advance(100);
    expect(c.place).toBe(b.place);
    expectTogether(a, b, c);
  });

  test("a commit that comes second is refused, and what it wanted is done in the next epoch", async () => {
    const { room, a, b } = await two();
    room.ignores = (from, message) => from === a && message.type === "commit";
    const c = await room.newPerson("c");
    room.connect(c);
    await room.advance(350);
    room.ignores = () => false;
    const late = a.sent("commit").at(-1);
    if (late === undefined || a.session === null) throw new Error("a made no commit");
    room.take(a, late);
    await room.settle();
    // By then the winner's commit has been taken, and with it the losing one was given up.
    expectTogether(a, b, c);
    const d = await room.enter("d");
    expectTogether(a, b, c, d);
  });

  test("a refusal that comes before the winner's commit makes the loser wait, then fetch", async () => {
    const { room, a, b } = await two();
    room.ignores = (from, message) => from === a && message.type === "commit";
    a.loses = ({ type }) => type === "ordered";
    const c = await room.newPerson("c");
    room.connect(c);
    await room.advance(350);
    room.ignores = () => false;
    a.loses = () => false;
    const late = a.sent("commit").at(-1);
    if (late === undefined || a.session === null) throw new Error("a made no commit");
    room.take(a, late);
    await room.settle();
    expect(a.notes("commit-lost")).toBe(1);
    await room.advance(1500);
    expect(a.sent("fetch").length).toBe(1);
    expectTogether(a, b, c);
  });

  test("who has another link is not let in, and gives up after 30 s", async () => {
    const { room, a, b } = await two();
    const secret = random(32);
    const key = await DoorKey.of(secret, ROOM);
    // Without that, the server would have them in a room of their own.
    room.take(a, {
      type: "listen",
      ...(await key.prove("listen", { nonce: toBase64url(random(32)), host: "localhost" })),
    });
    const stranger = new Person(room, "x", { ...(await newMembership(secret)) });
    room.people.push(stranger);
    room.connect(stranger);
    await room.advance(30_100);
    expect(stranger.said.at(-1)).toEqual({ type: "refused", why: "not-admitted" });
    expect(stranger.sent("request-keys").length).toBeGreaterThan(5);
    expect(stranger.sent("knock"), "no key is offered under that link").toEqual([]);
    expectTogether(a, b);
  });

  test("a knock that reaches a member only after its knocker came in lets nobody in again", async () => {
    const { room, a, b } = await two();
    room.hasChannels = true;
    room.disconnect(a);
    const c = await room.enter("c");
    // Meanwhile its commit comes over the connection between members.
    await room.advance(8000);
    expect(a.members.length).toBe(3);
    const { epoch } = c;
    room.resume(a);
    await room.advance(3000);
    expectTogether(a, b, c);
    expect(c.epoch).toBe(epoch);
  });

  test("the next in line founds the room again when all who were in it are gone", async () => {
    const room = new TestRoom();
    const a = await room.enter("a");
    room.ignores = (_, message) => message.type === "knock";
    const b = await room.enter("b");
    expect(b.place).toBe("outside");
    room.close(a);
    await room.settle();
    expectTogether(b);
  });
});

describe("commits that are missed or wrong", () => {
  test("a missed commit is fetched once messages come from behind it", async () => {
    const { room, a, b, c } = await three();
    b.loses = missesChanges;
    const d = await room.enter("d");
    await room.advance(1000);
    expect(b.sent("fetch").length).toBe(1);
    expect(b.notes("resync")).toBe(0);
    expectTogether(a, b, c, d);
  });

  test("missed commits are fetched when the next one comes", async () => {
    const { room, a, b, c } = await three();
    b.loses = missesEverything;
    const d = await room.enter("d");
    b.loses = () => false;
    expect(b.place).not.toBe(a.place);
    const e = await room.enter("e");
    await room.advance(4000);
    expect(b.sent("fetch").length).toBe(2);
    expect(b.notes("resync")).toBe(0);
    expectTogether(a, b, c, d, e);
  });

  test("without history a member is taken in again, on the same seat", async () => {
    const { room, a, b, c } = await three();
    const seat = b.members.find(({ me }) => me);
    b.loses = missesEverything;
    const d = await room.enter("d");
    b.loses = () => false;
    room.forgetHistory();
    const e = await room.newPerson("e");
    room.connect(e);
    await room.advance(8000);
    expect(b.notes("resync")).toBe(1);
    expectTogether(a, b, c, d, e);
    const now = b.members.find(({ me }) => me);
    expect(now).toMatchObject({ identity: seat?.identity, seat: seat?.seat });
    expect(now?.leafKeyId).not.toBe(seat?.leafKeyId);
  });

  test("a restarted server is told what the members know, and who missed something learns it", async () => {
    const { room, a, b, c } = await three();
    b.loses = missesChanges;
    const d = await room.enter("d");
    b.loses = () => false;
    room.restart();
    for (const person of [a, b, c, d]) room.connect(person);
    await room.advance(1000);
    expect(b.notes("resync")).toBe(0);
    expectTogether(a, b, c, d);
    const e = await room.enter("e");
    await room.advance(31_000);
    expectTogether(a, b, c, d, e);
  });

  test("a member that does not come back after a server restart is removed", async () => {
    const { room, a, b, c } = await three();
    room.restart();
    room.people = [a, b];
    room.connect(a);
    room.connect(b);
    await room.advance(9_000);
    expect(a.members.length).toBe(3);
    await room.advance(3000);
    expectTogether(a, b);
    expect(c.place).not.toBe(a.place);
  });

  test("who founded a room alone joins the live group that comes back to it", async () => {
    const { room, a, b } = await two();
    room.restart();
    const x = await room.enter("x");
    expectTogether(x);
    room.connect(a);
    room.connect(b);
    await room.advance(6000);
    expectTogether(a, b, x);
    await room.advance(10_000);
    expect(hasDropped(x, 0)).toBe(true);
  });

  test("a commit that nobody can read is skipped, and the room goes on", async () => {
    const { room, a, b } = await two();
    if (b.session === null) throw new Error("b has no session");
    room.take(b, {
      type: "commit",
      at: b.node,
      next: toBase64url(random(32)),
      body: random(200),
      welcome: null,
      despite: [],
      door: null,
      knockKey: { key: "", tags: [] },
    });
    await room.settle();
    expect(a.notes("invalid-commit")).toBe(1);
    const c = await room.enter("c");
    expectTogether(a, b, c);
  });

  test("a commit that is answered by silence is sent again, and found to be done", async () => {
    const { room, a, b } = await two();
    a.loses = ({ type }) => type === "ordered";
    await b.member.receive({ type: "leave" });
    room.close(b);
    await room.advance(500);
    expect(a.members.length).toBe(2);
    a.loses = () => false;
    await room.advance(5000);
    expectTogether(a);
    expect(a.notes("resync")).toBe(0);
  });

  test("a commit that comes back altered is sent again after 3 s, and taken as it was", async () => {
    const { room, a, b } = await two();
    const before = a.sent("commit").length;
    a.loses = (event) => {
      if (event.type !== "ordered") return false;
      room.clock.after(
        milli(50),
        () => void a.member.receive({ type: "room", event: { ...event, body: random(100) } }),
      );
      return true;
    };
    await a.member.receive({ type: "introduce", name: "ada" });
    await room.advance(2900);
    expect([a.sent("commit").length - before, a.notes("invalid-commit")]).toEqual([1, 1]);
    a.loses = () => false;
    await room.advance(1000);
    expectTogether(a, b);
    expect(b.members.map(({ name }) => name)).toEqual(["ada", "b"]);
  });

  test("a commit on its way when the connection broke is sent again, byte for byte", async () => {
    const { room, a, b } = await two();
    room.ignores = (from, message) => from === a && message.type === "commit";
    const c = await room.newPerson("c");
    room.connect(c);
    await room.advance(50);
    room.ignores = () => false;
    room.disconnect(a);
    room.resume(a);
    await room.advance(100);
    const [first, second] = a.sent("commit").slice(-2);
    expect(second).toEqual(first);
    expectTogether(a, b, c);
  });
});

describe("leaving", () => {
  test("who leaves is removed by another, at once", async () => {
    const { room, a, b, c } = await three();
    await a.member.receive({ type: "leave" });
    expect(a.said.at(-1)).toEqual({ type: "left" });
    room.close(a);
    await room.advance(300);
    expectTogether(b, c);
  });

  test("a reload takes the same seat over, in one commit", async () => {
    const { room, a, b } = await two();
    const epoch = a.epoch;
    room.disconnect(b);
    room.people = [a];
    const again = new Person(room, "b again", b.membership);
    room.people.push(again);
    room.connect(again);
    await room.advance(1200);
    expectTogether(a, again);
    expect(a.epoch).toBe(epoch + 1);
    expect(again.members.find(({ me }) => me)?.seat).toBe(b.members.find(({ me }) => me)?.seat);
  });

  test("a second tab on the same seat ends the first, once and for all", async () => {
    const { room, a, b } = await two();
    const copy = new Person(room, "copy", b.membership);
    room.people.push(copy);
    room.connect(copy);
    await room.advance(12_000);
    expect(b.said.at(-1)).toEqual({ type: "refused", why: "replaced" });
    expectTogether(a, copy);
  });

  test("a leaf that says nothing is removed after 10 s", async () => {
    const { room, a, b } = await two();
    const ghost = await room.newPerson("ghost");
    room.ignores = (from) => from === ghost && ghost.sent("knock").length > 1;
    ghost.loses = ({ type }) => !["joined", "challenge", "knock-keys"].includes(type);
    room.connect(ghost);
    await room.advance(1200);
    expect(a.members.length).toBe(3);
    await room.advance(8500);
    expect(a.members.length).toBe(3);
    await room.advance(1000);
    expectTogether(a, b);
    expect(a.notes("stale-leaf-removed")).toBe(1);
  });

  test("who is gone is removed, unless media still comes from there", async () => {
    const { room, a, b, c } = await three();
    for (const person of [a, b]) await person.member.receive({ type: "reachable", leaf: c.leaf, up: true });
    room.disconnect(c);
    await room.advance(16_000);
    expect(a.members.length).toBe(3);
    for (const person of [a, b]) await person.member.receive({ type: "reachable", leaf: c.leaf, up: false });
    await room.advance(500);
    room.people = [a, b];
    expectTogether(a, b);
  });

  test("who was removed without having left comes back on the same seat", async () => {
    const { room, a, b, c } = await three();
    room.disconnect(c);
    await room.advance(16_000);
    expectTogether(a, b);
    room.resume(c);
    await room.advance(2500);
    expectTogether(a, b, c);
    expect(c.notes("resync")).toBe(1);
  });
});

describe("a host", () => {
  const refusal = (person: Person) => person.said.find((said) => said.type === "refused");
  const knockers = (person: Person) => person.said.findLast((said) => said.type === "knockers")?.knockers ?? [];
  const link = (person: Person) => {
    const said = person.said.findLast((message) => message.type === "link");
    return said === undefined ? null : toHex(said.secret);
  };
  const mode = (person: Person) => person.said.findLast((said) => said.type === "members")?.rules.mode;

  test("removes someone: gone at once, with a link for the others that the removed does not know", async () => {
    const { room, a, b, c } = await three();
    await a.member.receive({ type: "remove", identity: b.identity });
    await room.advance(100);
    expect(refusal(b)).toEqual({ type: "refused", why: "removed" });
    expectTogether(a, c);
    expect(link(a)).toMatch(/^[0-9a-f]{64}$/);
    expect(link(c)).toBe(link(a));
    expect(link(b)).toBeNull();
    // Senders switch within a second, and openers forget the old keys 3 s after.
    await room.advance(1000);
    expect(sending(a)).toBe(a.epoch);
    await room.advance(3000);
    expect(hasDropped(c, c.epoch - 1)).toBe(true);
  });

  test("is obeyed though another member never answers, and messages get lost", async () => {
    const { room, a, b, c } = await three();
    const random = dice();
    room.ignores = (from, message) => from === c || (message.type === "relay" && random() < 0.5);
    a.loses = ({ type }) => type === "relayed" && random() < 0.5;
    await a.member.receive({ type: "remove", identity: b.identity });
    await room.advance(100);
    expect(refusal(b)).toEqual({ type: "refused", why: "removed" });
    // With one that never answers, senders wait for their second and no longer.
    const removal = a.epoch;
    expect([sending(a), sending(c)]).toEqual([removal - 1, removal - 1]);
    await room.advance(1000);
    expect([sending(a), sending(c)]).toEqual([removal, removal]);
    expect(epochs(b)).not.toContain(removal);
    await room.advance(2000);
    for (const person of [a, c]) expect(hasDropped(person, removal - 1)).toBe(true);
  });

  test("removes someone though the commit is lost twice: nobody seals for them 5 s after", async () => {
    const { room, a, b, c } = await three();
    let lost = 0;
    room.ignores = (from, { type }) => (from === a && type === "commit" && ++lost === 1) || from === c;
    c.loses = missesEverything;
    await a.member.receive({ type: "remove", identity: b.identity });
    await room.advance(3100);
    expect(lost).toBe(2);
    const removal = a.epoch;
    c.loses = () => false;
    await room.advance(1900);
    expect(sending(a)).toBe(removal);
    expect(epochs(b)).not.toContain(removal);
  });

  test("closes the old link with it: who has the new one comes in, who has the old one waits for a host", async () => {
    const { room, a, b, c } = await three();
    await a.member.receive({ type: "remove", identity: b.identity });
    await room.advance(100);
    const old = await room.enter("old");
    expect(old.place).toBe("outside");
    const fresh = await room.enter("fresh", { linkSecret: new Secret(must(fromHex(link(a) ?? ""))) });
    expectTogether(a, c, fresh);
    expect(knockers(a)).toMatchObject([{ oldLink: true, removed: false }]);
    for (const other of [c, fresh]) expect(knockers(other)).toEqual([]);
    expect(c.notes("bad-knock"), "only hosts read old links").toBeGreaterThan(0);
    expect(old.said).toContainEqual({ type: "answered", is: "waiting" });
    await a.member.receive({ type: "admit", seat: knockers(a)[0]?.seat ?? "", yes: false });
    await room.advance(100);
    expect(refusal(old)).toEqual({ type: "refused", why: "turned-away" });
    expectTogether(a, c, fresh);
  });

  test("lets in a member of another branch that has an old link", { timeout: 20_000 }, async () => {
    const { room, a, b, c } = await three();
    // The server comes up again while each of the two has made a change that the other has not heard of.
    b.loses = ({ type }) => type === "ordered";
    await a.member.receive({ type: "remove", identity: c.identity });
    await room.advance(500);
    room.close(c);
    room.restart();
    b.loses = () => false;
    room.connect(b);
    await b.member.receive({ type: "introduce", name: "bea" });
    await room.advance(2000);
    expect([a.epoch, b.epoch, a.members.length, b.members.length]).toEqual([3, 3, 2, 3]);
    room.hasChannels = true;
    room.connect(a);
    for (let i = 0; i < 40 && a.place !== b.place; i += 1) {
      await room.advance(1000);
      for (const { seat } of knockers(a)) await a.member.receive({ type: "admit", seat, yes: true });
    }
    expect(b.notes("bad-welcome")).toBe(0);
    expectTogether(a, b);
  });

  test.for(["open", "waiting", "locked"] as const)(
    "lets in who comes with an old link: %s",
    { timeout: 20_000 },
    async (mode) => {
      const { room, a, b, c } = await three();
      await a.member.receive({ type: "remove", identity: b.identity });
      await room.advance(100);
      await a.member.receive({ type: "mode", mode });
      await room.advance(300);
      const old = await room.enter("old");
      // However long it takes.
      await room.advance(31_000);
      expect([old.place, link(old)]).toEqual(["outside", null]);
      await a.member.receive({ type: "admit", seat: knockers(a)[0]?.seat ?? "", yes: true });
      await room.advance(2500);
      expectTogether(a, c, old);
      expect(link(old)).toBe(link(a));
      expect(knockers(a)).toEqual([]);
      await old.send("all", "here");
      await room.advance(100);
      expect(c.received).toEqual(["here"]);
      // One yes is for one time.
      await old.member.receive({ type: "leave" });
      room.close(old);
      await room.advance(6000);
      const again = await room.enter("again", { ...old.membership, linkSecret: new Secret(room.secret.slice()) });
      expect(again.place).toBe("outside");
      expect(knockers(a)).toMatchObject([{ oldLink: true, removed: false }]);
    },
  );

  test("is told when someone whom they removed asks to come back, and that they may not by an earlier yes", async () => {
    const { room, a, b } = await two();
    await a.member.receive({ type: "mode", mode: "waiting" });
    await room.advance(300);
    const cleo = await room.enter("cleo");
    await a.member.receive({ type: "admit", seat: knockers(a)[0]?.seat ?? "", yes: true });
    await room.advance(3000);
    expectTogether(a, b, cleo);
    await a.member.receive({ type: "remove", identity: cleo.identity });
    await room.advance(100);
    room.close(cleo);
    const again = await room.enter("cleo again", {
      ...cleo.membership,
      linkSecret: new Secret(room.secret.slice()),
    });
    await room.advance(5000);
    expect(again.place).toBe("outside");
    expect(knockers(a)).toMatchObject([{ oldLink: true, removed: true }]);
  });

  test("hears at most a few of those with an old link, so that the others are still heard", async () => {
    const { room, a, b } = await two();
    await a.member.receive({ type: "remove", identity: b.identity });
    await a.member.receive({ type: "mode", mode: "waiting" });
    await room.advance(500);
    for (let i = 0; i < 9; i += 1) room.connect(await room.newPerson(`${i}`));
    await room.advance(1000);
    expect(knockers(a)).toHaveLength(8);
    const linkSecret = new Secret(must(fromHex(link(a) ?? "")));
    room.connect(await room.newPerson("fresh", { linkSecret }));
    await room.advance(1000);
    expect(knockers(a).filter(({ oldLink }) => !oldLink)).toHaveLength(1);
  });

  test("keeps the places of those whose page is loaded again in a locked room, until a minute has passed", {
    timeout: 20_000,
  }, async () => {
    const { room, a, b, c } = await three();
    await a.member.receive({ type: "mode", mode: "locked" });
    await room.advance(300);
    room.close(b);
    await room.advance(20_000);
    const again = await room.enter("b again", b.membership);
    expectTogether(a, c, again);
    room.close(again);
    await room.advance(59_000);
    expect(a.members).toHaveLength(3);
    await room.advance(2000);
    expectTogether(a, c);
    const late = await room.enter("b late", b.membership);
    expect(refusal(late)).toEqual({ type: "refused", why: "turned-away" });
  });

  test("keeps no place of someone who said goodbye, and none any more once the room is open", async () => {
    const { room, a, b, c } = await three();
    await a.member.receive({ type: "mode", mode: "locked" });
    await room.advance(300);
    await b.member.receive({ type: "leave" });
    room.close(b);
    await room.advance(500);
    expectTogether(a, c);
    room.close(c);
    await room.advance(500);
    expect(a.members).toHaveLength(2);
    await a.member.receive({ type: "mode", mode: "open" });
    await room.advance(500);
    expectTogether(a);
  });

  test("alone can do so", async () => {
    const { room, a, b, c } = await three();
    await b.member.receive({ type: "remove", identity: a.identity });
    await b.member.receive({ type: "mode", mode: "locked" });
    await room.advance(3000);
    expectTogether(a, b, c);
    expect([mode(a), mode(b)]).toEqual(["open", "open"]);
  });

  test("locks the room: strangers are turned away, a member that lost its way is taken in again", async () => {
    const { room, a, b } = await two();
    await a.member.receive({ type: "mode", mode: "locked" });
    await room.advance(300);
    expect([mode(a), mode(b)]).toEqual(["locked", "locked"]);
    const stranger = await room.enter("stranger");
    expect(refusal(stranger)).toEqual({ type: "refused", why: "turned-away" });
    const before = b.place;
    await b.member.receive({ type: "rejoin" });
    await room.advance(8000);
    expectTogether(a, b);
    expect(b.place).not.toBe(before);
  });

  test("has a waiting room: sees who knocks, lets one in and turns another away", async () => {
    const { room, a, b } = await two();
    await a.member.receive({ type: "mode", mode: "waiting" });
    await room.advance(300);
    const [cleo, dan] = [await room.newPerson("cleo"), await room.newPerson("dan")];
    for (const person of [cleo, dan]) {
      await person.member.receive({ type: "introduce", name: person.name });
      room.connect(person);
    }
    await room.advance(1000);
    expect(
      knockers(a)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["cleo", "dan"]);
    expect(knockers(b)).toEqual([]);
    for (const person of [cleo, dan]) expect(person.said).toContainEqual({ type: "answered", is: "waiting" });
    // However long it takes.
    await room.advance(60_000);
    expectTogether(a, b);
    const seatOf = (name: string) => knockers(a).find((knocker) => knocker.name === name)?.seat ?? "";
    await a.member.receive({ type: "admit", seat: seatOf("dan"), yes: false });
    await a.member.receive({ type: "admit", seat: seatOf("cleo"), yes: true });
    await room.advance(2000);
    expectTogether(a, b, cleo);
    expect(refusal(dan)).toEqual({ type: "refused", why: "turned-away" });
    expect(knockers(a)).toEqual([]);
  });

  test("hears no more of someone who went away", async () => {
    const { room, a } = await two();
    await a.member.receive({ type: "mode", mode: "waiting" });
    await room.advance(300);
    const cleo = await room.enter("cleo");
    expect(knockers(a)).toHaveLength(1);
    room.close(cleo);
    await room.advance(27_000);
    expect(knockers(a)).toHaveLength(1);
    await room.advance(3_000);
    expect(knockers(a)).toEqual([]);
  });

  test("is the same person after a reload", async () => {
    const { room, a, b } = await two();
    room.close(a);
    const again = await room.enter("a again", a.membership);
    await again.member.receive({ type: "remove", identity: b.identity });
    await room.advance(200);
    expect(refusal(b)).toEqual({ type: "refused", why: "removed" });
  });
});

describe("messages", () => {
  test("go to one leaf or to all, from whom they say", async () => {
    const { room, a, b, c } = await three();
    await a.send(b.leaf, "for b");
    await a.send("all", "for all");
    await room.advance(100);
    expect([b.received, c.received, a.received]).toEqual([["for b", "for all"], ["for all"], []]);
    const message = b.said.find((said) => said.type === "message");
    expect(message?.type === "message" && message.from).toEqual(b.members[a.leaf]);
  });

  test("for someone who is gone do not reach the one who took the place", async () => {
    const { room, a, b } = await two();
    const before = a.members.find(({ leaf }) => leaf === b.leaf)?.leafKeyId ?? "";
    room.close(b);
    const again = await room.enter("b again", b.membership);
    expect(again.leaf).toBe(1);
    await a.send(before, "for the one before");
    await a.send(again.leaf, "for the one who is here");
    await room.advance(100);
    expect(again.received).toEqual(["for the one who is here"]);
  });

  test("are told of as delivered when everybody has them, and not before", async () => {
    const { room, a, b, c } = await three();
    room.ignores = (from, message) => from === c && message.type === "relay";
    await a.send(b.leaf, "for b", 1);
    await a.send("all", "for all", 2);
    await a.send("all", "without a receipt");
    await room.advance(1000);
    expect(a.delivered).toEqual([1]);
    room.ignores = () => false;
    await room.advance(3000);
    expect(a.delivered).toEqual([1, 2]);
    expect(b.delivered).toEqual([]);
  });

  test("are delivered when who has not got them is gone, and at once when nobody is there", async () => {
    const { room, a, b } = await two();
    room.ignores = (from, message) => from === b && message.type === "relay";
    await a.send("all", "for b", 1);
    await room.advance(500);
    expect(a.delivered).toEqual([]);
    await b.member.receive({ type: "leave" });
    room.close(b);
    await room.advance(15_000);
    expect(a.members).toHaveLength(1);
    expect(a.delivered).toEqual([1]);
    await a.send("all", "for nobody", 2);
    expect(a.delivered).toEqual([1, 2]);
  });

  test("that come before their epoch's commit are kept until it is here", async () => {
    const { room, a, b } = await two();
    const held: FromRoom[] = [];
    b.loses = (event) => event.type === "history" || (missesChanges(event) && held.push(event) > 0);
    const c = await room.enter("c");
    await c.send("all", "early");
    await room.settle();
    expect(b.received).toEqual([]);
    b.loses = () => false;
    for (const event of held.filter(({ type }) => type === "ordered")) await b.member.receive({ type: "room", event });
    await room.settle();
    expect(b.received).toEqual(["early"]);
    expectTogether(a, b, c);
  });

  test("that were relayed while the connection was down arrive after it is up again", async () => {
    const { room, a, b } = await two();
    room.disconnect(a);
    await a.send(b.leaf, "down");
    await room.settle();
    room.resume(a);
    await room.advance(100);
    expect(b.received).toEqual(["down"]);
  });

  test("arrive once and in order, though relays are lost and doubled and the epoch changes", async () => {
    const { room, a, b } = await two();
    const chance = dice();
    b.loses = (event) => {
      if (event.type !== "relayed") return false;
      if (chance() < 0.3) void b.member.receive({ type: "room", event });
      return chance() < 0.25;
    };
    a.loses = (event) => event.type === "relayed" && chance() < 0.2;
    const sent: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      sent.push(`${i}`);
      await a.send(i % 3 === 0 ? "all" : b.leaf, `${i}`);
      if (i === 20) await room.enter("c");
      await room.advance(50);
    }
    await room.advance(20_000);
    const byStream = (texts: string[]): string[][] => [
      texts.filter((text) => Number(text) % 3 === 0),
      texts.filter((text) => Number(text) % 3 !== 0),
    ];
    expect(byStream(b.received)).toEqual(byStream(sent));
    expect(b.received.length).toBe(sent.length);
  });

  test("of before a newcomer came are not for it, though they are sent again in its epoch", async () => {
    const { room, a, b } = await two();
    b.loses = ({ type }) => type === "relayed";
    await a.send("all", "before");
    const c = await room.enter("c");
    await a.send("all", "after");
    await room.advance(3000);
    expect(c.received).toEqual(["after"]);
    b.loses = () => false;
    await room.advance(3000);
    expect(b.received).toEqual(["before", "after"]);
    await a.send("all", "later");
    await room.advance(100);
    expect(c.received).toEqual(["after", "later"]);
    const relays = a.sent("relay").length;
    await room.advance(10_000);
    // Everything is acknowledged: nothing is sent again.
    expect(a.sent("relay").length).toBe(relays);
  });
});

describe("media keys", () => {
  test("senders switch when all hold the epoch, or after 500 ms with additions, 1 s with a removal", async () => {
    const { room, a, b, c } = await three();
    const epoch = a.epoch;
    room.ignores = (from, message) => from === c && message.type === "relay";
    const d = await room.newPerson("d");
    room.connect(d);
    await room.advance(450);
    expect([sending(a), sending(d)]).toEqual([epoch, epoch + 1]);
    expect(epochs(a)).toContain(epoch + 1);
    await room.advance(100);
    expect(sending(a)).toBe(epoch + 1);

    await room.advance(2000);
    await d.member.receive({ type: "leave" });
    room.close(d);
    await room.advance(900);
    expect([sending(a), sending(b)]).toEqual([epoch + 1, epoch + 1]);
    await room.advance(200);
    expect([sending(a), sending(b)]).toEqual([epoch + 2, epoch + 2]);
  });

  test("an epoch is dropped 10 s after it was left, 3 s after a removal", async () => {
    const { room, a, b } = await two();
    const c = await room.newPerson("c");
    room.connect(c);
    await room.advance(9900);
    expect(hasDropped(a, 1)).toBe(false);
    await room.advance(300);
    expect(hasDropped(a, 1)).toBe(true);

    await c.member.receive({ type: "leave" });
    room.close(c);
    await room.advance(2800);
    expect(hasDropped(b, 2)).toBe(false);
    await room.advance(400);
    expect(hasDropped(b, 2)).toBe(true);
    expect(hasDropped(b, 3)).toBe(false);
  });

  test("in a room of two layers, each epoch has a second key, the same for all and unlike the others", async () => {
    const room = new TestRoom();
    const [a, b] = [await room.newPerson("a", { layers: 2 }), await room.newPerson("b", { layers: 2 })];
    for (const person of [a, b]) {
      room.connect(person);
      await room.advance(1500);
    }
    const keys = (of: Person) =>
      of.news.flatMap((news) =>
        news.type === "epoch" ? [`${news.epoch} ${toHex(news.outerKey ?? new Uint8Array())}`] : [],
      );
    expect(keys(b)).toEqual([expect.stringMatching(/^1 [0-9a-f]{64}$/)]);
    expect(keys(a)).toEqual([expect.stringMatching(/^0 [0-9a-f]{64}$/), keys(b)[0]]);
    expect(keys(a)[0]?.slice(2)).not.toBe(keys(a)[1]?.slice(2));
  });

  test("in a room of one layer there is no second key", async () => {
    const { a } = await two();
    expect(a.news.filter(({ type }) => type === "epoch")).toMatchObject([{ outerKey: null }, { outerKey: null }]);
  });

  test("a media worker that comes later hears of the live epochs and which one to send with", async () => {
    const { a } = await three();
    const late: KeyUpdate[] = [];
    const port = { postMessage: (news: KeyUpdate) => void late.push(news) };
    await a.member.receive({ type: "media", port: port as unknown as MessagePort });
    expect(late).toMatchObject([
      { type: "epoch", epoch: 0 },
      { type: "epoch", epoch: 1 },
      { type: "epoch", epoch: 2 },
      { type: "signing" },
      { type: "signer" },
      { type: "signer" },
      { type: "send", epoch: 2 },
    ]);
  });
});

test("however people come, go and lose connection, all end in one epoch of one group", {
  timeout: 120_000,
}, async () => {
  const action = fc.record({
    what: fc.constantFrom("enter", "leave", "close", "blink", "lose", "restart"),
    who: fc.nat(20),
    pause: fc.integer({ min: 0, max: 2000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 10 }), async (actions) => {
      const room = new TestRoom();
      await room.enterAll("a", "b");
      for (const { what, who, pause } of actions) {
        await act(room, what, room.people[who % room.people.length]);
        await room.advance(pause);
      }
      for (const person of room.people) {
        person.loses = () => false;
        if (person.session === null) room.connect(person);
      }
      await room.advance(40_000);
      expectTogether(...room.people);
    }),
    { numRuns: RUNS },
  );
});

async function act(room: TestRoom, what: string, person: Person | undefined): Promise<void> {
  if (what === "enter" && room.people.length < 7) room.connect(await room.newPerson(`${room.people.length}`));
  if (person === undefined || room.people.length < 2) return;
  if (what === "leave") await person.member.receive({ type: "leave" });
  if (what === "leave" || what === "close") room.close(person);
  if (what === "blink" && person.session !== null) {
    room.disconnect(person);
    room.clock.after(milli(700), () => person.session === null && room.people.includes(person) && room.resume(person));
  }
  if (what === "lose") {
    person.loses = ({ type }) => type === "ordered";
    room.clock.after(milli(500), () => {
      person.loses = () => false;
    });
  }
  if (what === "restart") {
    room.restart();
    for (const back of room.people) room.connect(back);
  }
}
