import { XWing } from "@hpke/hybridkem-x-wing";
import { expect, test } from "vitest";
import { canSealTo, isUsable } from "./kem-key.ts";
import { mlsSuite } from "./suite.ts";

const suite = await mlsSuite();
const { hpke } = suite;
const KEM_SIZE = 1184;
const NOTHING = new Uint8Array();

async function freshKey(): Promise<Uint8Array> {
  return hpke.exportPublicKey((await hpke.generateKeyPair()).publicKey);
}

/** As the committer would find out. */
async function seals(key: Uint8Array): Promise<boolean> {
  return new XWing()
    .deserializePublicKey(key.slice().buffer)
    .then((recipientPublicKey) => new XWing().encap({ recipientPublicKey }))
    .then(
      () => true,
      () => false,
    );
}

async function expectBoth(key: Uint8Array, usable: boolean, what: string): Promise<void> {
  expect([await isUsable(key), await seals(key)], what).toEqual([usable, usable]);
}

test("to every true key something can be sealed", async () => {
  for (let i = 0; i < 10; i += 1) await expectBoth(await freshKey(), true, `key ${i}`);
  expect(await canSealTo([], suite)).toBe(true);
});

test("to none of another length, and to none of several where one is not", async () => {
  const key = await freshKey();
  for (const wrong of [NOTHING, key.subarray(1), Uint8Array.of(...key, 0)]) await expectBoth(wrong, false, "length");
  expect(await canSealTo([key, key.subarray(1)], suite)).toBe(false);
});

test.for([0, 1, 766, 767])("to none whose number %i is the modulus, and to one below", async (number) => {
  const key = await freshKey();
  for (const [value, usable] of [
    [3328, true],
    [3329, false],
    [4095, false],
  ] as const) {
    const at = Math.floor(number / 2) * 3;
    const [low = 0, middle = 0, high = 0] = key.subarray(at, at + 3);
    const changed =
      number % 2 === 0
        ? [value & 255, (middle & 0xf0) | (value >> 8), high]
        : [low, (middle & 0x0f) | ((value & 15) << 4), value >> 4];
    key.set(changed, at);
    await expectBoth(key, usable, `${value}`);
  }
});

test("to none with a point of low order", async () => {
  const key = await freshKey();
  const p = Uint8Array.of(0xed, ...new Array(30).fill(0xff), 0x7f);
  const points = [[0], [1], [...p], [0xec, ...p.slice(1)], [0xee, ...p.slice(1)]];
  for (const point of points) {
    key.fill(0, KEM_SIZE).set(point, KEM_SIZE);
    await expectBoth(key, false, point.join());
  }
  key.fill(0, KEM_SIZE).set([9], KEM_SIZE);
  await expectBoth(key, true, "the base point");
});
