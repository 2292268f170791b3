import { toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { expect, test } from "vitest";
import { areHosts, encodeRoomState, parseRoomState, ROOM_EXTENSION } from "./room-state.ts";

const [one, two] = [random(32), random(32)];
const hosts = [toHex(one), toHex(two)];
const encoded = encodeRoomState({ mode: "waiting", hosts });
const crowd = Array.from({ length: 17 }, () => toHex(random(32)));

test("a room's state is parsed as it was encoded, in every mode and with up to 16 hosts", () => {
  for (const mode of ["open", "waiting", "locked"] as const)
    for (const some of [hosts, hosts.slice(1), crowd.slice(1)])
      expect(parseRoomState([encodeRoomState({ mode, hosts: some })])).toEqual({ mode, hosts: some });
  expect(encoded).toEqual({ extensionType: ROOM_EXTENSION, extensionData: Uint8Array.of(2, 1, 2, ...one, ...two) });
});

test("there is exactly one, and no other extension", () => {
  const other = { extensionType: 0xf0a3, extensionData: encoded.extensionData };
  for (const extensions of [[], [other], [encoded, encoded], [encoded, other], [other, encoded]])
    expect(parseRoomState(extensions)).toBeNull();
});

test("a room has 1 to 16 hosts, none twice", () => {
  for (const some of [[], [...hosts, ...hosts], crowd, [`${hosts[0]}00`], ["zz"]]) {
    expect(areHosts(some)).toBe(false);
    expect(() => encodeRoomState({ mode: "open", hosts: some })).toThrow();
  }
});

test("another version, length, mode or number of hosts is none", () => {
  const changed = [
    Uint8Array.of(1, 1, 1, ...one),
    Uint8Array.of(2, 3, 1, ...one),
    Uint8Array.of(2, 1, 0),
    Uint8Array.of(2, 1, 1),
    Uint8Array.of(2, 1, 1, ...one, 0),
    Uint8Array.of(2, 1, 2, ...one),
    Uint8Array.of(2, 1, 2, ...one, ...one),
    Uint8Array.of(2, 1, 17, ...random(17 * 32)),
    Uint8Array.of(2, 1),
    new Uint8Array(),
  ];
  for (const extensionData of changed) expect(parseRoomState([{ ...encoded, extensionData }])).toBeNull();
});
