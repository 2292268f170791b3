import { readFileSync } from "node:fs";
import { type Down, PROTOCOL_VERSION, parseUp, type Up } from "@sealcast/protocol";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { knockKey, newLink, token } from "../rooms/door.cases.ts";
import { nodeOf } from "../rooms/door.ts";
import { LivePassHolder } from "../rooms/live-pass.ts";
import { LiveRoom } from "../rooms/live-room.ts";
import { FakeRelay } from "../rooms/relay.cases.ts";
import { group } from "../rooms/room.cases.ts";
import type { RoomSocket } from "../rooms/seat.ts";
import { Addresses } from "./addresses.ts";
import { connect, enter, type FakeSocket, joined, joinOf, link, ping, prove } from "./connection.cases.ts";

interface Budget {
  readonly largest: number;
  readonly atOnce: number;
  readonly perSecond: number;
  readonly past: string;
}

/** The table of PROTOCOL.md, by what and of. */
function table(): Map<string, Budget> {
  const text = readFileSync(new URL("../../../PROTOCOL.md", import.meta.url), "utf8");
  const section = text.slice(text.indexOf("### 3.11 "), text.indexOf("\n## 4 "));
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1);
  return new Map(
    rows.map((line) => {
      const [what = "", of = "", ...cells] = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      const [largest = 0, atOnce = 0, perSecond = 0] = cells.map((cell) => Number(cell.replace(/[^\d.]/g, "")));
      return [`${what} (${of})`, { largest, atOnce, perSecond, past: cells[3] ?? "" }];
    }),
  );
}

const budgets = table();

/** The rows that are held against the code. */
const held = new Set<string>();
function budget(name: string): Budget {
  held.add(name);
  return budgets.get(name) ?? expect.unreachable(`PROTOCOL.md has no "${name}"`);
}

/** `atOnce` are taken, and from then on one more for each that the rate gives. */
function expectRate({ atOnce, perSecond }: Budget, clock: ManualClock, isTaken: () => boolean): void {
  const taken = () => Array.from({ length: atOnce + 2 }, isTaken).filter(Boolean).length;
  expect(taken()).toBe(atOnce);
  clock.advance(milli((1_000 * (2 + atOnce)) / perSecond));
  expect(taken()).toBe(atOnce);
  clock.advance(milli(900 / perSecond));
  expect(taken()).toBe(0);
}

/** The fault of a message that is filled up to this many characters. */
function faultOf(message: (body: string) => Up, length: number): string | null {
  const empty = JSON.stringify(message("")).length;
  const parsed = parseUp(JSON.stringify(message("x".repeat(length - empty))));
  return parsed.ok ? null : parsed.why;
}

const key = (name: string) => nodeOf(token(name));
const id = "i".repeat(22);
const sized: Record<string, (body: string) => Up> = {
  relay: (body) => ({ type: "relay", body }),
  answer: (body) => ({ type: "answer", to: id, body }),
  tell: (body) => ({ type: "tell", body }),
  knock: (body) => ({ type: "knock", at: key("at"), body }),
  restock: (body) => ({ type: "restock", token: token("epoch"), next: key("next"), body }),
  commit: (body) => ({
    type: "commit",
    at: key("at"),
    next: key("next"),
    body,
    welcome: null,
    despite: [],
    door: null,
    knockKey: knockKey("next"),
  }),
  deliver: (body) => ({
    type: "deliver",
    accept: [],
    items: Array.from({ length: 5 }, () => ({ to: id, body: `x${body.slice(0, body.length / 5)}` })).concat({
      to: id,
      body: `x${body.slice(0, body.length - 5 * Math.floor(body.length / 5))}`,
    }),
  }),
};

test.each(["`relay`, `answer`, `tell` (a socket)", "`knock` (a socket)", "`commit`, `restock`, `deliver` (a socket)"])(
  "the largest of %s",
  (name) => {
    const { largest, past } = budget(name);
    for (const [, type = ""] of name.matchAll(/`(\w+)`/g)) {
      const message = sized[type] ?? expect.unreachable(type);
      expect([type, faultOf(message, largest)]).toEqual([type, null]);
      expect([type, faultOf(message, largest + 1)]).toEqual([type, past.replaceAll("`", "")]);
    }
  },
);

