import { PROTOCOL_VERSION } from "@sealcast/protocol";
import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { hostRoom, watchRoom } from "./index.ts";
import { FakeSocket, nextSocket, nonceOf, useFakeSockets } from "./server-socket.cases.ts";

const stage = useFakeSockets();

const [room, token, load] = ["room", "token", "load"].map((name) => name.padEnd(22, "_")) as [string, string, string];
const nonce = nonceOf("nonce");
const signature = Buffer.alloc(64).toString("base64url");
const host = { key: nonceOf("host"), signature, load, doors: [nonceOf("door")] };
const viewer = { door: nonceOf("door"), signature };

function listener() {
  const heard: string[] = [];
  const events = {
    challenge: (asked: string) => void heard.push(`challenge ${asked === nonce}`),
    event: ({ type }: { type: string }) => void heard.push(type),
    status: (status: string) => void heard.push(status),
    unreadable: () => void heard.push("unreadable"),
    fault: ({ code }: { code: string }) => void heard.push(code),
  };
  return { heard, events };
}

test("a host says who it is first, and hears what is for a host", () => {
  const { heard, events } = listener();
  const way = hostRoom("ws://server/signal", events, stage.clock);
  way.send({ type: "end" });
  const socket = nextSocket(stage);
  way.enter({ nonce: nonceOf("earlier"), ...host });
  way.enter({ nonce, ...host });
  expect(socket.sent).toEqual([{ type: "host", version: PROTOCOL_VERSION, ...host }]);
  socket.say({ type: "hosting", viewers: [], stunPort: null, turn: false, relays: false });
  socket.say({ type: "told", from: room, body: "ask" });
  socket.say({ type: "delivered", body: "other" });
  expect(heard).toEqual(["challenge true", "connected", "hosting", "told"]);
  way.send({ type: "dismiss", viewers: [room] });
  expect(socket.sent.at(-1)).toEqual({ type: "dismiss", viewers: [room] });
  way.close();
  expect(socket.sent.at(-1)).toEqual({ type: "leave" });
});

test("a viewer takes its session up again with its token", () => {
  const { heard, events } = listener();
  const way = watchRoom("ws://server/signal", room, events, stage.clock);
  const first = nextSocket(stage);
  way.enter({ nonce, ...viewer });
  first.say({ type: "watching", token, resumed: false, host: "here", stunPort: null, turn: false, relays: false });
  first.say({ type: "told", from: room, body: "other" });
  first.close();
  const second = nextSocket(stage);
  way.enter({ nonce, ...viewer });
  const watch = { type: "watch", version: PROTOCOL_VERSION, room, ...viewer };
  expect([first.sent[0], second.sent[0]]).toEqual([
    { ...watch, resume: null },
    { ...watch, resume: token },
  ]);
  expect(heard).toEqual(["challenge true", "connected", "watching", "reconnecting", "challenge true"]);
  way.close();
});

test.each(["dismissed", "refused-door", "room-full", "version"] as const)(
  "a viewer hears that the server ended the socket (%s), and comes again",
  (code) => {
    const { heard, events } = listener();
    const way = watchRoom("ws://server/signal", room, events, stage.clock);
    const socket = nextSocket(stage);
    socket.say({ type: "fault", code, message: "over" });
    nextSocket(stage);
    expect(heard).toEqual(["challenge true", code, "reconnecting", "challenge true"]);
    way.close();
  },
);

test("a host comes again after any fault but one: another load of its page is here", () => {
  const { heard, events } = listener();
  const way = hostRoom("ws://server/signal", events, stage.clock);
  for (const code of ["version", "replaced"] as const) {
    const socket = nextSocket(stage);
    socket.say({ type: "fault", code, message: "over" });
  }
  stage.clock.advance(milli(60_000));
  expect(heard.filter((what) => what !== "reconnecting")).toEqual([
    "challenge true",
    "version",
    "challenge true",
    "replaced",
  ]);
  expect(FakeSocket.all).toHaveLength(2);
  way.close();
});
