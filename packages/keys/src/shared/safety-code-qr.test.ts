import { expect, test } from "vitest";
import { compareScanned, safetyCodeQr } from "./safety-code-qr.ts";

const DIGITS = "012345678901234567890123456789";

test("says scheme, version and digits, in letters of QR's alphanumeric mode", () => {
  expect(safetyCodeQr(DIGITS)).toBe(`SEALCAST:1:${DIGITS}`);
  expect(safetyCodeQr(DIGITS)).toMatch(/^[0-9A-Z $%*+\-./:]+$/);
});

test("is the same as nothing but itself", () => {
  expect(compareScanned(`SEALCAST:1:${DIGITS}`, DIGITS)).toBe("same");
  for (const other of [DIGITS.replace("0", "1"), `${DIGITS}0`, DIGITS.slice(1), "", `${DIGITS}\n`, ` ${DIGITS}`])
    expect(compareScanned(`SEALCAST:1:${other}`, DIGITS), other).toBe("different");
});

test("another version's code is told from a wrong one, and never equal", () => {
  expect(compareScanned(`SEALCAST:2:${DIGITS}`, DIGITS)).toBe("other-version");
  expect(compareScanned(`SEALCAST:01:${DIGITS}`, DIGITS)).toBe("other-version");
});

test("what is no safety code is not called a wrong one", () => {
  for (const text of ["", DIGITS, "https://example.org/", `sealcast:1:${DIGITS}`, ` SEALCAST:1:${DIGITS}`, "SEALCAST:"])
    expect(compareScanned(text, DIGITS), text).toBe("foreign");
});