test("what comes first is short, and comes once", () => {
  const { largest } = budget("`join`, `host`, `watch` (a socket)");
  const { open } = connect();
  const faultAfter = (...texts: string[]) => {
    const { socket } = open();
    for (const text of texts) socket.emit("message", Buffer.from(text), false);
    const last = JSON.parse(socket.sent.at(-1) ?? "") as Down;
    return last.type === "fault" ? last.code : null;
  };
  expect(faultAfter("x".repeat(largest))).toBe("malformed");
  expect(faultAfter("x".repeat(largest + 1))).toBe("too-large");
  const { socket } = open();
  socket.says(joinOf(prove(socket, "join")));
  socket.says(joinOf(prove(socket, "join")));
  expect(JSON.parse(socket.sent.at(-1) ?? "")).toMatchObject({ type: "fault", code: "malformed" });
  const doors = Array.from({ length: 9 }, () => link.door);
  const { signature } = link.prove("host", { host: "", nonce: token("") });
  const longest: Up = { type: "host", version: PROTOCOL_VERSION, key: link.door, signature, load: id, doors };
  expect(JSON.stringify(longest).length).toBeLessThan(largest);
});

test("messages of a socket", () => {
  const { atOnce, perSecond } = budget("messages, WebSocket pings and pongs (a socket)");
  const { socket, clock } = joined();
  for (let i = 2; i < atOnce; i++) socket.says(ping);
  expect(socket.isPaused).toBe(false);
  socket.says(ping);
  expect(socket.isPaused).toBe(true);
  clock.advance(milli(1_010 / perSecond));
  expect(socket.isPaused).toBe(false);
});

/** Sends messages over these sockets in turn until one rests: the characters that were taken, and the time it rests. */
function expectRest(
  { atOnce, perSecond }: Budget,
  clock: ManualClock,
  sockets: FakeSocket[],
  message: Up,
  counted: number,
): void {
  const before = Math.floor(atOnce / counted);
  let said = 0;
  for (const socket of sockets) {
    for (let i = 0; i < 15 && said < before; i++, said++) socket.says(message);
    expect(socket.isPaused).toBe(false);
  }
  expect(said).toBe(before);
  const last = sockets.at(-1);
  last?.says(message);
  expect(last?.isPaused).toBe(true);
  const over = (before + 1) * counted - atOnce;
  clock.advance(milli((990 * over) / perSecond));
  expect(last?.isPaused).toBe(true);
  clock.advance(milli((30 * over) / perSecond + 1_000));
  expect(last?.isPaused).toBe(false);
}

const large = sized.restock?.("x".repeat(250_000)) ?? ping;
const characters = (message: Up) => JSON.stringify(message).length;

test("characters of a socket", () => {
  const { clock, open } = connect();
  const { socket } = open();
  socket.says(joinOf(prove(socket, "join")));
  const row = budget("characters (a socket)");
  expectRest({ ...row, atOnce: row.atOnce - 300 }, clock, [socket, socket], large, characters(large));
});

test("characters of an address", () => {
  const clock = new ManualClock();
  const visit = new Addresses(readConfig({}).limits, clock).visit("192.0.2.1") ?? expect.unreachable();
  const { open } = connect({ clock, visit });
  const sockets = Array.from({ length: 5 }, () => open().socket);
  for (const socket of sockets) socket.says(joinOf(prove(socket, "join")));
  const row = budget("characters (an address)");
  expectRest({ ...row, atOnce: row.atOnce - 5 * 300 }, clock, sockets, large, characters(large));
});

