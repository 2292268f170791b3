import { expect, test } from "vitest";
import { crc16 } from "./crc16.ts";

test("the catalogue's check value of CRC-16/DNP", () => {
  expect(crc16(new TextEncoder().encode("123456789"))).toBe(0xea82);
});

test("of 32 bits and their checksum no one to five wrong bits go unnoticed", () => {
  const none = crc16(new Uint8Array(4));
  const message = Array.from({ length: 32 }, (_, bit) => {
    const bytes = new Uint8Array(4);
    bytes[bit >> 3] = 1 << (bit & 7);
    return crc16(bytes) ^ none;
  });
  // What each wrong bit changes. A checksum is linear: wrong bits go unnoticed when their changes cancel.
  const changes = [...message, ...Array.from({ length: 16 }, (_, bit) => 1 << bit)];
  expect(new Set(changes).size).toBe(48);
  const pairs = new Set<number>();
  const unnoticed: number[] = [];
  for (const [i, a] of changes.entries())
    for (const [j, b] of changes.slice(0, i).entries()) {
      // Two pairs that cancel are four bits, or the same two.
      if (pairs.has(a ^ b)) unnoticed.push(i, j);
      pairs.add(a ^ b);
    }
  for (const change of changes) if (pairs.has(change) || change === 0) unnoticed.push(change);
  for (const [i, a] of changes.entries())
    for (const [j, b] of changes.slice(0, i).entries())
      for (const c of changes.slice(0, j)) if (pairs.has(a ^ b ^ c)) unnoticed.push(a, b, c);
  expect(unnoticed).toEqual([]);
});
