import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Down,
  MAX_DELIVERIES,
  MAX_DOWN,
  MAX_MESSAGE,
  MAX_RELAY,
  PROTOCOL_VERSION,
  parseDown,
  parseUp,
  type Up,
} from "./index.ts";

const id = "A".repeat(22);
const key = `${"k".repeat(42)}8`;
const signature = `${"s".repeat(85)}w`;
const knockKey = { key: "k".repeat(1622), tags: [id] };

const ups: Up[] = [
  { type: "join", version: PROTOCOL_VERSION, door: key, signature, resume: { token: id, seq: 7 } },
  { type: "join", version: PROTOCOL_VERSION, door: key, signature, resume: null },
  { type: "relay", body: "body" },
  { type: "listen", door: key, signature },
  { type: "enter", token: key, knockKey: null },
  { type: "enter", token: key, knockKey },
  { type: "request-keys", all: true },
  { type: "knock", at: key, body: "body" },
  { type: "answer", to: id, body: "body" },
  { type: "beat", body: "body" },
  {
    type: "commit",
    at: key,
    next: key,
    body: "body",
    welcome: { to: [id], body: "b" },
    despite: [key],
    door: null,
    knockKey,
  },
  {
    type: "commit",
    at: key,
    next: key,
    body: "body",
    welcome: null,
    despite: [],
    door: { door: key, signature },
    knockKey,
  },
  { type: "restock", token: key, next: key, body: "body" },
  { type: "fetch", token: key },
  { type: "relay-token" },
  { type: "turn" },
  { type: "leave" },
  { type: "ping" },
  { type: "host", version: PROTOCOL_VERSION, key, signature, load: id, doors: [key] },
  { type: "doors", doors: Array(9).fill(key) },
  { type: "watch", version: PROTOCOL_VERSION, room: id, door: key, signature, resume: null },
  { type: "watch", version: PROTOCOL_VERSION, room: id, door: key, signature, resume: id },
  { type: "tell", body: "body" },
  { type: "deliver", accept: [id], items: [{ to: id, body: "body" }] },
  { type: "dismiss", viewers: [id] },
  { type: "end" },
  { type: "live-relay" },
];

const downs: Down[] = [
  { type: "challenge", nonce: key },
  { type: "joined", member: id, token: id, seq: 0, resumed: false, stunPort: 8080, relay: true, turn: false },
  { type: "alone" },
  { type: "entered", at: key, is: "new", knockKeys: [] },
  { type: "groups", tips: [{ at: key, sessions: 2 }] },
  { type: "relayed", seq: 1, from: id, body: "body" },
  { type: "knock-keys", tips: [{ at: key, ...knockKey }] },
  { type: "knocked", seq: 1, from: id, at: key, body: "body" },
  { type: "answered", seq: 1, from: id, body: "body" },
  { type: "heartbeat-relayed", from: id, body: "body" },
  { type: "ordered", seq: 1, from: id, at: key, next: key, body: "body" },
  { type: "refused", at: key, successors: [key] },
  { type: "welcomed", seq: 1, from: id, body: "body" },
  { type: "history", at: key, edges: [{ next: key, body: "body" }] },
  { type: "presence", seq: 1, member: id, is: "away" },
  {
    type: "relay-token",
    url: "wss://relay.example.org:7880",
    room: id,
    identity: id,
    token: "head.claims.signature",
    validFor: 120,
  },
  { type: "turn", urls: ["turn:[::1]:3478?transport=udp", "turns:a.b"], username: "1:n", credential: "c", validFor: 1 },
  { type: "pong" },
  { type: "fault", code: "refused-door", message: "wrong" },
  { type: "hosting", viewers: [id], stunPort: null, turn: false, relays: true },
  { type: "watching", token: id, resumed: false, host: "absent", stunPort: 8080, turn: false, relays: false },
  { type: "told", from: id, body: "body" },
  { type: "delivered", body: "body" },
  { type: "viewer", viewer: id, is: "back" },
  { type: "host-is", is: "ended" },
  {
    type: "live-relay",
    urls: ["https://live.example.org:4443", "http://127.0.0.1:4443"],
    path: `/live/${id}`,
    name: id,
    token: "head.claims.signature",
    validFor: 600,
  },
];

