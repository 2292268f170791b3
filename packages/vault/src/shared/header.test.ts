import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { describe, expect, it } from "vitest";
import { openAgeFile } from "./age-file.ts";
import { assertRecipient, newIdentity, recipientOf, sealHeader } from "./header.ts";

const KEY = new Uint8Array(16);

describe("a recipient", () => {
  it("is one to which something can be sealed", async () => {
    const recipient = await recipientOf(await newIdentity());
    await assertRecipient(recipient);
    const other = (at: number) => (recipient[at] === "q" ? "p" : "q");
    for (const text of [
      "",
      "age1pq1qqqq",
      recipient.slice(0, -1),
      `${recipient}q`,
      recipient.slice(0, 100) + other(100) + recipient.slice(101),
      recipient.toUpperCase(),
      await identityToRecipient(await generateX25519Identity()),
    ])
      await expect(assertRecipient(text)).rejects.toMatchObject({ code: "unknown-kind" });
  });
});

describe("a header", () => {
  it("is for one recipient at least, by hybrid recipients alone, and holds a key of 16 bytes", async () => {
    await expect(sealHeader(KEY, [])).rejects.toThrow("needs a recipient");
    const classical = await identityToRecipient(await generateX25519Identity());
    await expect(sealHeader(KEY, [classical])).rejects.toMatchObject({ code: "unknown-kind" });
    const hybrid = await recipientOf(await newIdentity());
    await expect(sealHeader(new Uint8Array(15), [hybrid])).rejects.toThrow("16 bytes");
  });
});

it("armor that is larger than what is decoded as a whole is refused before it is read", async () => {
  const reads: number[] = [];
  const file = {
    size: 2 ** 30,
    async read(_: number, length: number) {
      reads.push(length);
      return new TextEncoder().encode("-----BEGIN AGE ENCRYPTED FILE-----\n");
    },
  };
  await expect(openAgeFile(file, { passphrase: "x" })).rejects.toMatchObject({ code: "too-large" });
  expect(Math.max(...reads)).toBeLessThanOrEqual(1024);
});
