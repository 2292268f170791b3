import { PROTOCOL_VERSION } from "@sealcast/protocol";
import { milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { FakeSocket, nextSocket, nonceOf, useFakeSockets } from "./server-socket.cases.ts";
import { SignallingClient } from "./signalling.ts";

const stage = useFakeSockets();

const [member, token] = ["m".repeat(22), "t".repeat(22)];
const door = nonceOf("door");
const signature = `${"s".repeat(85)}A`;

/** A page that answers each challenge at once, unless told otherwise. */
function connect({ answers = true, isFinal = true } = {}) {
  const heard: string[] = [];
  const signalling = new SignallingClient(
    "ws://server/signal",
    {
      challenge: (nonce) => {
        heard.push("challenge");
        if (answers) signalling.join({ nonce, door, signature });
      },
      event: ({ type }) => void heard.push(type),
      status: (status) => void heard.push(status),
      alive: () => void heard.push("alive"),
      relayToken: ({ url }) => void heard.push(url),
      turn: ({ username }) => void heard.push(username),
      unreadable: () => void heard.push("unreadable"),
      fault: ({ code }) => void heard.push(code),
      isFinal: () => isFinal,
    },
    stage.clock,
  );
  return { signalling, heard };
}

const letIn = (socket: FakeSocket, seq = 0) =>
  socket.say({ type: "joined", member, token, seq, resumed: false, stunPort: null, relay: false, turn: false });
const join = { type: "join", version: PROTOCOL_VERSION, door, signature };

test("a challenge is answered with the door; what is sent goes once the server has let in", () => {
  const { signalling, heard } = connect();
  const socket = nextSocket(stage);
  signalling.send({ type: "ping" });
  expect(socket.sent).toEqual([{ ...join, resume: null }]);
  letIn(socket);
  socket.say({ type: "alone" });
  signalling.send({ type: "enter", token: door, knockKey: null });
  expect(socket.sent.at(-1)).toEqual({ type: "enter", token: door, knockKey: null });
  expect(heard).toEqual(["challenge", "connected", "joined", "alone"]);
});

test("what the media relay asks for goes to the page, and is no event of the room", () => {
  const { signalling, heard } = connect();
  const socket = nextSocket(stage);
  letIn(socket);
  signalling.send({ type: "relay-token" });
  expect(socket.sent.at(-1)).toEqual({ type: "relay-token" });
  const [url, validFor] = ["wss://relay.example.org", 120];
  socket.say({ type: "relay-token", url, room: member, identity: token, token: "a.b.c", validFor });
  expect(heard).toEqual(["challenge", "connected", "joined", url]);
});

test("what is asked of the TURN server goes to the page, and is no event of the room", () => {
  const { signalling, heard } = connect();
  const socket = nextSocket(stage);
  letIn(socket);
  signalling.send({ type: "turn" });
  expect(socket.sent.at(-1)).toEqual({ type: "turn" });
  socket.say({ type: "turn", urls: ["turn:a"], username: "1:name", credential: "c", validFor: 1 });
  expect(heard).toEqual(["challenge", "connected", "joined", "1:name"]);
});

test("a session is taken up where it stood: its token, and the last number that came", () => {
  connect();
  const first = nextSocket(stage);
  letIn(first, 7);
  first.say({ type: "relayed", seq: 9, from: member, body: "body" });
  first.say({ type: "entered", at: door, is: "tip", knockKeys: [] });
  first.close();
  const second = nextSocket(stage);
  expect(second.sent).toEqual([{ ...join, resume: { token, seq: 9 } }]);
});

test("a signature that comes when its socket is gone is not sent on the next", () => {
  const { signalling } = connect({ answers: false });
  const first = nextSocket(stage, { nonce: nonceOf("first") });
  first.close();
  const second = nextSocket(stage, { nonce: nonceOf("second") });
  signalling.join({ nonce: nonceOf("first"), door, signature });
  expect(second.sent).toEqual([]);
  signalling.join({ nonce: nonceOf("second"), door, signature });
  expect(second.sent).toHaveLength(1);
});

test("a challenge that nobody answers does not wedge it: the server gives up, and another socket comes", () => {
  const { heard } = connect({ answers: false });
  const first = nextSocket(stage);
  first.say({ type: "fault", code: "idle", message: "the first message is late" });
  first.close();
  nextSocket(stage);
  expect(heard).toEqual(["challenge", "reconnecting", "challenge"]);
});

test("who finds no place on entering, and may come again, does so ever later, until there is one", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  connect({ isFinal: false });
  const waits: number[] = [];
  const turnAway = (socket: FakeSocket) => {
    letIn(socket);
    socket.say({ type: "fault", code: "room-full", message: "the room is full" });
    const since = stage.clock.now();
    const next = nextSocket(stage);
    waits.push(Math.round((stage.clock.now() - since) / 500) * 500);
    return next;
  };
  let socket = nextSocket(stage);
  for (let i = 0; i < 7; i++) socket = turnAway(socket);
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  letIn(socket);
  socket.say({ type: "entered", at: door, is: "tip", knockKeys: [] });
  turnAway(socket);
  expect(waits.at(-1)).toBe(500);
});

test("a door that the server refuses ends it", () => {
  const { heard } = connect();
  const socket = nextSocket(stage);
  socket.say({ type: "fault", code: "refused-door", message: "the signature is not this door's" });
  socket.close();
  stage.clock.advance(milli(60_000));
  expect(heard).toContain("refused-door");
  expect(FakeSocket.all).toHaveLength(1);
});

test("a server that closes to have its clients come again is met on another socket", () => {
  const { heard } = connect();
  const first = nextSocket(stage);
  letIn(first);
  first.close();
  letIn(nextSocket(stage));
  expect(heard).toEqual(["challenge", "connected", "joined", "reconnecting", "challenge", "connected", "joined"]);
});
