import { scryptSync } from "node:crypto";
import { expect, test } from "vitest";
import { safetyCode } from "./safety-code.ts";

const ADA = Uint8Array.from({ length: 32 }, (_, i) => i);
/** Differs from Ada's in the last byte only, and makes a group that begins with a zero. */
const BEN = Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 100 : i));

test("is the same on both sides, and is scrypt of both keys", () => {
  const password = Buffer.concat([Buffer.of(1), ADA, BEN]);
  const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 2 ** 27 };
  const bytes = scryptSync(password, "Sealcast safety code", 39, cost);
  const groups = [0, 5, 10, 15, 20, 25].map((at) => String(bytes.readUIntBE(at, 5) % 100_000).padStart(5, "0"));
  const bits = [...bytes.subarray(30)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const symbols = bits.match(/.{6}/g)?.map((six) => Number.parseInt(six, 2));
  const code = { digits: groups.join(""), qr: `SEALCAST:1:${groups.join("")}`, symbols };
  expect(safetyCode(ADA, BEN)).toEqual(code);
  expect(safetyCode(BEN, ADA)).toEqual(code);
}, 20_000);

test("is another one with any other key", () => {
  const other = Uint8Array.from(BEN);
  other[31] = (other[31] ?? 0) ^ 1;
  const [known, changed] = [safetyCode(ADA, BEN), safetyCode(ADA, other)];
  expect(changed.digits).not.toBe(known.digits);
  expect(changed.symbols).not.toEqual(known.symbols);
  expect(known.digits).toMatch(/^\d{30}$/);
  expect(known.symbols).toHaveLength(12);
}, 20_000);
