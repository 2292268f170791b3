import { pathOf } from "../measuring/stats.ts";
import type { Stats } from "./link-stats.ts";

/** `media-relay`: what comes is passed on by the call's media relay. `relay`: the other end's, so that it is not known here how it is reached. The others: this end's, and over what. */
export type NetworkPath = "direct" | "relay" | "relay-udp" | "relay-tcp" | "relay-tls" | "media-relay";

const OVER: ReadonlyMap<string | undefined, NetworkPath> = new Map([
  ["udp", "relay-udp"],
  ["tcp", "relay-tcp"],
  ["tls", "relay-tls"],
]);

/** The path that a connection takes now, out of what its browser counts; null while there is none. */
export function networkPathOf(entries: readonly Stats[]): NetworkPath | null {
  const path = pathOf(entries);
  if (path === undefined) return null;
  const local = entries.find(({ id }) => id === path.localCandidateId);
  if (local?.candidateType === "relay") return OVER.get(local.relayProtocol) ?? "relay";
  const remote = entries.find(({ id }) => id === path.remoteCandidateId);
  return remote?.candidateType === "relay" ? "relay" : "direct";
}
