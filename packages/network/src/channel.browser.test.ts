import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ChannelKind } from "./channel.ts";
import { PeerLink } from "./link.ts";
import type { Signal } from "./signal.ts";

/** One end of a link, with what it said to the other and what it heard over the channel. */
class End {
  readonly signals: Signal[] = [];
  readonly heard: [ChannelKind, Uint8Array][] = [];
  readonly link: PeerLink;
  other: End | null = null;

  constructor(caller: boolean) {
    this.link = new PeerLink(
      { caller, iceServers: [], stream: new MediaStream(), direction: "sendrecv" },
      {
        signal: (signal) => {
          this.signals.push(signal);
          this.other?.link.receive(reachable(signal));
        },
        line: () => undefined,
        state: () => undefined,
        heard: (kind, body) => void this.heard.push([kind, body]),
      },
    );
  }
}

let caller: End;
let callee: End;
beforeEach(async () => {
  callee = new End(false);
  caller = new End(true);
  [caller.other, callee.other] = [callee, caller];
  await vi.waitFor(() => expect(caller.link.say("heartbeat", Uint8Array.of(1, 2))).toBe(true), { timeout: 10_000 });
});
afterEach(() => {
  for (const end of [caller, callee]) end.link.close();
});

test("both ends hear each other, in order, and the callee made no offer for it", async () => {
  await vi.waitFor(() => expect(callee.link.say("heartbeat", Uint8Array.of(3))).toBe(true));
  callee.link.say("heartbeat", Uint8Array.of(4));
  await vi.waitFor(() => expect(caller.heard.length).toBe(2));
  expect(callee.heard).toEqual([["heartbeat", Uint8Array.of(1, 2)]]);
  expect(caller.heard.map(([, body]) => [...body])).toEqual([[3], [4]]);
  expect(callee.signals.some(({ type, ...rest }) => type === "description" && isOffer(rest))).toBe(false);
});

test("what is too long is not sent; of what comes, only known kinds of bytes that fit are heard", async () => {
  expect(caller.link.say("heartbeat", new Uint8Array(16 * 1024))).toBe(false);
  const sent = vi.spyOn(RTCDataChannel.prototype, "send");
  caller.link.say("heartbeat", Uint8Array.of(5));
  const channel = sent.mock.contexts[0] as RTCDataChannel;
  sent.mockRestore();
  for (const odd of [Uint8Array.of(), Uint8Array.of(99, 1), new Uint8Array(16 * 1024 + 1).fill(1)]) channel.send(odd);
  channel.send("text");
  channel.send(new Uint8Array(16 * 1024).fill(1));
  await vi.waitFor(() => expect(callee.heard.length).toBe(3));
  expect(callee.heard.map(([, body]) => body.length)).toEqual([2, 1, 16 * 1024 - 1]);
});

test("nothing is sent once much waits for the network", () => {
  const body = new Uint8Array(16 * 1024 - 1);
  const said = Array.from({ length: 32 }, () => caller.link.say("heartbeat", body));
  expect(said).toContain(true);
  expect(said).toContain(false);
});

/** A page without a camera hides its addresses behind names, which nothing resolves here. */
function reachable(signal: Signal): Signal {
  if (signal.type === "description") return signal;
  const shown = (candidate: string) => candidate.replace(/\S+\.local/, "127.0.0.1");
  return { ...signal, candidates: signal.candidates.map((one) => ({ ...one, candidate: shown(one.candidate ?? "") })) };
}

function isOffer(rest: object): boolean {
  return "description" in rest && (rest.description as RTCSessionDescriptionInit).type === "offer";
}
