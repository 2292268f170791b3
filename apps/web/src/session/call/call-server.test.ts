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

/** A page in this phase, whose server says that there is no place for it. */
function full(phase: "joining" | "in-call") {
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("location", new URL("https://call.example.org"));
  for (const name of ["addEventListener", "removeEventListener"]) vi.stubGlobal(name, () => undefined);
  vi.stubGlobal("navigator", {});
  const clock = new ManualClock();
  const refused: string[] = [];
  const shown: string[] = [];
  const media = { life: new Lifetime(clock), ice: { reached: () => undefined, admitted: () => undefined } };
  const server = new CallServer({
    media,
    relay: { reached: () => undefined },
    post: () => undefined,
    show: ({ signalling }: { signalling: string }) => void shown.push(signalling),
    isJoining: () => phase === "joining",
    isInCall: () => phase === "in-call",
    refuse: (problem: string) => void refused.push(problem),
  } as unknown as Options);
  server.open();
  clock.advance(milli(1));
  sockets[0]?.says({ type: "fault", code: "room-full", message: "the room is full" });
  clock.advance(milli(500));
  return { refused, shown };
}

test("a room that is full ends the call of who is on the way in", () => {
  expect(full("joining").refused).toEqual(["room-full"]);
  expect(sockets).toHaveLength(1);
});

test("who is in a call that is full at the server stays in it, and comes again for a place", () => {
  expect(full("in-call")).toEqual({ refused: [], shown: ["reconnecting"] });
  expect(sockets).toHaveLength(2);
});
