import { random } from "@sealcast/crypto";
import { expect, test } from "vitest";
import { encodeRoomState, parseRoomState, ROOM_EXTENSION } from "./room-state.ts";

const creator = random(32);
const encoded = encodeRoomState({ creator, mode: "waiting" });

test("a room's state is parsed as it was encoded, in every mode", () => {
  for (const mode of ["open", "waiting", "locked"] as const)
    expect(parseRoomState([encodeRoomState({ creator, mode })])).toEqual({ creator, mode });
  expect(encoded).toEqual({ extensionType: ROOM_EXTENSION, extensionData: Uint8Array.of(1, ...creator, 1) });
});

test("there is exactly one, and no other extension", () => {
  const other = { extensionType: 0xf0a3, extensionData: encoded.extensionData };
  for (const extensions of [[], [other], [encoded, encoded], [encoded, other], [other, encoded]])
    expect(parseRoomState(extensions)).toBeNull();
});

test("another version, length or mode is none", () => {
  const changed = [
    Uint8Array.of(2, ...creator, 1),
    Uint8Array.of(1, ...creator, 3),
    Uint8Array.of(1, ...creator),
    Uint8Array.of(1, ...creator, 1, 0),
    new Uint8Array(),
  ];
  for (const extensionData of changed) expect(parseRoomState([{ ...encoded, extensionData }])).toBeNull();
});
