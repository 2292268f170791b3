import type { GroupMember } from "@sealcast/keys";
import type { Breach } from "@sealcast/network";
import { ManualClock } from "@sealcast/time";
import { afterEach, expect, test } from "vitest";
import { PAGE_BUDGETS } from "../budgets.ts";
import type { ShownMember } from "./known-peers.ts";
import { Peer, type PeerOptions } from "./peer.ts";

const breaches: Breach[] = [];
const peers: Peer[] = [];
afterEach(() => {
  breaches.length = 0;
  for (const peer of peers.splice(0)) peer.close();
});

/** A member who calls this page: until they have described something, there is no line. */
function caller(): Peer {
  const shown = { member: { leaf: 0 } as GroupMember, name: "Eve" } as unknown as ShownMember;
  const nothing = () => undefined;
  const options = {
    parts: { clock: new ManualClock(), ice: { servers: [], relayOnly: false }, addressRefused: nothing },
    local: { view: { stream: new MediaStream() } },
    signal: nothing,
    reachable: nothing,
    changed: nothing,
    closed: nothing,
    breached: (breach: Breach) => void breaches.push(breach),
  } as unknown as PeerOptions;
  const peer = new Peer(shown, { leaf: 1 } as GroupMember, options);
  peers.push(peer);
  return peer;
}

test("a member who sends more messages than the budget has loses their connection, and nothing counts any more", () => {
  const peer = caller();
  const { burst } = PAGE_BUDGETS.messages;
  const taken = Array.from({ length: 2 * burst }, () => peer.takesMessage()).filter(Boolean);
  expect(taken.length).toBeGreaterThanOrEqual(burst);
  expect(taken.length).toBeLessThan(1.5 * burst);
  expect(breaches).toEqual(["flood"]);
  expect(peer.view).toMatchObject({ connection: "closed", breach: "flood", screen: null });
  expect(peer.link.connection.connectionState).toBe("closed");
  expect(peer.takesMessage()).toBe(false);
});

test("of another member every message counts meanwhile", () => {
  const [one, other] = [caller(), caller()];
  for (let sent = 0; sent < 2 * PAGE_BUDGETS.messages.burst; sent++) one.takesMessage();
  expect(other.takesMessage()).toBe(true);
  expect(other.state).toBe("connecting");
});
