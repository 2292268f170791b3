import type { Ice } from "@sealcast/network";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { type AddressView, IceAccess } from "./ice-access.ts";
import { Lifetime } from "./lifetime.ts";

const HOUR = 3_600;
const given = {
  type: "turn" as const,
  urls: ["turn:127.0.0.1:3478"],
  username: "1:n",
  credential: "c",
  validFor: HOUR,
};

function setUp({ hidesAddress = false } = {}) {
  const clock = new ManualClock();
  const life = new Lifetime(clock);
  const seen = { asked: 0, refused: 0, hidden: 0, changed: [] as Ice[], view: null as AddressView | null };
  const access = new IceAccess(life, {
    view: { hidesAddress, hasTurn: false },
    show: (view) => {
      seen.view = view;
    },
    changed: (ice) => seen.changed.push(ice),
    hidden: () => seen.hidden++,
    refused: () => seen.refused++,
  });
  const reach = (turn = true) => access.reached({ stunPort: 3478, turn }, () => seen.asked++);
  return { access, seen, life, reach, wait: (seconds: number) => clock.advance(milli(1_000 * seconds)) };
}

const stun = { urls: `stun:${location.hostname}:3478` };
const turn = { urls: given.urls, username: "1:n", credential: "c" };

test("without a TURN server nothing is asked for, and all is as it is", () => {
  const { access, seen, reach, wait } = setUp();
  reach(false);
  access.admitted();
  wait(2 * HOUR);
  expect(seen).toMatchObject({ asked: 0, changed: [], view: { hasTurn: false } });
  expect(access.ice).toEqual({ servers: [stun], relayOnly: false });
});

test("who is let in asks once, and again before what it was given expires", () => {
  const { access, seen, reach, wait } = setUp();
  reach();
  expect(seen.asked, "before it is let in").toBe(0);
  access.admitted();
  access.given(given);
  expect(access.ice.servers).toEqual([stun, turn]);
  expect(seen.changed).toEqual([access.ice]);
  access.admitted();
  wait(0.74 * HOUR);
  expect(seen.asked).toBe(1);
  wait(0.0105 * HOUR);
  expect(seen.asked).toBe(2);
  access.given({ ...given, username: "2:n" });
  expect(access.ice.servers.at(-1)?.username).toBe("2:n");
});

test("an answer that does not come is asked for again, at once over the next socket", () => {
  const { access, seen, reach, wait } = setUp();
  reach();
  access.admitted();
  wait(6);
  expect(seen.asked).toBe(2);
  reach();
  expect(seen.asked).toBe(3);
  access.given(given);
  reach();
  expect(seen.asked, "what it has is still good").toBe(3);
});

test("a server that gives what it was not asked for, or too often, or what no browser takes, changes nothing", () => {
  const { access, seen, reach, wait } = setUp();
  reach();
  access.given(given);
  expect(seen.changed).toEqual([]);
  access.admitted();
  access.given({ ...given, urls: ["turn:[zz]:99999"] });
  expect([seen.changed, seen.refused]).toEqual([[], 1]);
  wait(6);
  access.given({ ...given, validFor: 1 });
  access.given(given);
  expect(seen.changed.length).toBe(1);
  wait(59);
  expect(seen.asked, "no more than once a minute").toBe(2);
});

test("who hides their address goes through the TURN server alone, also before there is one, and where there is none", () => {
  const { access, seen, reach } = setUp({ hidesAddress: true });
  expect(access.ice.relayOnly).toBe(true);
  reach(false);
  expect([access.ice.relayOnly, seen.view]).toEqual([true, { hidesAddress: true, hasTurn: false }]);
  access.actions.hideAddress(false);
  expect(seen.changed.at(-1)?.relayOnly).toBe(false);
  access.actions.hideAddress(true);
  access.actions.hideAddress(true);
  expect(seen.changed.map(({ relayOnly }) => relayOnly)).toEqual([false, true]);
  expect(seen.hidden, "connections that may be direct are replaced, once").toBe(1);
});

test("nothing is asked for once the call is over", () => {
  const { access, seen, reach, life, wait } = setUp();
  reach();
  access.admitted();
  access.given(given);
  life.end();
  wait(2 * HOUR);
  expect(seen.asked).toBe(1);
});
