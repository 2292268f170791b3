import type { IncomingMessage } from "node:http";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { shares } from "../server.cases.ts";
import { clientAddress } from "./address.ts";
import { Addresses } from "./addresses.ts";
import { Allowance, type AllowanceShare } from "./allowance.ts";

const limits = {
  address: shares({ socketsPerAddress: 2, joinsPerMinute: 3 }),
  loopback: shares({ socketsPerAddress: 5, joinsPerMinute: 5 }),
};

function addresses() {
  const clock = new ManualClock();
  const all = new Addresses(limits, clock);
  /** How many of these are let in. */
  const opened = (...from: string[]) => from.filter((address) => all.visit(address) !== null).length;
  return { clock, all, opened };
}

test("an address holds a limited number of sockets at a time; another its own", () => {
  const { clock, all, opened } = addresses();
  const first = all.visit("192.0.2.1");
  expect(opened("192.0.2.1", "192.0.2.1", "192.0.2.2")).toBe(2);
  clock.advance(milli(60_000));
  expect(opened("192.0.2.1")).toBe(0);
  first?.end();
  expect(opened("192.0.2.1", "192.0.2.1")).toBe(1);
});

test("an address opens a limited number of sockets in a minute, even if it closes them", () => {
  const { clock, all, opened } = addresses();
  for (let i = 0; i < 2; i++) all.visit("192.0.2.1")?.end();
  expect(opened("192.0.2.1")).toBe(0);
  clock.advance(milli(30_000));
  expect(opened("192.0.2.1")).toBe(1);
});

test.each([
  ["IPv4 seen through IPv6", "192.0.2.1", "::ffff:192.0.2.1", 2],
  ["one customer's IPv6", "2001:db8:1:2::1", "2001:db8:1:2:ffff::", 2],
  ["two customers' IPv6", "2001:db8:1:2::1", "2001:db8:1:3::1", 3],
  ["neighbours in IPv4", "192.0.2.1", "192.0.2.2", 3],
  ["IPv4 in IPv6's hexadecimal", "8.8.8.8", "::ffff:0808:0808", 2],
  ["IPv6 with a zone", "2001:db8:1:2::1%eth0", "2001:db8:1:2::2", 2],
])("%s", (_, one, other, expected) => {
  expect(addresses().opened(one, one, other)).toBe(expected);
});

test("this computer may open more, from each of its addresses", () => {
  const { opened } = addresses();
  expect(opened("127.0.0.1", "::ffff:127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.1")).toBe(5);
  expect(opened("127.9.9.9", "::1")).toBe(2);
  expect(opened("::2", "::2", "::2")).toBe(2);
});

test("a /48 has ten times the share of a /64, however many of these it is", () => {
  const { all, opened, clock } = addresses();
  const each = Array.from({ length: 30 }, (_, i) => `2001:db8:1:${i}::1`);
  expect(opened(...each)).toBe(20);
  expect(opened("2001:db8:2::1")).toBe(1);
  clock.advance(milli(60_000));
  expect(opened(...each), "as long as they are open").toBe(0);
  const joining = addresses().all;
  const visits = each.slice(0, 20).map((address) => joining.visit(address));
  const joins = visits.flatMap((visit) => [visit?.mayJoin("room"), visit?.mayJoin("room")]);
  expect(joins.filter(Boolean)).toHaveLength(30);
  expect(all.visit("192.0.2.1")).not.toBeNull();
});

test("an address joins one room a limited number of times in a minute, over any of its sockets; other rooms count for themselves", () => {
  const { clock, all } = addresses();
  const [one, other] = [all.visit("192.0.2.1"), all.visit("192.0.2.1")];
  const elsewhere = all.visit("192.0.2.2");
  const joined = (room: string) => [one, other, one, other].map((visit) => visit?.mayJoin(room));
  expect(joined("room")).toEqual([true, true, true, false]);
  expect([joined("another")[0], elsewhere?.mayJoin("room")]).toEqual([true, true]);
  clock.advance(milli(20_000));
  expect(joined("room")).toEqual([true, false, false, false]);
});

