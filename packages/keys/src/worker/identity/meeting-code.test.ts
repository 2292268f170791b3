import { scryptSync } from "node:crypto";
import { toHex } from "@sealcast/bytes";
import { describe, expect, test } from "vitest";
import { meetingCode } from "./meeting-code.ts";

const ROOM = "EMrwcb6equ8U3pJx5rp1Mg";
const ADA = Uint8Array.from({ length: 32 }, (_, i) => i);
const BEN = Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 100 : i));
const CLEO = new Uint8Array(32).fill(0xee);

describe("the code of a meeting", { timeout: 60_000 }, () => {
  test("is scrypt of the room, the count and the identities in the order of their bytes", () => {
    const password = Buffer.concat([Buffer.of(2), Buffer.from(ROOM), Buffer.of(0, 3), ADA, BEN, CLEO]);
    const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 2 ** 27 };
    const bytes = scryptSync(password, "Sealcast meeting code", 30, cost);
    const groups = [0, 5, 10, 15, 20, 25].map((at) => String(bytes.readUIntBE(at, 5) % 100_000).padStart(5, "0"));
    expect(meetingCode(ROOM, [CLEO, ADA, BEN])).toBe(groups.join(""));
  });

  test("of the example in the protocol", () => {
    expect(meetingCode(ROOM, [ADA, BEN, CLEO])).toBe("368283220066750089839464914994");
  });

  test("does not depend on the order, nor on a second seat of someone", () => {
    const known = meetingCode(ROOM, [ADA, BEN]);
    expect(meetingCode(ROOM, [BEN, ADA])).toBe(known);
    expect(meetingCode(ROOM, [BEN, ADA, BEN.slice()])).toBe(known);
  });

  test("is another one with any other identity, with one more or one fewer, and in any other room", () => {
    const other = Uint8Array.from(BEN, (byte, i) => (i === 31 ? byte ^ 1 : byte));
    const codes = [[ADA, BEN], [ADA, other], [ADA], [ADA, BEN, CLEO], []].map((of) => meetingCode(ROOM, of));
    codes.push(meetingCode("wdopRruKhGclyWFQVlVCBg", [ADA, BEN]));
    expect(new Set(codes).size).toBe(6);
    for (const code of codes) expect(code).toMatch(/^\d{30}$/);
    expect(toHex(other)).not.toBe(toHex(BEN));
  });
});
