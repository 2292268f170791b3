import type { Down } from "@sealcast/protocol";
import { ManualClock, milli } from "@sealcast/time";
import { afterEach, beforeEach, expect, vi } from "vitest";

/** The platform's socket, with a server that says what a test has it say. */
export class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static readonly all: FakeSocket[] = [];
  readonly sent: unknown[] = [];
  readyState = 0;

  constructor() {
    super();
    FakeSocket.all.push(this);
  }

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  say(message: Down): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code: 1000, reason: "", wasClean: true }));
  }
}

/** For all tests of the file that calls it, the platform's sockets are these. Gives each test a clock of its own. */
export function useFakeSockets(): { readonly clock: ManualClock } {
  const stage = { clock: new ManualClock() };
  beforeEach(() => {
    stage.clock = new ManualClock();
    vi.stubGlobal("WebSocket", FakeSocket);
    FakeSocket.all.length = 0;
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  return stage;
}

/** A challenge of this name: 32 bytes in base64url. */
export const nonceOf = (name: string): string => Buffer.from(name.padEnd(32)).toString("base64url");

/** The socket that is tried next, opened, and greeted by the server unless told otherwise. */
export function nextSocket(
  { clock }: { clock: ManualClock },
  { nonce = nonceOf("nonce") }: { nonce?: string | null } = {},
): FakeSocket {
  const known = FakeSocket.all.length;
  while (FakeSocket.all.length === known) clock.advance(milli(100));
  const socket = FakeSocket.all.at(-1) ?? expect.unreachable();
  socket.open();
  if (nonce !== null) socket.say({ type: "challenge", nonce });
  return socket;
}
