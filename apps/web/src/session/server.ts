import { milli } from "@sealcast/time";

/** A server that has not answered by then is called unreachable. */
export const SERVER_WITHIN = milli(10_000);
/** What who leaves, or ends a stream, takes to tell the others; they find out anyway. */
export const GOODBYE_WITHIN = milli(1_000);

/** Where the server that gave this page takes sockets. */
export function signallingUrl(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/signal`;
}

/** Where it answers STUN. */
export function stunServers(port: number): RTCIceServer[] {
  return [{ urls: `stun:${location.hostname}:${port}` }];
}