test("an address is charged with each receiver of what it says, and with what it is answered", () => {
  const { members, alice } = group(50);
  const charged = (say: () => void) => {
    const before = alice.charged;
    say();
    return alice.charged - before;
  };
  const [forEach, history] = [budget("besides, for each receiver of a `relay` or `beat` (an address)").atOnce, 200_000];
  expect(charged(() => alice.relay("A"))).toBe(forEach * members.length);
  expect(charged(() => alice.say({ type: "beat", body: "A" }))).toBe(forEach * members.length);
  alice.restock("before", "e", "x".repeat(history));
  expect(charged(() => alice.say({ type: "fetch", token: token("before") }))).toBeGreaterThan(history);
  expect(members.slice(1).every((member) => member.charged === members[1]?.charged)).toBe(true);
});

test("small words to many of an address are read later, once those are too many", () => {
  const clock = new ManualClock();
  const { limits } = readConfig({ KIB_PER_SECOND: "1024" });
  const visit = new Addresses(limits, clock).visit("192.0.2.1") ?? expect.unreachable();
  const { open } = connect({ clock, visit });
  const sockets = Array.from({ length: 50 }, () => open().socket);
  for (const socket of sockets) for (const message of [joinOf(prove(socket, "join")), enter]) socket.says(message);
  const pausedAfter = (each: number) => {
    for (let i = 0; i < each; i++) for (const socket of sockets) socket.says({ type: "relay", body: "A" });
    return sockets.filter(({ isPaused }) => isPaused).length;
  };
  expect(pausedAfter(20), "50,000 messages to people").toBe(0);
  expect(pausedAfter(20), "100,000").toBe(50);
});

test("bodies of a room", () => {
  const connected = joined();
  const sockets = [connected.socket, ...Array.from({ length: 19 }, () => connected.enterNext().socket)];
  const body = "x".repeat(65_000);
  const row = budget("bodies of `relay`, `answer`, `beat` and `commit` from inside (a call's room)");
  expectRest(row, connected.clock, sockets, { type: "relay", body }, body.length);
});

test("signatures of a socket", () => {
  const { socket, clock } = joined();
  socket.says(enter);
  const { atOnce, perSecond } = budget("`listen`, and `door` of a `commit` (a socket)");
  for (let i = 0; i < atOnce; i++) socket.says({ type: "listen", ...prove(socket, "listen", { by: newLink() }) });
  socket.says({ type: "listen", ...prove(socket, "join") });
  expect(socket.closedWith, "ignored, though it is wrong").toBeNull();
  clock.advance(milli(3_000 / perSecond));
  socket.says({ type: "listen", ...prove(socket, "join") });
  expect(socket.closedWith, "looked at").toBe(1008);
});

test("requests for knock keys by a former door", () => {
  const { join, alice, clock } = group(1);
  alice.say({ type: "listen", door: "F", signature: "" });
  const former = join("F");
  // Joining is the first request.
  clock.advance(milli(2_000));
  expectRate(budget("`request-keys` by a former door (a session)"), clock, () => {
    former.open = [];
    former.say({ type: "request-keys", all: true });
    return former.open.length > 0;
  });
});

test("tokens of epochs that the room does not know", () => {
  const { join, clock } = group(1);
  const stranger = join();
  let tokens = 0;
  expectRate(budget("`enter` by a token that the room does not know (a session)"), clock, () => {
    const before = stranger.all("entered").length;
    stranger.enter(`made up ${tokens++}`);
    return stranger.all("entered").length > before;
  });
  const before = stranger.all("entered").length;
  for (let i = 0; i < 20; i++) stranger.enter("e");
  expect(stranger.all("entered").length - before, "one that it knows takes nothing").toBe(20);
});

test("tokens of the media relay", async () => {
  const relay = new FakeRelay();
  const { alice, clock } = group(1, { relay });
  expectRate(budget("`relay-token` (a session)"), clock, () => {
    const before = relay.asked;
    alice.say({ type: "relay-token" });
    return relay.asked > before;
  });
});

