import type { IncomingMessage } from "node:http";
import { isIP, isIPv4 } from "node:net";

/**
 * Where a request comes from. Behind a proxy of ours it is the last entry of X-Forwarded-For, which that proxy wrote:
 * whatever stands before it, the client may have made up.
 */
export function clientAddress({ headers, socket }: IncomingMessage, behindProxy: boolean): string {
  const [forwarded] = [headers["x-forwarded-for"] ?? ""].flat();
  const last = behindProxy ? (forwarded?.split(",").at(-1)?.trim() ?? "") : "";
  return isIP(last) === 0 ? (socket.remoteAddress ?? "::") : last;
}

/** What counts as one address: all of IPv4, the half of IPv6 that one customer is given (/64). */
export function networkOf(address: string): string {
  return isLoopback(address) ? "loopback" : bytesOf(address).slice(0, 8).join(".");
}

export function isLoopback(address: string): boolean {
  const bytes = bytesOf(address);
  return bytes.length === 4 ? bytes[0] === 127 : bytes.every((byte, i) => byte === (i === 15 ? 1 : 0));
}

/** 4 bytes, or 16: an IPv4 address seen through an IPv6 socket counts as what it is. */
export function bytesOf(address: string): number[] {
  const ipv4 = address.replace(/^::ffff:/i, "");
  if (isIPv4(ipv4)) return ipv4.split(".").map(Number);
  const [head = "", tail] = (address.split("%", 1)[0] ?? "").split("::");
  const [front, back] = [groupsOf(head), groupsOf(tail ?? "")];
  const groups = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

const groupsOf = (text: string): number[] =>
  text.split(":").flatMap((group) => (group ? [Number.parseInt(group, 16)] : []));
