import type { Fault } from "@sealcast/network";
import type { Down } from "@sealcast/protocol";
import { ManualClock, milli } from "@sealcast/time";
import { afterEach, expect, test, vi } from "vitest";
import { Lifetime } from "../lifetime.ts";
import { CallServer } from "./call-server.ts";

type Options = ConstructorParameters<typeof CallServer>[0];

/** Those that the page opened. */
const sockets: Socket[] = [];

class Socket extends EventTarget {
  static readonly OPEN = 1;
  readyState = 1;

  constructor() {
    super();
    sockets.push(this);
  }

  says(message: Down): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  send(): void {}
  close(): void {}
}

afterEach(() => {
  vi.unstubAllGlobals();
  sockets.length = 0;
});

/** A page in this phase, and the socket on which the server speaks to it. */
function pageIn(phase: "joining" | "in-call") {
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("location", new URL("https://call.example.org"));
  for (const name of ["addEventListener", "removeEventListener"]) vi.stubGlobal(name, () => undefined);
  vi.stubGlobal("navigator", {});
  const clock = new ManualClock();
  const refused: string[] = [];
  const relay = { reached: vi.fn(), admitted: vi.fn() };
  const shown: string[] = [];
  const media = { life: new Lifetime(clock), ice: { reached: () => undefined, admitted: () => undefined } };
  const server = new CallServer({
    ...{ media, relay },
    post: () => undefined,
    show: ({ signalling }: { signalling: string }) => void shown.push(signalling),
    isJoining: () => phase === "joining",
    isInCall: () => phase === "in-call",
    refuse: (problem: string) => void refused.push(problem),
  } as unknown as Options);
  server.open();
  clock.advance(milli(1));
  const [socket = expect.unreachable()] = sockets;
  return { clock, relay, refused, shown, socket };
}

/** Such a page, which the server turns away. */
function turnedAway(phase: "joining" | "in-call", code: Fault["code"]) {
  const { clock, refused, shown, socket } = pageIn(phase);
  socket.says({ type: "fault", code, message: "no" });
  clock.advance(milli(500));
  return { refused, shown };
}

test.each([
  ["room-full", "room-full"],
  ["version", "other-version"],
  ["refused-door", "server-unreachable"],
] as const)("a server that says %s ends the call of who is on the way in (%s)", (code, problem) => {
  expect(turnedAway("joining", code).refused).toEqual([problem]);
  expect(sockets).toHaveLength(1);
});

test.each(["room-full", "version"] as const)(
  "who is in a call to which the server says %s stays in it, and comes again for a place",
  (code) => {
    expect(turnedAway("in-call", code)).toEqual({ refused: [], shown: ["reconnecting"] });
    expect(sockets).toHaveLength(2);
  },
);

test("the way to the relay hears that the server let this page in, and then that it is inside", () => {
  const { relay, socket } = pageIn("joining");
  const id = "A".repeat(22);
  const joined = { member: id, token: id, seq: 0, resumed: false, stunPort: null, relay: true, turn: false };
  socket.says({ type: "joined", ...joined });
  expect([relay.reached.mock.calls.length, relay.admitted.mock.calls.length]).toEqual([1, 0]);
  socket.says({ type: "entered", at: "A".repeat(43), is: "tip", knockKeys: [] });
  expect([relay.reached.mock.calls.length, relay.admitted.mock.calls.length]).toEqual([1, 1]);
});
