import { fromHex, toHex } from "@sealcast/bytes";
import { expect, test } from "vitest";
import vectorText from "../vectors/sframe/test-vectors.json?raw";
import { encodeHeader, parseHeader } from "./index.ts";

/** RFC 9605's own header vectors. Their 64-bit numbers are read as text, since JSON.parse would round them. */
export function headerVectorCases(): void {
  const quoted = vectorText.replace(/"(kid|ctr)": *(\d+)/g, '"$1": "$2"');
  const { header } = JSON.parse(quoted) as { header: { kid: string; ctr: string; encoded: string }[] };

  test("every header vector of RFC 9605, both ways", () => {
    expect(header).toHaveLength(289);
    for (const { kid, ctr, encoded } of header) {
      expect(toHex(encodeHeader(BigInt(kid), BigInt(ctr)))).toBe(encoded);
      expect(parseHeader(fromHex(encoded) ?? new Uint8Array())).toEqual({ kid: BigInt(kid), counter: BigInt(ctr) });
    }
  });
}