test("tokens of the relays of live streams", () => {
  const clock = new ManualClock();
  let issued = 0;
  const nothing = () => {};
  const issue = () => {
    issued++;
    return new Promise<never>(nothing);
  };
  const liveRelays = { issue, lapse: nothing, refuse: nothing, end: nothing };
  const holder = new LivePassHolder({ clock, randomId: () => id, liveRelays, dropped: nothing });
  const socket = {
    network: "",
    charge: nothing,
    send: nothing,
    offer: nothing,
    close: nothing,
    restart: nothing,
    fault: nothing,
  };
  expectRate(budget("`live-relay` (a session)"), clock, () => {
    const before = issued;
    holder.answer({ path: "/live/room", name: "stream", may: "subscribe" }, socket);
    return issued > before;
  });
});

/** A live room with a host, and what becomes of a viewer's word. */
function stream() {
  const clock = new ManualClock();
  let ids = 0;
  const told: string[] = [];
  const nothing = () => {};
  const socket = (hear: (text: string) => void): RoomSocket => ({
    network: "",
    charge: nothing,
    send: hear,
    offer: hear,
    close: nothing,
    restart: nothing,
    fault: nothing,
  });
  const randomId = () => String(ids++).padStart(22, "0");
  const room = new LiveRoom(
    token("room"),
    { clock, randomId, stunPort: null, liveRelays: null, turn: null, dropped: nothing },
    nothing,
  );
  const host = socket((text) => void (text.includes('"told"') && told.push(text)));
  room.host({ load: "load", doors: ["present", "former"] }, host);
  const viewer = (door: string) => {
    const seat = room.watch({ door, resume: null }, socket(nothing));
    if (typeof seat === "string") return expect.unreachable(seat);
    return (body: string) => {
      const before = told.length;
      seat.handle({ type: "tell", body });
      return told.length > before;
    };
  };
  return { clock, viewer };
}

test.each([
  ["`tell` before the host accepts the viewer (a viewer)", "present"],
  ["the same by a former door (a viewer)", "former"],
])("%s", (name, door) => {
  const { clock, viewer } = stream();
  const row = budget(name);
  const [say, other] = [viewer(door), viewer(door)];
  expectRate(row, clock, () => say("ask"));
  expect([other("x".repeat(row.largest + 1)), other("x".repeat(row.largest))]).toEqual([false, true]);
});

test("of all viewers who are not accepted", () => {
  const { clock, viewer } = stream();
  const { atOnce, perSecond } = budget("bodies of `tell` before the host accepts their viewers (a live room)");
  const body = "x".repeat(4_096);
  const taken = () => {
    let count = 0;
    for (let i = 0; i < 300; i++) {
      const say = viewer("present");
      for (let j = 0; j < 5; j++) if (say(body)) count++;
    }
    return count * body.length;
  };
  expect(taken()).toBe(atOnce);
  clock.advance(milli(1_000));
  expect(taken()).toBe(perSecond);
});

test("of an address, for one that is not this computer's", () => {
  const openings = {
    "`join` by one door, `host` and `watch` of one room (an address)": (all: Addresses) => {
      const visit = all.visit("192.0.2.1");
      return () => visit?.mayJoin("room") ?? false;
    },
    "sockets opened (an address)": (all: Addresses) => () => end(all.visit("192.0.2.1")?.end),
    "HTTP requests, upgrades included (an address)": (all: Addresses) => () => all.mayAsk("192.0.2.1"),
    "TCP connections opened (an address)": (all: Addresses) => () => end(all.connect("192.0.2.1")),
  };
  for (const [name, open] of Object.entries(openings)) {
    const { atOnce, perSecond } = budget(name);
    const clock = new ManualClock();
    const isTaken = open(new Addresses(readConfig({}).limits, clock));
    const taken = (tries: number) => Array.from({ length: tries }, isTaken).filter(Boolean).length;
    expect([name, taken(atOnce + 10)]).toEqual([name, atOnce]);
    clock.advance(milli(10_000));
    const later = taken(1_000 + atOnce);
    expect(Math.abs(later - 10 * perSecond), name).toBeLessThanOrEqual(10);
  }
});

test("every row of the table is held against the server", () => {
  expect([...budgets.keys()].filter((name) => !held.has(name))).toEqual([]);
});

function end(close: (() => void) | null | undefined): boolean {
  close?.();
  return close !== null && close !== undefined;
}
