import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/** "address", "address:port" for IPv4, "[address]:port" for IPv6: as proxies write them. */
const WITH_PORT = /^(?:\[(?<inBrackets>[^\]]+)\]|(?<ipv4>[\d.]+))(?::\d{1,5})?$/;

/**
 * Where a request comes from. Behind a proxy of ours it is the last entry of X-Forwarded-For, which that proxy wrote:
 * whatever stands before it, the client may have made up. Null where that entry is no address.
 */
export function clientAddress({ headers, socket }: IncomingMessage, behindProxy: boolean): string | null {
  const [forwarded] = [headers["x-forwarded-for"] ?? []].flat();
  if (!behindProxy || forwarded === undefined) return socket.remoteAddress ?? null;
  const last = forwarded.split(",").at(-1)?.trim() ?? "";
  const { inBrackets, ipv4 } = WITH_PORT.exec(last)?.groups ?? {};
  const address = inBrackets ?? ipv4 ?? last;
  return isAddress(address) ? address : null;
}

/** What counts as one address, the smallest first: an IPv4 address; of IPv6 what one customer is given (/64) and may be given (/48). */
export function networksOf(address: string): readonly [string, ...string[]] {
  const bytes = bytesOf(address);
  if (bytes.length === 4 || isLoopback(address)) return [bytes.join(".")];
  return [bytes.slice(0, 8).join("."), bytes.slice(0, 6).join(".")];
}

export function isLoopback(address: string): boolean {
  return ipaddr.process(address).range() === "loopback";
}

/** 4 bytes, or 16: an IPv4 address seen through an IPv6 socket counts as what it is. */
export function bytesOf(address: string): number[] {
  return ipaddr.process(address).toByteArray();
}

/** Four whole decimal numbers, or IPv6: of IPv4's other notations none is written by a proxy. */
function isAddress(text: string): boolean {
  return ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);
}
