import { expect, test } from "vitest";
import { newLink, token } from "./door.cases.ts";
import { type DoorClaim, isSignedByDoor, nodeOf, role, signedByDoor } from "./door.ts";

const challenge = { host: "sealcast.example:8443", nonce: token("nonce") };

test("the signed message, byte by byte", () => {
  const door = Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString("base64url");
  const nonce = Buffer.from(Array.from({ length: 32 }, (_, i) => 64 + i)).toString("base64url");
  const message = Buffer.from(signedByDoor({ door, role: role.later }, { host: "example.org", nonce }));
  const [label, host] = ["Sealcast door", "example.org"].map((text) => Buffer.from(text).toString("hex"));
  expect(message.toString("hex")).toBe(
    `${label}00${"0a"}${"03"}${"000b"}${host}${Buffer.from(door, "base64url").toString("hex")}${Buffer.from(nonce, "base64url").toString("hex")}`,
  );
});

test("a door's signature counts for its use, its socket and its host alone", () => {
  const link = newLink();
  const claim: DoorClaim = { ...link.prove("join", challenge), role: role.join };
  expect(isSignedByDoor(claim, challenge)).toBe(true);
  expect(isSignedByDoor({ ...claim, role: role.listen }, challenge)).toBe(false);
  expect(isSignedByDoor({ ...claim, role: role.later }, challenge)).toBe(false);
  expect(isSignedByDoor({ ...claim, door: newLink().door }, challenge)).toBe(false);
  expect(isSignedByDoor(claim, { ...challenge, nonce: token("another") })).toBe(false);
  expect(isSignedByDoor(claim, { ...challenge, host: "evil.example" })).toBe(false);
});

test("any 32 and 64 bytes are judged without a throw", () => {
  for (let i = 0; i < 64; i++) {
    const door = Buffer.alloc(32, i * 4).toString("base64url");
    const signature = Buffer.alloc(64, 255 - i).toString("base64url");
    expect(isSignedByDoor({ door, signature, role: role.join }, challenge)).toBe(false);
  }
});

test("a node is the hash of a labelled token", () => {
  expect(nodeOf(Buffer.alloc(32).toString("base64url"))).toBe("xM6UoNIvnIvX5s5PcN4WkN3mfXfW3ts0FLVsPU6R1gc");
});
