import { fromBase64url, toBase64url } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { expect, test } from "vitest";
import { newOffer, openDetails } from "./details.ts";

const FILE = { name: "../secret\u202e plan.pdf", size: 12_345 };

test("details open for who has the offer, with a name that can be written", async () => {
  const { offer, sealed } = await newOffer(FILE);
  expect(await openDetails(offer, sealed)).toMatchObject({ name: "secret plan.pdf", size: 12_345 });
});

test("the offer alone says nothing of the file: the details are not in it, and their salt is half of its key", async () => {
  const { offer, sealed } = await newOffer(FILE);
  expect(Object.keys(offer)).toEqual(["type", "id", "secret"]);
  const bytes = new TextDecoder("latin1").decode(fromBase64url(sealed) ?? new Uint8Array());
  expect(bytes).not.toContain("plan");
});

test("details of another offer, changed or cut open nothing", async () => {
  const [one, other] = [await newOffer(FILE), await newOffer(FILE)];
  expect(await openDetails(one.offer, other.sealed)).toBeNull();
  expect(await openDetails({ ...one.offer, id: other.offer.id }, one.sealed)).toBeNull();
  expect(await openDetails({ ...one.offer, secret: toBase64url(random(32)) }, one.sealed)).toBeNull();
  expect(await openDetails(one.offer, one.sealed.slice(0, -4))).toBeNull();
  expect(await openDetails(one.offer, "")).toBeNull();
});

test("no file of more than 2 GB is taken for one", async () => {
  const { offer, sealed } = await newOffer({ name: "vast", size: 1e15 });
  expect(await openDetails(offer, sealed)).toBeNull();
});