test.each(ups)("a client's $type comes back as it was written", (up) => {
  expect(parseUp(JSON.stringify(up))).toEqual({ ok: true, value: up });
});

test.each(downs)("the server's $type comes back as it was written", (down) => {
  expect(parseDown(JSON.stringify(down))).toEqual({ ok: true, value: down });
});

test("each direction refuses the other's messages", () => {
  expect(parseUp(JSON.stringify(downs[5])).ok).toBe(false);
  expect(parseDown(JSON.stringify(ups[2])).ok).toBe(false);
});

test.each(["turn:", "stun:a", "turn:a b", "turn:a/b", "turn:a@b", "turns:a?transport=udp", "turn:a?x=1", "https://a"])(
  "%s is no TURN server",
  (url) => {
    const given = { type: "turn", urls: [url], username: "u", credential: "c", validFor: 1 };
    expect(parseDown(JSON.stringify(given))).toMatchObject({ ok: false });
  },
);

describe("refused as malformed", () => {
  const resuming = (seq: string) =>
    `{"type":"join","version":${PROTOCOL_VERSION},"door":"${key}","signature":"${signature}","resume":{"token":"${id}","seq":${seq}}}`;
  const entry = { version: PROTOCOL_VERSION, signature };
  const watch = (fields: object) =>
    JSON.stringify({ type: "watch", ...entry, room: id, door: key, resume: null, ...fields });
  const host = (fields: object) => JSON.stringify({ type: "host", ...entry, key, load: id, doors: [key], ...fields });
  const commit = (fields: object) =>
    JSON.stringify({
      type: "commit",
      at: key,
      next: key,
      body: "a",
      welcome: null,
      despite: [],
      door: null,
      knockKey,
      ...fields,
    });
  test("which are messages otherwise", () => {
    expect([parseUp(resuming("1")).ok, parseUp(commit({})).ok]).toEqual([true, true]);
  });
  const deep = "[".repeat(MAX_MESSAGE / 2) + "]".repeat(MAX_MESSAGE / 2);
  test.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["null", "null"],
    ["an array", '["ping"]'],
    ["an unknown type", '{"type":"admin"}'],
    ["a duplicate key", '{"type":"relay","body":"a","body":"b"}'],
    ["an unknown key", '{"type":"ping","x":1}'],
    ["__proto__", '{"type":"ping","__proto__":{"admitted":true}}'],
    ["a name that every object inherits", '{"type":"ping","toString":1}'],
    ["a missing key", '{"type":"relay"}'],
    ["white space", '{"type": "ping"}'],
    ["an escape that is not needed", '{"type":"pin\\u0067"}'],
    ["a number in another notation", resuming("1e0")],
    ["a negative zero", resuming("-0")],
    ["a fraction", resuming("0.5")],
    ["a number past the safe integers", resuming("9007199254740992")],
    ["a body that is not base64url", '{"type":"relay","body":"<b>"}'],
    ["an empty body", '{"type":"relay","body":""}'],
    ["a room id of another length", watch({ room: "abc" })],
    ["a door of another length", `{"type":"enter","token":"${key.slice(1)}"}`],
    ["a token whose unused bits are not zero", `{"type":"enter","token":"${key.slice(1)}9"}`],
    ["a signature whose unused bits are not zero", `{"type":"listen","door":"${key}","signature":"${"s".repeat(86)}"}`],
    ["a welcome for nobody", commit({ welcome: { to: [], body: "a" } })],
    ["a welcome for more than 50", commit({ welcome: { to: Array(51).fill(id), body: "a" } }), "too-large"],
    ["more than 16 successors", commit({ despite: Array(17).fill(key) }), "too-large"],
    ["a later door without its signature", commit({ door: { door: key } })],
    ["a delivery to nobody", '{"type":"deliver","accept":[],"items":[]}'],
    ["a viewer without a door", watch({ door: undefined })],
    ["a host without a key", host({ key: null })],
    ["a host without a door for viewers", host({ doors: [] })],
    ["more than nine doors", host({ doors: Array(10).fill(key) }), "too-large"],
    ["JSON nested as deep as the size allows", deep],
  ])("%s", (_, text, why = "malformed") => {
    expect(parseUp(text)).toMatchObject({ ok: false, why });
  });
});

