import { toBase64url } from "@sealcast/bytes";
import { parseDown, parseUp, type RoomDown, type RoomUp } from "@sealcast/protocol";
import { MAX_BEAT, MAX_MESSAGE, MAX_RELAY } from "@sealcast/protocol/limits";
import { expect, test } from "vitest";
import { encodeToRoom, type FromRoom, parseFromRoom, type ToRoom } from "./wire.ts";

const id = "a".repeat(22);
const key = "k".repeat(42).concat("A");
const body = Uint8Array.of(1, 2, 3);
const text = toBase64url(body);
const knockKey = { key: "x".repeat(1622), tags: [id] };
const proof = { door: key, signature: "s".repeat(85).concat("A") };

const heard: [RoomDown, FromRoom][] = [
  [
    { type: "challenge", nonce: key },
    { type: "challenge", nonce: key },
  ],
  [
    { type: "joined", member: id, token: id, seq: 7, resumed: true, stunPort: 3478, relay: true, turn: false },
    { type: "joined", member: id, resumed: true },
  ],
  [{ type: "alone" }, { type: "alone" }],
  [
    { type: "entered", at: key, is: "new", knockKeys: [key] },
    { type: "entered", at: key, is: "new", knockKeys: [key] },
  ],
  [
    { type: "groups", tips: [{ at: key, sessions: 2 }] },
    { type: "groups", tips: [{ at: key, sessions: 2 }] },
  ],
  [
    { type: "knock-keys", tips: [{ at: key, ...knockKey }] },
    { type: "knock-keys", tips: [{ at: key, ...knockKey }] },
  ],
  [
    { type: "refused", at: key, successors: [key] },
    { type: "refused", at: key, successors: [key] },
  ],
  [
    { type: "presence", seq: 8, member: id, is: "gone" },
    { type: "presence", member: id, is: "gone" },
  ],
  [
    { type: "relayed", seq: 9, from: id, body: text },
    { type: "relayed", from: id, body },
  ],
  [
    { type: "answered", seq: 9, from: id, body: text },
    { type: "answered", from: id, body },
  ],
  [
    { type: "welcomed", seq: 9, from: id, body: text },
    { type: "welcomed", from: id, body },
  ],
  [
    { type: "heartbeat-relayed", from: id, body: text },
    { type: "heartbeat-relayed", from: id, body },
  ],
  [
    { type: "knocked", seq: 9, from: id, at: key, body: text },
    { type: "knocked", from: id, at: key, body },
  ],
  [
    { type: "ordered", seq: 9, from: id, at: key, next: key, body: text },
    { type: "ordered", from: id, at: key, next: key, body },
  ],
  [
    { type: "history", at: key, edges: [{ next: key, body: text }] },
    { type: "history", at: key, edges: [{ next: key, body }] },
  ],
];

test.each(heard)("a member hears the server's $type with its bodies as bytes", (said, expected) => {
  expect(parseDown(JSON.stringify(said)).ok).toBe(true);
  expect(parseFromRoom(said)).toEqual(expected);
});

const commit = { type: "commit", at: key, next: key, despite: [], door: null, knockKey } as const;
const said: [Exclude<ToRoom, { type: "join" }>, RoomUp][] = [
  [
    { type: "listen", ...proof },
    { type: "listen", ...proof },
  ],
  [
    { type: "enter", token: key, knockKey: null },
    { type: "enter", token: key, knockKey: null },
  ],
  [
    { type: "fetch", token: key },
    { type: "fetch", token: key },
  ],
  [
    { type: "request-keys", all: true },
    { type: "request-keys", all: true },
  ],
  [
    { type: "relay", body },
    { type: "relay", body: text },
  ],
  [
    { type: "beat", body },
    { type: "beat", body: text },
  ],
  [
    { type: "answer", to: id, body },
    { type: "answer", to: id, body: text },
  ],
  [
    { type: "knock", at: key, body },
    { type: "knock", at: key, body: text },
  ],
  [
    { type: "restock", token: key, next: key, body },
    { type: "restock", token: key, next: key, body: text },
  ],
  [
    { ...commit, despite: [], body, welcome: null },
    { ...commit, despite: [], body: text, welcome: null },
  ],
  [
    { ...commit, despite: [key], body, welcome: { to: [id], body } },
    { ...commit, despite: [key], body: text, welcome: { to: [id], body: text } },
  ],
];

test.each(said)("the server reads a member's $type", (message, expected) => {
  const encoded = encodeToRoom(message);
  expect(encoded).toEqual(expected);
  expect(parseUp(JSON.stringify(encoded))).toMatchObject({ ok: true });
});

test("a member's answer to a challenge is whole but for what the page knows", () => {
  const join = { type: "join", nonce: key, ...proof } as const;
  expect(encodeToRoom(join)).toBe(join);
});

test.each([
  ["relayed", MAX_RELAY],
  ["answered", MAX_RELAY],
  ["welcomed", MAX_MESSAGE],
  ["heartbeat-relayed", MAX_BEAT],
] as const)("a body of %s that is longer than %d letters is not read", (type, largest) => {
  const length = (letters: number) => {
    const event = parseFromRoom({ type, seq: 1, from: id, body: "A".repeat(letters) } as RoomDown);
    return "body" in event ? event.body.length : expect.unreachable();
  };
  expect([length(largest), length(largest + 4)]).toEqual([(largest / 4) * 3, 0]);
});

test("a body that no bytes encode to is empty", () => {
  expect(parseFromRoom({ type: "relayed", seq: 1, from: id, body: "A" })).toMatchObject({ body: new Uint8Array() });
});
