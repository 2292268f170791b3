import { PROTOCOL_VERSION } from "@sealcast/protocol";
import { expect, test, vi } from "vitest";
import { FakeSocket, nextSocket, nonceOf, useFakeSockets } from "./server-socket.cases.ts";
import { type Fault, ServerSocket } from "./server-socket.ts";

useFakeSockets();

const id = "i".repeat(22);
const proof = { door: "A".repeat(43), signature: "A".repeat(86) };

function connect({ answers = true } = {}) {
  const heard: string[] = [];
  const socket = new ServerSocket("ws://server/signal", {
    challenge: (nonce) => {
      heard.push("challenge");
      if (answers) socket.enter(nonce, { type: "watch", version: PROTOCOL_VERSION, room: id, ...proof, resume: null });
    },
    message: ({ type }) => void heard.push(type),
    status: (status) => void heard.push(status),
    unreadable: () => void heard.push("unreadable"),
    fault: ({ code }: Fault) => void heard.push(code),
  });
  return { socket, heard };
}

const letIn = (socket: FakeSocket) =>
  socket.say({ type: "watching", token: id, resumed: false, host: "here", stunPort: null });

/** Milliseconds until the next socket is tried, to within 10. */
async function waited(): Promise<number> {
  const known = FakeSocket.all.length;
  const since = Date.now();
  while (FakeSocket.all.length === known) await vi.advanceTimersByTimeAsync(10);
  return Date.now() - since;
}

const last = () => FakeSocket.all.at(-1) ?? expect.unreachable();

test("the wait before a new socket has a limit that doubles from half a second to 15 s", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  connect();
  await nextSocket();
  const waits = [];
  for (let i = 0; i < 7; i++) {
    last().close();
    waits.push(Math.round((await waited()) / 500) * 500);
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
});

test("the wait is any time up to its limit", async () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  connect();
  await nextSocket();
  for (let i = 0; i < 5; i++) {
    last().close();
    expect(await waited()).toBeLessThan(20);
  }
  random.mockReturnValue(0.5);
  last().close();
  expect(await waited()).toBeGreaterThan(7_000);
});

test("once let in, waits begin anew", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  connect();
  await nextSocket();
  for (let i = 0; i < 4; i++) {
    last().close();
    await waited();
  }
  last().open();
  letIn(last());
  last().close();
  expect(await waited()).toBeLessThan(600);
});

test("a server that says what nobody understands is counted, and left alone for longer each time", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  const { heard } = connect();
  await nextSocket();
  for (let i = 0; i < 5; i++) {
    last().dispatchEvent(new MessageEvent("message", { data: "no JSON" }));
    await waited();
    last().open();
  }
  last().dispatchEvent(new MessageEvent("message", { data: "no JSON" }));
  expect(await waited()).toBeGreaterThan(10_000);
  expect(heard.filter((word) => word === "unreadable")).toHaveLength(6);
});

test("bytes are no message, though they spell one", async () => {
  const { heard } = connect();
  const socket = await nextSocket();
  const watching = { type: "watching", token: id, resumed: false, host: "here", stunPort: null };
  socket.dispatchEvent(new MessageEvent("message", { data: new Blob([JSON.stringify(watching)]) }));
  expect(heard).toContain("unreadable");
  expect(heard).not.toContain("watching");
});

test("the first socket is tried at once", async () => {
  connect();
  expect(await waited()).toBeLessThan(20);
});

test("a server that does not answer for 8 s is left for a fresh socket", async () => {
  const { heard } = connect();
  letIn(await nextSocket());
  expect(await waited()).toBeLessThanOrEqual(15_600);
  expect(heard).toEqual(["challenge", "connected", "watching", "reconnecting"]);
});

test("a server that says nothing at all is left, too, though nothing was asked", async () => {
  const { heard } = connect();
  (await nextSocket({ nonce: null })).sent.length = 0;
  expect(await waited()).toBeLessThanOrEqual(15_600);
  expect(heard).toEqual(["reconnecting"]);
});

test("a challenge is answered once, on its own socket, and nothing is sent before the server lets in", async () => {
  const { socket, heard } = connect({ answers: false });
  const entry = { type: "watch", version: PROTOCOL_VERSION, room: id, ...proof, resume: null } as const;
  const first = await nextSocket({ nonce: nonceOf("first") });
  socket.send({ type: "ping" });
  first.say({ type: "fault", code: "idle", message: "the first message is late" });
  first.close();
  const second = await nextSocket({ nonce: nonceOf("second") });
  socket.enter(nonceOf("first"), entry);
  expect([first.sent, second.sent]).toEqual([[], []]);
  socket.enter(nonceOf("second"), entry);
  socket.enter(nonceOf("second"), entry);
  socket.send({ type: "ping" });
  expect(second.sent).toEqual([entry]);
  expect(heard).toEqual(["challenge", "reconnecting", "challenge"]);
});

test("a socket that does not open within 8 s gives its place to another", async () => {
  const { heard } = connect();
  expect(await waited()).toBeLessThan(20);
  expect(await waited()).toBeGreaterThanOrEqual(8_000);
  expect(FakeSocket.all.map(({ readyState }) => readyState)).toEqual([3, 0]);
  expect(heard).toEqual(["reconnecting"]);
});

test.each(["open", "waiting"])(
  "once closed while %s, nothing is tried any more, and nothing is heard",
  async (when) => {
    const { socket, heard } = connect();
    const only = await nextSocket();
    letIn(only);
    if (when === "waiting") only.close();
    socket.close();
    letIn(only);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(heard).toEqual(["challenge", "connected", "watching", "reconnecting"]);
  },
);
