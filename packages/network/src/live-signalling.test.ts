import { PROTOCOL_VERSION } from "@sealcast/protocol";
import { expect, test, vi } from "vitest";
import { hostRoom, watchRoom } from "./index.ts";
import { FakeSocket, nextSocket } from "./server-socket.cases.ts";

const [room, token, load] = ["room", "token", "load"].map((name) => name.padEnd(22, "_")) as [string, string, string];

function listener() {
  const heard: string[] = [];
  const events = {
    event: ({ type }: { type: string }) => void heard.push(type),
    status: (status: string) => void heard.push(status),
    unreadable: () => void heard.push("unreadable"),
    fault: ({ code }: { code: string }) => void heard.push(code),
  };
  return { heard, events };
}

test("a host says who it is first, and hears what is for a host", async () => {
  const { heard, events } = listener();
  const way = hostRoom("ws://server/signal", { room, token, load }, events);
  way.send({ type: "end" });
  const socket = await nextSocket();
  expect(socket.sent).toEqual([{ type: "host", version: PROTOCOL_VERSION, room, token, load }]);
  socket.say({ type: "hosting", viewers: [], stunPort: null });
  socket.say({ type: "told", from: room, body: "ask" });
  socket.say({ type: "delivered", body: "other" });
  expect(heard).toEqual(["connected", "hosting", "told"]);
  way.send({ type: "broadcast", body: "all" });
  expect(socket.sent.at(-1)).toEqual({ type: "broadcast", body: "all" });
  way.close();
  expect(socket.sent.at(-1)).toEqual({ type: "leave" });
});

test("a viewer takes its session up again with its token", async () => {
  const { heard, events } = listener();
  const way = watchRoom("ws://server/signal", room, events);
  const first = await nextSocket();
  first.say({ type: "watching", token, resumed: false, host: "here", stunPort: null });
  first.say({ type: "told", from: room, body: "other" });
  first.close();
  const second = await nextSocket();
  const watch = { type: "watch", version: PROTOCOL_VERSION, room };
  expect([first.sent[0], second.sent[0]]).toEqual([
    { ...watch, resume: null },
    { ...watch, resume: token },
  ]);
  expect(heard).toEqual(["connected", "watching", "reconnecting"]);
  way.close();
});

test("a viewer whom the host dismissed hears so and does not come again", async () => {
  const { heard, events } = listener();
  watchRoom("ws://server/signal", room, events);
  const socket = await nextSocket();
  socket.say({ type: "watching", token, resumed: false, host: "here", stunPort: null });
  socket.say({ type: "fault", code: "dismissed", message: "the host has ended this session" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard).toContain("dismissed");
  expect(FakeSocket.all).toHaveLength(1);
});
