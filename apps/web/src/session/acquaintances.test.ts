import type { Pin } from "@sealcast/keys";
import { beforeEach, expect, test } from "vitest";
import { Acquaintances } from "./acquaintances.ts";

const ONE = { identity: "1".repeat(64), name: "Ada" };
const TWO = { identity: "2".repeat(64), name: "Ada" };

let kept: Pin[];
beforeEach(() => {
  kept = [];
});

async function visit(): Promise<Acquaintances> {
  const store = { all: async () => kept, keep: async (pin: Pin) => void kept.unshift(pin) };
  const acquaintances = new Acquaintances(store, () => undefined);
  await acquaintances.load();
  return acquaintances;
}

test("whoever comes is remembered, once", async () => {
  const acquaintances = await visit();
  acquaintances.met(ONE);
  acquaintances.met(ONE);
  expect(kept).toEqual([{ ...ONE, verified: false }]);
  expect((await visit()).standing(ONE)).toBe("known");
});

test("whoever comes with a known name and another key is not remembered, and stays an alarm", async () => {
  (await visit()).verify(ONE, true);
  const later = await visit();
  later.met(TWO);
  expect(kept).toHaveLength(1);
  expect(later.standing(TWO)).toBe("changed");
  later.verify(TWO, true);
  expect((await visit()).standing(TWO)).toBe("verified");
});

test("who was verified stays so under another name, and the name is kept", async () => {
  (await visit()).verify(ONE, true);
  (await visit()).met({ ...ONE, name: "Countess" });
  expect(kept[0]).toEqual({ ...ONE, name: "Countess", verified: true });
});

test("a verification can be taken back", async () => {
  const acquaintances = await visit();
  acquaintances.verify(ONE, true);
  acquaintances.verify(ONE, false);
  expect(acquaintances.standing(ONE)).toBe("known");
});

test("a safety code is asked for once, however often somebody looks while it is computed", async () => {
  const acquaintances = await visit();
  const { identity } = ONE;
  expect(acquaintances.unasked([identity, identity])).toEqual([identity]);
  expect(acquaintances.unasked([identity, TWO.identity])).toEqual([TWO.identity]);
  acquaintances.computed(identity, { digits: "1", qr: "", symbols: [] });
  expect(acquaintances.unasked([identity])).toEqual([]);
});

test("only the same code, scanned from their screen, verifies", async () => {
  const acquaintances = await visit();
  const digits = "1".repeat(30);
  expect(acquaintances.scanned(ONE, `SEALCAST:1:${digits}`)).toBe("foreign");
  acquaintances.computed(ONE.identity, { digits, qr: `SEALCAST:1:${digits}`, symbols: [] });
  acquaintances.met(ONE);
  expect(acquaintances.scanned(ONE, `SEALCAST:1:${"2".repeat(30)}`)).toBe("different");
  expect(acquaintances.scanned(ONE, "https://example.org/")).toBe("foreign");
  expect(acquaintances.standing(ONE)).toBe("known");
  expect(acquaintances.scanned(ONE, `SEALCAST:1:${digits}`)).toBe("same");
  expect((await visit()).standing(ONE)).toBe("verified");
});
