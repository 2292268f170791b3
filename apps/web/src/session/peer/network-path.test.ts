import { expect, test } from "vitest";
import type { Stats } from "./link-stats.ts";
import { networkPathOf } from "./network-path.ts";

function entries(local: Partial<Stats>, remote: Partial<Stats>): Stats[] {
  const ends = { localCandidateId: "L", remoteCandidateId: "R" };
  return [
    { id: "T", type: "transport", timestamp: 0, selectedCandidatePairId: "P" } as Stats,
    { id: "O", type: "candidate-pair", timestamp: 0, nominated: true, localCandidateId: "X" } as Stats,
    { id: "P", type: "candidate-pair", timestamp: 0, nominated: true, ...ends } as Stats,
    { id: "L", type: "local-candidate", timestamp: 0, ...local } as Stats,
    { id: "R", type: "remote-candidate", timestamp: 0, ...remote } as Stats,
  ];
}

test.each([
  [{ candidateType: "host" }, { candidateType: "srflx" }, "direct"],
  [{ candidateType: "prflx" }, { candidateType: "host" }, "direct"],
  [{ candidateType: "relay", relayProtocol: "udp" }, { candidateType: "host" }, "relay-udp"],
  [{ candidateType: "relay", relayProtocol: "tcp" }, { candidateType: "relay" }, "relay-tcp"],
  [{ candidateType: "relay", relayProtocol: "tls" }, { candidateType: "prflx" }, "relay-tls"],
  [{ candidateType: "relay" }, { candidateType: "host" }, "relay"],
  [{ candidateType: "srflx" }, { candidateType: "relay" }, "relay"],
])("from %j to %j is %s", (local, remote, way) => {
  expect(networkPathOf(entries(local, remote))).toBe(way);
});

test("no path is known before there is one", () => {
  expect(networkPathOf([])).toBeNull();
});
