import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import { SetupError } from "./config.ts";
import type { Log } from "./log.ts";
import { bytesOf } from "./sockets/address.ts";

// RFC 8489, section 5: type (2) | length (2) | magic cookie (4) | transaction id (12), then attributes.
const HEADER = 20;
const MAGIC_COOKIE = 0x2112a442;
const BINDING_REQUEST = 0x0001;
const BINDING_SUCCESS = 0x0101;
const XOR_MAPPED_ADDRESS = 0x0020;
/** Section 14: attributes below this must be understood, those from it on may be passed over. */
const COMPREHENSION_OPTIONAL = 0x8000;

export interface Stun {
  readonly port: number;
  close(): void;
}

/**
 * Tells clients the address that they are seen from, over UDP. `host` null: every address, IPv6 and IPv4.
 * Throws SetupError when the port is taken.
 */
export async function startStun(port: number, host: string | null, log: Log): Promise<Stun> {
  const socket = await bind(port, host);
  socket.on("error", (error: NodeJS.ErrnoException) => log({ event: "stun-failed", code: error.code ?? "unknown" }));
  socket.on("message", (request, source) => {
    const response = answer(request, source);
    if (response) socket.send(response, source.port, source.address);
  });
  return { port: socket.address().port, close: () => socket.close() };
}

async function bind(port: number, host: string | null): Promise<Socket> {
  if (host !== null) return bindAs(isIPv6(host) ? "udp6" : "udp4", port, host);
  return bindAs("udp6", port).catch((error: NodeJS.ErrnoException) => {
    const noIpv6 = error.code === "EAFNOSUPPORT" || error.code === "EADDRNOTAVAIL";
    if (noIpv6) return bindAs("udp4", port);
    throw error;
  });
}

async function bindAs(type: "udp4" | "udp6", port: number, address?: string): Promise<Socket> {
  const socket = createSocket(type);
  socket.bind(address === undefined ? { port } : { port, address });
  try {
    await once(socket, "listening");
    return socket;
  } catch (cause) {
    socket.close();
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    const advice = "stop what uses it, or set PORT or STUN_PORT to another; STUN_PORT=0 answers no STUN";
    throw new SetupError("port-taken", `UDP port ${port} is taken: ${advice}.`, cause);
  }
}

/**
 * The response to a Binding request; null for anything else, which stays unanswered. There are no credentials and no
 * error responses, so nobody gains much by forging a source.
 */
export function answer(request: Buffer, source: Pick<RemoteInfo, "address" | "port">): Buffer | null {
  if (!isBindingRequest(request)) return null;
  const address = bytesOf(source.address);
  const response = Buffer.alloc(HEADER + 8 + address.length);
  response.writeUInt16BE(BINDING_SUCCESS, 0);
  response.writeUInt16BE(8 + address.length, 2);
  request.copy(response, 4, 4, HEADER);
  // Section 14.2: 0 (1) | family (1) | port (2) | address, the last two XORed with the cookie and transaction id.
  response.writeUInt16BE(XOR_MAPPED_ADDRESS, HEADER);
  response.writeUInt16BE(4 + address.length, HEADER + 2);
  response.writeUInt8(address.length === 4 ? 1 : 2, HEADER + 5);
  response.writeUInt16BE(source.port ^ (MAGIC_COOKIE >>> 16), HEADER + 6);
  for (const [i, byte] of address.entries()) response.writeUInt8(byte ^ request.readUInt8(4 + i), HEADER + 8 + i);
  return response;
}

/** Section 6.3: one message fills the datagram, its attributes fill the message, and none of them must be understood. */
function isBindingRequest(request: Buffer): boolean {
  if (request.length < HEADER || request.readUInt16BE(0) !== BINDING_REQUEST) return false;
  if (request.readUInt16BE(2) !== request.length - HEADER || request.readUInt32BE(4) !== MAGIC_COOKIE) return false;
  let at = HEADER;
  while (at + 4 <= request.length) {
    if (request.readUInt16BE(at) < COMPREHENSION_OPTIONAL) return false;
    at += 4 + Math.ceil(request.readUInt16BE(at + 2) / 4) * 4;
  }
  return at === request.length;
}
