import type { IncomingMessage } from "node:http";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { clientAddress } from "./address.ts";
import { Addresses } from "./addresses.ts";

const limits = {
  address: { socketsPerAddress: 2, joinsPerMinute: 3 },
  loopback: { socketsPerAddress: 5, joinsPerMinute: 5 },
};

function addresses() {
  const clock = new ManualClock();
  const all = new Addresses(limits, clock);
  /** How many of these are let in. */
  const opened = (...from: string[]) => from.filter((address) => all.visit(address) !== null).length;
  return { clock, all, opened };
}

test("an address holds so many sockets at a time; another its own", () => {
  const { clock, all, opened } = addresses();
  const first = all.visit("192.0.2.1");
  expect(opened("192.0.2.1", "192.0.2.1", "192.0.2.2")).toBe(2);
  clock.advance(milli(60_000));
  expect(opened("192.0.2.1")).toBe(0);
  first?.end();
  expect(opened("192.0.2.1", "192.0.2.1")).toBe(1);
});

test("an address opens so many in a minute, even if it closes them", () => {
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
  ["this computer", "127.0.0.1", "::1", 3],
])("%s", (_, one, other, expected) => {
  expect(addresses().opened(one, one, other)).toBe(expected);
});

test("this computer may open more", () => {
  const { opened } = addresses();
  expect(opened("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "127.0.0.1", "::1")).toBe(5);
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

test("an address joins one room so many times in a minute, over any of its sockets; other rooms count for themselves", () => {
  const { clock, all } = addresses();
  const [one, other] = [all.visit("192.0.2.1"), all.visit("192.0.2.1")];
  const elsewhere = all.visit("192.0.2.2");
  const joined = (room: string) => [one, other, one, other].map((visit) => visit?.mayJoin(room));
  expect(joined("room")).toEqual([true, true, true, false]);
  expect([joined("another")[0], elsewhere?.mayJoin("room")]).toEqual([true, true]);
  clock.advance(milli(20_000));
  expect(joined("room")).toEqual([true, false, false, false]);
});

test("what is forgotten after a minute limits nobody, and whoever is here is not forgotten", () => {
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