test.each(["join", "host", "watch"])("a %s of another version is told so, whatever else it holds", (type) => {
  expect(parseUp(`{"type":"${type}","version":1,"colour":"red"}`)).toMatchObject({ ok: false, why: "version" });
});

describe("sizes", () => {
  test("a heartbeat is short", () => {
    const beat = (length: number) => `{"type":"beat","body":"${"a".repeat(length)}"}`;
    expect(parseUp(beat(1024)).ok).toBe(true);
    expect(parseUp(beat(1025))).toMatchObject({ ok: false, why: "too-large" });
  });
  const relay = (length: number) => `{"type":"relay","body":"${"a".repeat(length - 26)}"}`;
  test("a relay may have exactly its limit", () => {
    expect(relay(MAX_RELAY)).toHaveLength(MAX_RELAY);
    expect(parseUp(relay(MAX_RELAY)).ok).toBe(true);
    expect(parseUp(relay(MAX_RELAY + 1))).toMatchObject({ ok: false, why: "too-large" });
    expect(parseUp(relay(2 * MAX_RELAY))).toMatchObject({ ok: false, why: "too-large" });
    const knock = `{"type":"knock","at":"${key}","body":"${"a".repeat(MAX_RELAY - 76)}"}`;
    expect([knock.length, parseUp(knock)]).toMatchObject([MAX_RELAY + 1, { ok: false, why: "too-large" }]);
    expect(parseUp(relay(MAX_RELAY + 2).replace("relay", "tell"))).toMatchObject({ ok: false, why: "too-large" });
  });
  test("a commit may be larger, up to the largest message", () => {
    const restock = (length: number) =>
      `{"type":"restock","token":"${key}","next":"${key}","body":"${"a".repeat(length - 135)}"}`;
    expect(restock(MAX_MESSAGE)).toHaveLength(MAX_MESSAGE);
    expect(parseUp(restock(MAX_MESSAGE)).ok).toBe(true);
    expect(parseUp(restock(MAX_MESSAGE + 1))).toMatchObject({ ok: false, why: "too-large" });
  });
  test("one message holds a limited number of deliveries", () => {
    const deliver = (length: number) =>
      JSON.stringify({ type: "deliver", accept: [], items: Array.from({ length }, () => ({ to: id, body: "a" })) });
    expect(parseUp(deliver(MAX_DELIVERIES)).ok).toBe(true);
    expect(parseUp(deliver(MAX_DELIVERIES + 1))).toMatchObject({ ok: false, why: "too-large" });
  });
  test("text over the cap is refused before it is read", () => {
    expect(parseUp(" ".repeat(MAX_MESSAGE + 1))).toMatchObject({ ok: false, why: "too-large" });
    expect(parseDown(" ".repeat(MAX_DOWN + 1))).toMatchObject({ ok: false, why: "too-large" });
  });
});

test("what is said about a bad message fits a fault and repeats none of its content", () => {
  const marker = "marker".repeat(100);
  for (const text of [
    `{"type":"ping","${marker}":1}`,
    `{"type":"${marker}"}`,
    `{"type":"relay","body":"!${marker}"}`,
  ]) {
    const parsed = parseUp(text);
    const message = parsed.ok ? expect.unreachable() : parsed.message;
    expect(message).not.toContain("marker");
    expect(parseDown(JSON.stringify({ type: "fault", code: "malformed", message })).ok).toBe(true);
  }
});

test("parsing never throws, and what it takes is written as it was read", () => {
  // The second of them makes a key come twice where it lands behind the first brace, which is often.
  const bits = fc.oneof(fc.string(), fc.constantFrom('"type":"ping",', " "));
  const places = fc.oneof(fc.nat(), fc.constant(1));
  const bent = fc.tuple(fc.constantFrom(...ups, ...downs), places, bits).map(([message, at, text]) => {
    const json = JSON.stringify(message);
    return json.slice(0, at % json.length) + text + json.slice(at % json.length);
  });
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), bent), (text) => {
      for (const parsed of [parseUp(text), parseDown(text)]) {
        if (!parsed.ok) continue;
        expect(JSON.parse(text)).toEqual(parsed.value);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
      }
    }),
    { numRuns: 1000 },
  );
});
