import { ManualClock, milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { LINK_BUDGETS } from "./budgets.ts";
import { sent } from "./description.ts";
import { End } from "./link.cases.ts";
import { LinkAddresses } from "./link-addresses.ts";
import type { Signal } from "./signal.ts";

const host = "candidate:1 1 udp 2122260223 192.0.2.7 50001 typ host generation 0";
const reflexive = "candidate:2 1 udp 1686052607 198.51.100.9 50002 typ srflx raddr 192.0.2.7 rport 50001";
const relay = "candidate:3 1 udp 41885439 203.0.113.5 50003 typ relay raddr 198.51.100.9 rport 50002 generation 0";
const name = "candidate:4 1 udp 1 0d6a46d3-1dbf-4a63-9d43-6d2c2f7f1d1c.local 50004 typ host";

function addresses(relayOnly: boolean) {
  const refused = vi.fn();
  const clock = new ManualClock();
  return { refused, clock, of: new LinkAddresses({ servers: [], relayOnly }, refused, clock) };
}

test("who hides their address names the TURN server's, without the one that it knows them by", () => {
  const { of } = addresses(true);
  expect([host, reflexive, name].map(of.said)).toEqual([null, null, null]);
  expect(of.said(relay)).toBe(
    "candidate:3 1 udp 41885439 203.0.113.5 50003 typ relay raddr 0.0.0.0 rport 0 generation 0",
  );
  expect([host, reflexive, relay, name].map(addresses(false).of.said)).toEqual([host, reflexive, relay, name]);
});

test("nor do they look up another's name on their own network, which is no fault of the other's", () => {
  const hiding = addresses(true);
  expect([host, reflexive, relay, name].map(hiding.of.takes)).toEqual([true, true, true, false]);
  expect(hiding.refused).not.toHaveBeenCalled();
  expect(addresses(false).of.takes(name)).toBe(true);
});

test("a candidate that another end calls one of a TURN server is no other than those it calls something else", () => {
  const { of, refused } = addresses(true);
  for (const address of ["169.254.169.254", "224.0.0.1", "0.0.0.0", "router.local"])
    expect(of.takes(relay.replace("203.0.113.5", address)), address).toBe(false);
  expect(refused).toHaveBeenCalledTimes(4);
  const taken = Array.from({ length: 1_000 }, (_, at) => of.takes(relay.replace("50003", String(20_000 + at))));
  expect(taken.filter(Boolean).length).toBe(LINK_BUDGETS.candidates.burst);
});

test("candidates that are said again take nothing, in the same words only and the latest only", () => {
  const { clock, of } = addresses(false);
  const { burst, perSecond } = LINK_BUDGETS.candidates;
  const other = (at: number) => relay.replace("generation 0", `generation ${at}`);
  for (let at = 0; at < 2_000; at++) {
    clock.advance(milli(1_000 / perSecond));
    expect(of.takes(other(at))).toBe(true);
  }
  clock.advance(milli(1_000 / perSecond));
  const more = Array.from({ length: 2 * burst }, (_, at) => of.takes(other(2_000 + at)));
  expect(more.filter(Boolean).length, "an address in other words is another one").toBe(burst);
  expect(of.takes(other(1_999))).toBe(true);
  expect(of.takes(other(0))).toBe(false);
});

test("a description of theirs names no address of theirs in any line", () => {
  const { of } = addresses(true);
  const lines = ["v=0", "m=audio 50001 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 192.0.2.7", "a=rtcp:50001 IN IP4 192.0.2.7"];
  const sdp = [...lines, `a=${host}`, `a=${reflexive}`, `a=${relay}`, "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP6 ::1"];
  const said = sent(sdp.map((line) => `${line}\r\n`).join(""), of.said, true);
  for (const address of ["192.0.2.7", "198.51.100.9", "::1"]) expect(said).not.toContain(address);
  expect(said).toContain("c=IN IP4 0.0.0.0\r\n");
  expect(said).toContain("typ relay raddr 0.0.0.0 rport 0");
});

test("a connection through a TURN server alone says nothing of this computer; once it may go directly it comes about", async () => {
  const [callee, caller] = [new End(false), new End(true)];
  [caller.other, callee.other] = [callee, caller];
  try {
    caller.link.use({ servers: [], relayOnly: true });
    await vi.waitFor(() => expect(callee.signals.length).toBeGreaterThan(0));
    await vi.waitFor(() => expect(caller.link.connection.iceGatheringState).toBe("complete"));
    expect(said(caller.signals)).not.toMatch(/candidate:|IN IP4 (?!127\.0\.0\.1\\|0\.0\.0\.0)/);
    caller.link.use({ servers: [], relayOnly: false });
    await vi.waitFor(() => expect(caller.link.connection.connectionState).toBe("connected"), { timeout: 10_000 });
    expect(said(caller.signals)).toContain("candidate:");
  } finally {
    for (const { link } of [caller, callee]) link.close();
  }
});

test.each(["negotiationneeded", "signalingstatechange"])(
  "what may be asked from %s on, as the browser begins to ask, is asked all the same",
  async (moment) => {
    const [callee, caller] = [new End(false), new End(true)];
    [caller.other, callee.other] = [callee, caller];
    const { connection } = caller.link;
    try {
      caller.link.use({ servers: [], relayOnly: true });
      await new Promise((done) => connection.addEventListener(moment, done, { once: true }));
      expect(connection.iceGatheringState).toBe("new");
      caller.link.use({ servers: [], relayOnly: false });
      await vi.waitFor(() => expect(connection.connectionState).toBe("connected"), { timeout: 10_000 });
    } finally {
      for (const { link } of [caller, callee]) link.close();
    }
  },
);

const said = (signals: Signal[]): string => JSON.stringify(signals);
