import { concat, fromHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { describe, expect, test } from "vitest";
import { encodeHeartbeat, type Heartbeat, hashRoster, parseHeartbeat, verifyHeartbeat } from "./heartbeat.ts";
import { newIdentity, type Person, ROOM, TestRoom } from "./room.cases.ts";
import type { FromRoom, ToRoom } from "./wire.ts";

async function beat(differs: Partial<Heartbeat> = {}) {
  const key = await newIdentity();
  const credential = concat(Uint8Array.of(1), random(128));
  const places = { authenticator: random(64), roster: random(32), leafKey: key.publicKey, credential };
  const said: Heartbeat = { connected: true, epoch: 7, time: 1234, ...places, ...differs };
  return { said, bytes: await encodeHeartbeat(ROOM, said, key.sign) };
}

async function isTrue(bytes: Uint8Array, room = ROOM): Promise<boolean> {
  const parsed = parseHeartbeat(bytes);
  return parsed !== null && (await verifyHeartbeat(room, bytes, parsed));
}

describe("one heartbeat", () => {
  test("says what was signed", async () => {
    for (const connected of [true, false]) {
      const { said, bytes } = await beat({ connected });
      expect(bytes.length).toBe(339);
      expect(parseHeartbeat(bytes)).toEqual(said);
      expect(await isTrue(bytes)).toBe(true);
    }
  });

  test("with any byte altered, for another room or of another length it is refused", async () => {
    const { bytes } = await beat();
    for (let at = 0; at < bytes.length; at++) {
      const altered = bytes.slice();
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(await isTrue(altered), `byte ${at}`).toBe(false);
    }
    expect(await isTrue(bytes, `B${ROOM.slice(1)}`)).toBe(false);
    expect(parseHeartbeat(bytes.subarray(1))).toBeNull();
    expect(parseHeartbeat(new Uint8Array([...bytes, 0]))).toBeNull();
    expect(parseHeartbeat(new Uint8Array())).toBeNull();
  });

  test("of another version, or neither connected nor not, it is none", async () => {
    const { bytes } = await beat();
    for (const at of [0, 1]) expect(parseHeartbeat(bytes.map((byte, i) => (i === at ? 2 : byte)))).toBeNull();
  });

  test("numbers past the safe integers are refused", async () => {
    const { bytes } = await beat();
    for (const at of [2, 10]) {
      const huge = bytes.slice();
      huge[at] = 1;
      expect(parseHeartbeat(huge)).toBeNull();
    }
  });

  test("a roster's hash changes with everything in it", async () => {
    const hex = (letter: string, bytes: number) => letter.repeat(2 * bytes);
    const member = {
      leaf: 1,
      identity: hex("a", 32),
      seat: hex("b", 16),
      leafKeyId: hex("c", 32),
      name: "Ada",
      me: false,
    };
    const others = [
      { ...member, leaf: 2 },
      { ...member, identity: hex("d", 32) },
      { ...member, seat: hex("d", 16) },
      { ...member, leafKeyId: hex("d", 32) },
    ];
    const hash = String(await hashRoster([member]));
    expect(String(await hashRoster([{ ...member, me: true }]))).toBe(hash);
    for (const other of others) expect(String(await hashRoster([other]))).not.toBe(hash);
    expect(String(await hashRoster([member, member]))).not.toBe(hash);
  });
});

function alarms(person: Person): string[] {
  const last = person.said.filter((message) => message.type === "alarms").at(-1)?.alarms ?? [];
  return last.map((alarm) => {
    if (alarm.what === "withheld-here") return alarm.what;
    const who = person.members.find(({ leafKeyId }) => leafKeyId === alarm.leafKeyId);
    return `${alarm.what} ${who?.leaf}`;
  });
}

/** Every alarm that was ever told. */
function everRed(person: Person): unknown[] {
  const told = person.said.flatMap((message) => (message.type === "alarms" ? message.alarms : []));
  return told.filter(({ what }) => what !== "silent");
}

/** All that brings a change to a member, or a way around. */
function brings({ type }: FromRoom): boolean {
  return type === "ordered" || type === "history" || type === "welcomed";
}

/** They have a link of their own, over which heartbeats go past the server. */
function meetDirectly(a: Person, b: Person): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const { push } = from.said;
    from.said.push = (message) => {
      if (message.type === "heartbeat") void to.member.receive({ ...message, from: from.identity });
      return push.call(from.said, message);
    };
  }
}

/** Nothing passes it any more, in either direction, and neither end has noticed. */
function breakSocket(room: TestRoom, person: Person): void {
  person.loses = () => true;
  person.isAnswered = false;
  room.ignores = (from) => from === person;
}

function mendSocket(room: TestRoom, person: Person): void {
  person.loses = () => false;
  person.isAnswered = true;
  room.ignores = () => false;
}

