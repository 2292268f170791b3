import { milli } from "@sealcast/time";
import { describe, expect, test } from "vitest";
import { Removals } from "./removals.ts";

const [ANN, BEN, CLEO] = ["aa".repeat(32), "bb".repeat(32), "cc".repeat(32)];
const GUEST = { host: false, hosts: [ANN], mode: "open" } as const;
const HOST = { ...GUEST, host: true };

function announced(...identities: string[]): Uint8Array {
  const removals = new Removals();
  for (const identity of identities) removals.ordered(identity);
  return removals.announcement ?? new Uint8Array();
}

describe("a removal that no commit has carried out yet", () => {
  test("is under way for the host who ordered it, until it is done or the host is none", () => {
    const removals = new Removals();
    expect(removals.announcement).toBeNull();
    removals.ordered(BEN);
    expect(removals.underWay(HOST, milli(0))).toEqual([BEN]);
    expect(removals.underWay(GUEST, milli(0))).toEqual([]);
    removals.done(BEN);
    expect(removals.underWay(HOST, milli(0))).toEqual([]);
    expect(removals.announcement).toBeNull();
  });

  test("is under way for those who hear of it from a host, and not from another member", () => {
    const removals = new Removals();
    removals.heard(ANN, announced(BEN, CLEO), milli(0));
    removals.heard(BEN, announced(ANN), milli(0));
    expect(removals.underWay(GUEST, milli(59_999))).toEqual([BEN, CLEO]);
    expect(removals.underWay({ ...GUEST, hosts: [CLEO] }, milli(0))).toEqual([]);
  });

  test("is what the host said last, and counts for a minute", () => {
    const removals = new Removals();
    removals.heard(ANN, announced(BEN, CLEO), milli(0));
    removals.heard(ANN, announced(CLEO), milli(1));
    expect(removals.underWay(GUEST, milli(60_000))).toEqual([CLEO]);
    expect(removals.underWay(GUEST, milli(60_001))).toEqual([]);
  });

  test("is done once a removal has taken out all of the identity's leaves, and another word counts once they are in again", () => {
    const removals = new Removals();
    removals.heard(ANN, announced(BEN, CLEO), milli(0));
    removals.changed(new Set([ANN, CLEO]), [BEN, CLEO]);
    expect(removals.underWay(GUEST, milli(1))).toEqual([CLEO]);
    removals.heard(ANN, announced(BEN, CLEO), milli(1));
    removals.changed(new Set([ANN, BEN, CLEO]), []);
    expect(removals.underWay(GUEST, milli(1)), "the word came late").toEqual([CLEO]);
    removals.heard(ANN, announced(BEN), milli(2));
    expect(removals.underWay(GUEST, milli(2))).toEqual([BEN]);
  });

  test("is nothing where the announcement is malformed", () => {
    const removals = new Removals();
    for (const length of [0, 1, 31, 33]) removals.heard(ANN, new Uint8Array(length), milli(0));
    expect(removals.underWay(GUEST, milli(0))).toEqual([]);
  });
});