test("connections and requests have shares of their own, and a /48 has ten times as much", () => {
  const shared = { connectionsPerAddress: 2, requestsPerMinute: 3, socketsPerAddress: 1 };
  const clock = new ManualClock();
  const all = new Addresses({ address: shares(shared), loopback: shares({}) }, clock);
  const first = all.connect("192.0.2.1");
  const connected = (...from: string[]) => from.filter((address) => all.connect(address) !== null).length;
  expect(connected("192.0.2.1", "192.0.2.1", "192.0.2.2")).toBe(2);
  expect(all.visit("192.0.2.1"), "sockets are counted for themselves").not.toBeNull();
  clock.advance(milli(60_000));
  first?.();
  expect(connected("192.0.2.1", "192.0.2.1")).toBe(1);
  expect(["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1"].map((address) => all.mayAsk(address))).toEqual([
    ...[true, true, true],
    false,
  ]);
  const each = Array.from({ length: 30 }, (_, i) => `2001:db8:1:${i}::1`);
  expect(connected(...each)).toBe(20);
});

test("all of a /48 are of one network to rooms, as an IPv4 address is, however it is written", () => {
  const limits = shares({});
  const all = new Addresses({ address: limits, loopback: limits }, new ManualClock());
  const networks = (...from: string[]) => new Set(from.map((address) => all.visit(address)?.network)).size;
  expect(networks("2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:2::1")).toBe(2);
  expect(networks("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2")).toBe(2);
});

test("a /48 is not forgotten before the /64s that count for it", () => {
  const clock = new ManualClock();
  const limits = shares({ socketsPerAddress: 1, keptPerAddress: 100 });
  const all = new Addresses({ address: limits, loopback: limits }, clock);
  clock.advance(milli(59_000));
  all.visit("2001:db8:1:1::1")?.end();
  clock.advance(milli(20_000));
  const late = ["2001:db8:1:2::1", "2001:db8:1:3::1"].map((address) => all.visit(address));
  clock.advance(milli(41_000));
  const shared = [...late, all.visit("2001:db8:1:1::1")].map((visit) => {
    const share: AllowanceShare | undefined = visit?.kept.share(() => share?.use(-50));
    return share;
  });
  for (const share of shared) for (let i = 0; i < 2; i++) share?.use(50);
  expect(shared.reduce((sum, share) => sum + (share?.size ?? 0), 0)).toBe(200);
});

test("what rooms keep is charged to the address that opened them, to all of its /48, and to all", () => {
  const total = new Allowance(1_000);
  const limits = shares({ keptPerAddress: 100 });
  const all = new Addresses({ address: limits, loopback: limits }, new ManualClock(), total);
  const keep = (address: string) => {
    const share: AllowanceShare | undefined = all.visit(address)?.kept.share(() => share?.use(-50));
    return share;
  };
  const rooms = ["2001:db8:1:1::1", "2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"].map(keep);
  const other = keep("192.0.2.1");
  other?.use(50);
  for (const room of rooms) for (let i = 0; i < 3; i++) room?.use(50);
  expect((rooms[0]?.size ?? 0) + (rooms[1]?.size ?? 0)).toBeLessThanOrEqual(100);
  expect(
    rooms.reduce((sum, room) => sum + (room?.size ?? 0), 0),
    "the /48 has twice as much",
  ).toBe(200);
  expect([other?.size, total.used]).toEqual([50, 250]);
});

test("what is forgotten after a minute limits nobody, and an address that is here is not forgotten", () => {
  const { clock, all, opened } = addresses();
  expect(opened("192.0.2.1", "192.0.2.1")).toBe(2);
  all.visit("192.0.2.3")?.end();
  clock.advance(milli(60_000));
  expect(opened("192.0.2.1", "192.0.2.3", "192.0.2.3")).toBe(2);
});

test.each([
  [false, "198.51.100.7", "192.0.2.1"],
  [true, undefined, "192.0.2.1"],
  [true, "198.51.100.7", "198.51.100.7"],
  [true, "10.0.0.1, 198.51.100.7", "198.51.100.7"],
  [true, "2001:db8::1", "2001:db8::1"],
  [true, "198.51.100.7:51234", "198.51.100.7"],
  [true, "[2001:db8::1]:443", "2001:db8::1"],
  [true, "[2001:db8::1]", "2001:db8::1"],
  [true, "198.51.100.7, not an address", null],
  [true, "unknown", null],
  [true, "", null],
  [true, "198.51.100.7,", null],
  [true, "010.1.1.1", null],
  [true, "1.2.3.4:99999999", null],
])("behind a proxy: %s, X-Forwarded-For: %s", (behindProxy, forwarded, expected) => {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const request = { headers, socket: { remoteAddress: "192.0.2.1" } } as unknown as IncomingMessage;
  expect(clientAddress(request, behindProxy)).toBe(expected);
});
