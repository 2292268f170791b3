import { toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeKeyPackage } from "../mls/key-package.ts";
import { openHandover, sealHandover } from "./handover.ts";
import { newMembership } from "./room.cases.ts";

const secret = random(32);
const host = await newMembership(secret);
const newcomer = await newMembership(random(32));
const own = await makeKeyPackage(newcomer);

test("opens with the key package that it was made for, and shows the link to nobody else", async () => {
  const sealed = await sealHandover(host, own.publicPackage);
  expect(await openHandover(newcomer, own, sealed)).toEqual(secret);
  expect(toHex(sealed)).not.toContain(toHex(secret));
  expect(await openHandover(newcomer, await makeKeyPackage(newcomer), sealed)).toBeNull();
  expect(await openHandover({ ...newcomer, room: "BAAAAAAAAAAAAAAAAAAAAA" }, own, sealed)).toBeNull();
});

test("one of another length is none", async () => {
  const short = await newMembership(random(31));
  expect(await openHandover(newcomer, own, await sealHandover(short, own.publicPackage))).toBeNull();
});

test("any bytes are refused without a throw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
      expect(await openHandover(newcomer, own, bytes)).toBeNull();
    }),
  );
});
