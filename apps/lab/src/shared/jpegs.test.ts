import fc from "fast-check";
import { expect, test } from "vitest";
import { jpegs } from "./jpegs.ts";

/** A picture's bytes, between its markers: an 0xff among them has a 0x00 behind it. */
const data = fc.array(fc.nat(255)).map((bytes) => bytes.flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte])));
const picture = data.map((bytes) => [0xff, 0xd8, ...bytes, 0xff, 0xd9]);

test("a stream falls apart into its pictures", () => {
  fc.assert(
    fc.property(fc.array(picture), (pictures) => {
      expect(jpegs(Uint8Array.from(pictures.flat())).map((bytes) => [...bytes])).toEqual(pictures);
    }),
  );
});

test("a picture that breaks off is left out", () => {
  expect(jpegs(Uint8Array.of(0xff, 0xd8, 1, 2))).toEqual([]);
});