describe("in a room", { timeout: 60_000 }, () => {
  test("members who come, go and come back under an honest server raise no alarm", async () => {
    const room = new TestRoom();
    const [a, b, c] = [await room.enter("a"), await room.enter("b"), await room.enter("c")];
    await room.advance(10_000);
    room.disconnect(b);
    const d = await room.enter("d");
    await room.advance(9000);
    room.resume(b);
    await room.advance(9000);
    await c.member.receive({ type: "rejoin" });
    await room.advance(9000);
    room.restart();
    await room.advance(3000);
    for (const person of [c, a, d, b]) {
      room.connect(person);
      await room.advance(2000);
    }
    await room.advance(9000);
    for (const person of [a, b, c, d]) expect(everRed(person), person.name).toEqual([]);
    expect(alarms(a)).toEqual([]);
  });

  test("a change that does not come to one member shows with them and with the others, and is over once it comes", async () => {
    const room = new TestRoom();
    const [a, b, c] = [await room.enter("a"), await room.enter("b"), await room.enter("c")];
    // Heartbeats go past the server, commits do not.
    for (const other of [a, c]) meetDirectly(b, other);
    b.loses = brings;
    // Whatever else the server says shows that the socket lives.
    b.isAnswered = false;
    const d = await room.enter("d");
    meetDirectly(b, d);
    await room.advance(14_000);
    expect(alarms(b)).toContain("withheld-here");
    const leaf = a.members.find(({ seat }) => seat === b.members.find(({ me }) => me)?.seat)?.leaf;
    for (const person of [a, c, d]) expect(alarms(person), person.name).toContain(`withheld ${leaf}`);
    b.loses = () => false;
    await room.advance(12_000);
    for (const person of [a, b, c, d]) expect(alarms(person), person.name).toEqual([]);
  });

  test("a socket that is dead without anybody knowing it yet is no alarm, though a change passes it by", async () => {
    const room = new TestRoom();
    const [a, b] = [await room.enter("a"), await room.enter("b")];
    meetDirectly(a, b);
    await room.advance(4000);
    breakSocket(room, b);
    const c = await room.enter("c");
    // By then the page has found out that nothing comes, not even to a ping.
    await room.advance(13_000);
    room.disconnect(b);
    mendSocket(room, b);
    // The next socket is there at once, and what was missed takes its time.
    b.loses = brings;
    room.resume(b);
    await room.advance(2000);
    b.loses = () => false;
    await room.advance(9000);
    for (const person of [a, b, c]) {
      expect(everRed(person), person.name).toEqual([]);
      expect(person.members).toHaveLength(3);
    }
  });

  test("a server that keeps everything from a member but its answers to pings is found out by all", async () => {
    const room = new TestRoom();
    const [a, b] = [await room.enter("a"), await room.enter("b")];
    meetDirectly(a, b);
    await room.advance(4000);
    breakSocket(room, b);
    b.isAnswered = true;
    await room.enter("c");
    await room.advance(13_700);
    expect(alarms(a)).toContain("withheld 1");
    expect(alarms(b)).toContain("withheld-here");
  });

  test("a removal that the server keeps from a member comes from another member: it seals for nobody who is out", async () => {
    const room = new TestRoom();
    room.hasChannels = true;
    const [a, b, c] = [await room.enter("a"), await room.enter("b"), await room.enter("c")];
    b.loses = brings;
    await a.member.receive({ type: "remove", identity: c.identity });
    await room.advance(3000);
    expect(a.members).toHaveLength(2);
    expect(b.place).toBe(a.place);
    const sends = b.news.findLast((news) => news.type === "send");
    expect(sends).toMatchObject({ epoch: a.epoch });
    expect(everRed(a).concat(everRed(b))).toEqual([]);
  });

  test.each([0, 1000, 2000, 3000])(
    "that someone left comes to a member from whom the server keeps it within 3 s, %i ms after a heartbeat",
    async (after) => {
      const room = new TestRoom();
      room.hasChannels = true;
      const [a, b, c] = [await room.enter("a"), await room.enter("b"), await room.enter("c")];
      await room.advance(after);
      b.loses = (event) => brings(event) || event.type === "relayed";
      await c.member.receive({ type: "leave" });
      await room.advance(3000);
      expect(a.members).toHaveLength(2);
      expect(b.place).toBe(a.place);
    },
  );

  test("a removal comes past the server also to a member whom it gave garbage under the removal's name", async () => {
    const room = new TestRoom();
    room.hasChannels = true;
    const [a, b, c] = [await room.enter("a"), await room.enter("b"), await room.enter("c")];
    let isTold = false;
    b.loses = (event) => {
      if (event.type === "ordered" && !isTold) {
        isTold = true;
        void b.member.receive({ type: "room", event: { ...event, body: random(100) } });
      }
      return brings(event);
    };
    await a.member.receive({ type: "remove", identity: c.identity });
    await room.advance(3000);
    expect(b.notes("invalid-commit")).toBe(1);
    expect([b.place, b.members.length]).toEqual([a.place, 2]);
    expect(b.news.findLast((news) => news.type === "send")).toMatchObject({ epoch: a.epoch });
  });

  test("any change that the server keeps from a member comes from one who has it, when that one is asked", async () => {
    const room = new TestRoom();
    room.hasChannels = true;
    const [a, b] = [await room.enter("a"), await room.enter("b")];
    b.loses = brings;
    const c = await room.enter("c");
    await room.advance(9000);
    for (const person of [a, b, c]) expect(person.members).toHaveLength(3);
    expect(b.place).toBe(a.place);
    expect(b.notes("resync")).toBe(0);
  });

  test("who vanishes is removed within 15 s, before the server finds out; whose media arrives stays", async () => {
    for (const arrives of [false, true]) {
      const room = new TestRoom();
      const [a, b, c] = [await room.enter("a"), await room.enter("b"), await room.enter("c")];
      await room.advance(9000);
      for (const one of [a, b]) await one.member.receive({ type: "reachable", leaf: c.leaf, up: arrives });
      breakSocket(room, c);
      await room.advance(14_500);
      for (const one of [a, b]) expect(one.members, one.name).toHaveLength(arrives ? 3 : 2);
    }
  });

  test("whose network is down removes nobody, then or when it is back", async () => {
    const room = new TestRoom();
    const [a, b, c] = [await room.enter("a"), await room.enter("b"), await room.enter("c")];
    for (const one of [a, b]) await one.member.receive({ type: "reachable", leaf: c.leaf, up: true });
    await room.advance(9000);
    breakSocket(room, c);
    await room.advance(13_000);
    await c.member.receive({ type: "disconnected" });
    room.disconnect(c);
    await room.advance(20_000);
    mendSocket(room, c);
    room.resume(c);
    await room.advance(9000);
    for (const one of [a, b, c]) expect(one.members, one.name).toHaveLength(3);
    expect(c.sent("commit")).toEqual([]);
  });

  test("whose page said goodbye to any member is removed within 2 s", async () => {
    const room = new TestRoom();
    const [a, b, c] = [await room.enter("a"), await room.enter("b"), await room.enter("c")];
    const { leafKeyId } = c.members.find(({ me }) => me) ?? expect.unreachable();
    await b.member.receive({ type: "goodbye", leafKeyId });
    await room.advance(1500);
    for (const one of [a, b]) expect(one.members, one.name).toHaveLength(2);
  });

  test("two changes for one epoch are red on both sides at the next heartbeat", async () => {
    const room = new TestRoom();
    const [a, b] = [await room.enter("a"), await room.enter("b")];
    room.hasChannels = true;
    const commits: [Person, Extract<ToRoom, { type: "commit" }>][] = [];
    room.ignores = (from, message) => {
      if (message.type === "commit") commits.push([from, message]);
      return message.type === "commit";
    };
    await room.enter("c");
    for (const person of [a, b]) {
      const commit = commits.find(([from]) => from === person)?.[1] ?? expect.unreachable();
      const { at, next, body } = commit;
      await person.member.receive({ type: "room", event: { type: "ordered", from: "x", at, next, body } });
    }
    await room.advance(4000);
    expect(alarms(a)).toContain("forked 1");
    expect(alarms(b)).toContain("forked 0");
  });

  test("a link that was replaced leaves the way over the members' own links", async () => {
    const room = new TestRoom();
    const [a, b, c] = [await room.enter("a"), await room.enter("b"), await room.enter("c")];
    meetDirectly(a, b);
    b.loses = (event) => brings(event) || event.type === "relayed";
    await a.member.receive({ type: "remove", identity: c.identity });
    await room.advance(14_000);
    expect(a.members.length).toBe(2);
    expect(alarms(a)).toContain("withheld 1");
    expect(alarms(b)).toContain("withheld-here");
  });

  test("a heartbeat by someone else's key, or with a stranger's credential, counts for nothing", async () => {
    const room = new TestRoom();
    const [a, b] = [await room.enter("a"), await room.enter("b")];
    const leafKey = fromHex(a.members.find(({ me }) => !me)?.leafKeyId ?? "") ?? expect.unreachable();
    const forged = (await beat({ leafKey, time: 1_000_000 })).bytes;
    await a.member.receive({ type: "heartbeat", from: "", body: forged });
    expect(a.notes("bad-heartbeat")).toBe(1);
    for (const time of [0, 6000, 12_000]) {
      await a.member.receive({ type: "heartbeat", from: "", body: (await beat({ time })).bytes });
      await room.advance(6000);
    }
    await b.member.receive({ type: "reachable", leaf: 0, up: true });
    expect(everRed(a)).toEqual([]);
  });
});
