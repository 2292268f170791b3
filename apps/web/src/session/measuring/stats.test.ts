import { expect, test } from "vitest";
import type { Stats } from "../peer/link-stats.ts";
import { numbersOf, pathOf, Totals } from "./stats.ts";

test("a total's growth is over the last steps, and unknown where it begins again", () => {
  const totals = new Totals(3);
  const grew = [1, 2, 4, 8, 16, 3, 5, undefined, 7, 9].map((total) => totals.grew("x", total));
  expect(grew).toEqual([NaN, 1, 3, 7, 14, NaN, 2, NaN, NaN, 2]);
});

test("totals of what is over are forgotten", () => {
  const totals = new Totals(3);
  for (const name of ["sent:camera:1 time", "sent:camera:2 time"]) totals.grew(name, 1);
  totals.forget((name) => name.includes(":1"));
  expect(["sent:camera:1 time", "sent:camera:2 time"].map((name) => totals.grew(name, 3))).toEqual([NaN, 2]);
});

test("of a connection's statistics, numbers are taken that name nobody", () => {
  const stats = [
    { id: "IT01V{1}", type: "inbound-rtp", timestamp: 1, framesDecoded: 7, trackIdentifier: "secret", x: Number.NaN },
    { id: "CP1", type: "candidate-pair", timestamp: 1, nominated: true, currentRoundTripTime: 0.1 },
    { id: "CP2", type: "candidate-pair", timestamp: 1, nominated: false, currentRoundTripTime: 0.1 },
    { id: "I1", type: "local-candidate", timestamp: 1, address: "192.0.2.1", port: 9 },
  ] as unknown as Stats[];
  expect(numbersOf(stats)).toEqual([
    { type: "inbound-rtp", id: "IT01V1", members: [["framesDecoded", 7]] },
    { type: "candidate-pair", id: "CP1", members: [["currentRoundTripTime", 0.1]] },
  ]);
});

test("the path is the one that the transport has chosen, or the only one that was nominated", () => {
  const pair = (id: string) => ({ id, type: "candidate-pair", nominated: true });
  const stats = [pair("CP1"), pair("CP2"), { id: "T1", type: "transport", selectedCandidatePairId: "CP2" }];
  expect(pathOf(stats as unknown as Stats[])?.id).toBe("CP2");
  expect(pathOf(stats.slice(0, 1) as unknown as Stats[])?.id).toBe("CP1");
  expect(pathOf([])).toBeUndefined();
});
