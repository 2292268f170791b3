import { expect, it } from "vitest";
import { isReachable } from "./candidates.ts";

const to = (address: string, port = 50_000, transport = "udp", component = 1) =>
  `candidate:1 ${component} ${transport} 2122063615 ${address} ${port} typ host generation 0`;

it.each([
  "192.168.1.20",
  "10.0.0.1",
  "172.16.0.9",
  "100.64.0.1",
  "203.0.113.7",
  "223.255.255.254",
  "2001:db8::1",
  "fd00::2",
  "2001:0DB8:0:0::1",
  "0d6a46d3-1dbf-4a63-9d43-6d2c2f7f1d1c.local",
])("%s can be an end of a call, also in a local network", (address) => {
  expect(isReachable(to(address), false)).toBe(true);
});

it.each([
  ["loopback", "127.0.0.1"],
  ["all of loopback", "127.8.9.1"],
  ["IPv6's loopback", "::1"],
  ["loopback, written long", "0:0:0:0:0:0:0:1"],
  ["loopback as an IPv4 address in an IPv6 one", "::ffff:127.0.0.1"],
  ["the same in hexadecimal", "::ffff:7f00:1"],
  ["its former form", "::127.0.0.1"],
  ["this host", "0.0.0.0"],
  ["this host, in IPv6", "::"],
  ["link-local, where clouds answer for a machine", "169.254.169.254"],
  ["IPv6's link-local", "fe80::1"],
  ["the end of that", "febf::1"],
  ["the former site-local", "fec0::1"],
  ["multicast", "224.0.0.251"],
  ["IPv6's multicast", "ff02::fb"],
  ["broadcast", "255.255.255.255"],
  ["a name that browsers would look up", "router.example.com"],
  ["localhost by name", "localhost"],
  ["a name of multicast DNS that no browser made", "printer.local"],
  ["an address in other notations", "2130706433"],
  ["one in octal", "0177.0.0.1.nip.io"],
  ["one with parts left out", "127.1"],
  ["parts that are too large", "192.168.1.256"],
  ["a zone", "fe80::1%eth0"],
  ["nothing", ""],
  ["what leaves the brackets", "::1]/@[2001:db8::1"],
])("%s is none", (_, address) => {
  expect(isReachable(to(address), false)).toBe(false);
});

it("goes by UDP, for RTP, to a port that is no service's", () => {
  const address = "192.168.1.20";
  expect(isReachable(to(address, 1024), false)).toBe(true);
  expect(isReachable(to(address, 50_000, "UDP"), false)).toBe(true);
  for (const port of [0, 9, 53, 161, 1023, 100_000])
    expect(isReachable(to(address, port), false), `${port}`).toBe(false);
  expect(isReachable(to(address, 50_000, "tcp"), false)).toBe(false);
  expect(isReachable(to(address, 50_000, "ssltcp"), false)).toBe(false);
  expect(isReachable(to(address, 50_000, "udp", 2), false)).toBe(false);
  for (const odd of ["", "candidate:1", "candidate:1 1 udp 1 192.168.1.20 1e5 typ host"])
    expect(isReachable(odd, false), odd).toBe(false);
});

it("takes loopback where the server is on this computer, and nothing else besides", () => {
  for (const address of ["127.0.0.1", "::1"]) expect(isReachable(to(address), true), address).toBe(true);
  for (const address of ["169.254.1.1", "0.0.0.0", "::", "localhost", "fe80::1"])
    expect(isReachable(to(address), true), address).toBe(false);
});
