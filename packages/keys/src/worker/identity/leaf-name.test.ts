import { utf8 } from "@sealcast/bytes";
import fc from "fast-check";
import type { LeafNode } from "ts-mls";
import { expect, test } from "vitest";
import { encodeName, isLeafName, NAME_EXTENSION, nameOf } from "./leaf-name.ts";

const capabilities = { versions: [], ciphersuites: [], extensions: [NAME_EXTENSION], proposals: [], credentials: [] };

function read(extensions: LeafNode["extensions"], differs: Partial<LeafNode> = {}): string | null {
  return nameOf({ extensions, capabilities, ...differs } as LeafNode);
}

function readData(...data: number[]): string | null {
  const extensionData = new Uint8Array(130);
  extensionData.set(data);
  return read([{ extensionType: NAME_EXTENSION, extensionData }]);
}

test("a name is one extension of 130 bytes, whatever its length", () => {
  expect(encodeName("Bo")).toEqual({
    extensionType: 0xf0a3,
    extensionData: Uint8Array.of(1, 2, 0x42, 0x6f, ...new Uint8Array(126)),
  });
  expect(readData(1, 2, 0x42, 0x6f)).toBe("Bo");
});

test("a name has 1 to 128 bytes of UTF-8", () => {
  for (const name of ["x", " ", "ä".repeat(64), "\u{1f600}".repeat(32), "\ufeffx", "\ufffd", "a\u202eb"])
    expect(read([encodeName(name)])).toBe(name);
  for (const name of ["", "x".repeat(129), `${"ä".repeat(64)}x`]) expect(() => encodeName(name)).toThrow();
  expect([readData(1, 0), readData(1, 129, ...utf8("x".repeat(128)))]).toEqual([null, null]);
});

test("a name has no controls", () => {
  const controls = [...Array.from({ length: 32 }, (_, i) => i), ...Array.from({ length: 33 }, (_, i) => 0x7f + i)];
  for (const code of controls) {
    const name = `a${String.fromCharCode(code)}`;
    expect(() => encodeName(name)).toThrow();
    const bytes = utf8(name);
    expect(readData(1, bytes.length, ...bytes)).toBeNull();
  }
  expect(read([encodeName("a\u00a0")])).toBe("a\u00a0");
});

test("what is not UTF-8 is no name", () => {
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x41, 0xf4, 0x90, 0x80, 0x80]])
    expect(readData(1, bytes.length, ...bytes)).toBeNull();
  expect(() => encodeName("\ud800")).toThrow();
});

test("another version, another size, padding that is not zero, two names, another extension or a leaf that does not list it", () => {
  expect([readData(0, 1, 0x41), readData(2, 1, 0x41), readData(1, 1, 0x41, 0x42)]).toEqual([null, null, null]);
  const name = encodeName("Bo");
  const sized = (size: number) => ({
    ...name,
    extensionData: Uint8Array.from({ ...name.extensionData, length: size }),
  });
  expect([read([sized(129)]), read([sized(130)]), read([sized(131)])]).toEqual([null, "Bo", null]);
  expect([read([]), read([name, name]), read([{ ...name, extensionType: 0xf0a1 }])]).toEqual([null, null, null]);
  expect(read([name], { capabilities: { ...capabilities, extensions: [] } })).toBeNull();
});

test("any bytes are a name or none, and a name is written in one way only", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 130, maxLength: 130 }), (extensionData) => {
      const extension = { extensionType: NAME_EXTENSION, extensionData };
      const name = read([extension]);
      if (name !== null) expect(encodeName(name)).toEqual(extension);
    }),
  );
});

test("the page may ask beforehand: a name of blanks alone is none", () => {
  expect(["Bo", " Bo ", "ä".repeat(64)].map(isLeafName)).toEqual([true, true, true]);
  expect(["", "  ", "\u3000", "x".repeat(129), "a\nb", "\ud800"].map(isLeafName)).toEqual(Array(6).fill(false));
});
