import { PROTOCOL_VERSION } from "@sealcast/protocol";
import { milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { FakeSocket, nextSocket, nonceOf, useFakeSockets } from "./server-socket.cases.ts";
import { type Fault, ServerSocket } from "./server-socket.ts";

const stage = useFakeSockets();

const id = "i".repeat(22);
const proof = { door: "A".repeat(43), signature: "A".repeat(86) };

function connect({ answers = true } = {}) {
  const heard: string[] = [];
  const socket = new ServerSocket(
    "ws://server/signal",
    {
      challenge: (nonce) => {
        heard.push("challenge");
        if (answers)
          socket.enter(nonce, { type: "watch", version: PROTOCOL_VERSION, room: id, ...proof, resume: null });
      },
      message: ({ type }) => void heard.push(type),
      status: (status) => void heard.push(status),
      unreadable: () => void heard.push("unreadable"),
      fault: ({ code }: Fault) => void heard.push(code),
    },
    stage.clock,
  );
  return { socket, heard };
}

const letIn = (socket: FakeSocket) =>
  socket.say({ type: "watching", token: id, resumed: false, host: "here", stunPort: null, turn: false, relays: false });

/** Milliseconds until the next socket is tried, to within 10. */
function waited(): number {
  const known = FakeSocket.all.length;
  const since = stage.clock.now();
  while (FakeSocket.all.length === known) stage.clock.advance(milli(10));
  return stage.clock.now() - since;
}

const last = () => FakeSocket.all.at(-1) ?? expect.unreachable();

test("the wait before a new socket has a limit that doubles from half a second to 15 s", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  connect();
  nextSocket(stage);
  const waits = [];
  for (let i = 0; i < 7; i++) {
    last().close();
    waits.push(Math.round(waited() / 500) * 500);
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
});

test("the wait is any time up to its limit", () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  connect();
  nextSocket(stage);
  for (let i = 0; i < 5; i++) {
    last().close();
    expect(waited()).toBeLessThan(20);
  }
  random.mockReturnValue(0.5);
  last().close();
  expect(waited()).toBeGreaterThan(7_000);
});

test("once let in, waits start over", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  connect();
  nextSocket(stage);
  for (let i = 0; i < 4; i++) {
    last().close();
    waited();
  }
  last().open();
  letIn(last());
  last().close();
  expect(waited()).toBeLessThan(600);
});

test("a server that says what nobody understands is counted, and left alone for longer each time", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  const { heard } = connect();
  nextSocket(stage);
  for (let i = 0; i < 5; i++) {
    last().dispatchEvent(new MessageEvent("message", { data: "no JSON" }));
    waited();
    last().open();
  }
  last().dispatchEvent(new MessageEvent("message", { data: "no JSON" }));
  expect(waited()).toBeGreaterThan(10_000);
  expect(heard.filter((word) => word === "unreadable")).toHaveLength(6);
});

test("bytes are no message, though they spell one", () => {
  const { heard } = connect();
  const socket = nextSocket(stage);
  const watching = {
    type: "watching",
    token: id,
    resumed: false,
    host: "here",
    stunPort: null,
    turn: false,
    relays: false,
  };
  socket.dispatchEvent(new MessageEvent("message", { data: new Blob([JSON.stringify(watching)]) }));
  expect(heard).toContain("unreadable");
  expect(heard).not.toContain("watching");
});

test("the first socket is tried at once", () => {
  connect();
  expect(waited()).toBeLessThan(20);
});

test("a server that does not answer for 8 s is left for a fresh socket", () => {
  const { heard } = connect();
  letIn(nextSocket(stage));
  expect(waited()).toBeLessThanOrEqual(15_600);
  expect(heard).toEqual(["challenge", "connected", "watching", "reconnecting"]);
});

test("a server that says nothing at all is left, too, though nothing was asked", () => {
  const { heard } = connect();
  nextSocket(stage, { nonce: null }).sent.length = 0;
  expect(waited()).toBeLessThanOrEqual(15_600);
  expect(heard).toEqual(["reconnecting"]);
});

test("a challenge is answered once, on its own socket, and nothing is sent before the server lets in", () => {
  const { socket, heard } = connect({ answers: false });
  const entry = { type: "watch", version: PROTOCOL_VERSION, room: id, ...proof, resume: null } as const;
  const first = nextSocket(stage, { nonce: nonceOf("first") });
  socket.send({ type: "ping" });
  first.say({ type: "fault", code: "idle", message: "the first message is late" });
  first.close();
  const second = nextSocket(stage, { nonce: nonceOf("second") });
  socket.enter(nonceOf("first"), entry);
  expect([first.sent, second.sent]).toEqual([[], []]);
  socket.enter(nonceOf("second"), entry);
  socket.enter(nonceOf("second"), entry);
  socket.send({ type: "ping" });
  expect(second.sent).toEqual([entry]);
  expect(heard).toEqual(["challenge", "reconnecting", "challenge"]);
});

test("a socket that does not open within 8 s gives its place to another", () => {
  const { heard } = connect();
  expect(waited()).toBeLessThan(20);
  expect(waited()).toBeGreaterThanOrEqual(8_000);
  expect(FakeSocket.all.map(({ readyState }) => readyState)).toEqual([3, 0]);
  expect(heard).toEqual(["reconnecting"]);
});

test.each(["open", "waiting"])("once closed while %s, nothing is tried any more, and nothing is heard", (when) => {
  const { socket, heard } = connect();
  const only = nextSocket(stage);
  letIn(only);
  if (when === "waiting") only.close();
  socket.close();
  letIn(only);
  stage.clock.advance(milli(60_000));
  expect(FakeSocket.all).toHaveLength(1);
  expect(heard).toEqual(["challenge", "connected", "watching", "reconnecting"]);
});

test("once the network changed, a socket that is waited for is tried at once, and one that is being opened is tried again", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  const { socket } = connect();
  nextSocket(stage);
  for (let lost = 0; lost < 5; lost++) {
    last().close();
    waited();
  }
  const opening = last();
  socket.wake();
  expect([FakeSocket.all.at(-2), last() === opening, opening.readyState]).toEqual([opening, false, 3]);
  last().close();
  const before = FakeSocket.all.length;
  socket.wake();
  expect(FakeSocket.all.length).toBe(before + 1);
});

test("once the network changed, an open socket is asked, and replaced unless it answers within two seconds", () => {
  const { socket, heard } = connect();
  letIn(nextSocket(stage));
  const [lively] = [last()];
  stage.clock.advance(milli(1_000));
  socket.wake();
  expect(lively.sent.at(-1)).toEqual({ type: "ping" });
  stage.clock.advance(milli(500));
  lively.say({ type: "pong" });
  stage.clock.advance(milli(3_000));
  expect([last() === lively, heard.at(-1)]).toEqual([true, "watching"]);
  socket.wake();
  stage.clock.advance(milli(2_000));
  expect(heard.at(-1)).toBe("reconnecting");
  expect(lively.readyState).toBe(3);
});

test("a session that is over is not woken", () => {
  const { socket } = connect();
  letIn(nextSocket(stage));
  socket.close();
  const before = FakeSocket.all.length;
  socket.wake();
  stage.clock.advance(milli(60_000));
  expect(FakeSocket.all.length).toBe(before);
});
