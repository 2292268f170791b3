import { concat, equal, toHex } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escaped, findAfterZeros, unescaped } from "./emulation.ts";
import { escapedSlowly, zeroRich } from "./frames.cases.ts";

const numRuns = Number(process.env.FUZZ_RUNS ?? 500);

describe("emulation prevention", () => {
  test.each([
    ["", "000000000000", "0000030000030000"],
    ["", "000003", "00000303"],
    ["", "000004", "000004"],
    ["00", "0001", "000301"],
    ["0000", "03", "0303"],
    ["0000", "04", "04"],
    ["000003", "0001", "0001"],
  ])("behind %j turns %s into %s", (clear, body, expected) => {
    expect(toHex(escaped(Buffer.from(clear, "hex"), Uint8Array.from(Buffer.from(body, "hex"))))).toBe(expected);
  });

  test("does what the specification's rule says byte by byte, and comes off again", () => {
    fc.assert(
      fc.property(zeroRich, zeroRich, (before, body) => {
        const clear = concat(Uint8Array.of(1), escapedSlowly(concat(Uint8Array.of(1), before)));
        const written = escaped(clear, body);
        if (!equal(concat(clear, written), resumed(clear, body))) throw new Error("escaped otherwise");
        if (!equal(unescaped(clear, written), body)) throw new Error("does not come off again");
      }),
      { numRuns },
    );
  });

  test("takes no copy of bytes that need none", () => {
    const body = Uint8Array.of(0, 0, 4, 0, 1);
    expect(escaped(Uint8Array.of(1), body)).toBe(body);
    expect(unescaped(Uint8Array.of(1), body)).toBe(body);
  });

  test("finds the first small byte behind two zeros, as a search from byte to byte does", () => {
    fc.assert(
      fc.property(zeroRich, fc.nat(20), (list, from) => {
        const slow = list.findIndex((byte, i) => i >= from + 2 && byte <= 3 && list[i - 1] === 0 && list[i - 2] === 0);
        if (findAfterZeros(list, from) !== slow) throw new Error(`not found at ${slow}`);
      }),
      { numRuns },
    );
  });
});

/** The rule for `body`, applied behind bytes that stand as they are. */
function resumed(clear: Uint8Array, body: Uint8Array): Uint8Array {
  const out = [...clear];
  for (const byte of body) {
    if (byte <= 3 && out.at(-1) === 0 && out.at(-2) === 0) out.push(3);
    out.push(byte);
  }
  return Uint8Array.from(out);
}
