import { createHash } from "node:crypto";
import { concat, fromBase64url, toBase64url, u32 } from "@sealcast/bytes";
import { describe, expect, it } from "vitest";
import { openIdentity, sealIdentity } from "./recovery-key.ts";

const IDENTITY = "AGE-SECRET-KEY-PQ-1EXAMPLE";
const PREFIX = "SEALCAST-VAULT-2.";
const CHEAP = { passes: 1, memoryKiB: 8 };

describe("a recovery key", () => {
  it("gives the identity for its passphrase, however a keyboard composes it, and for no other", async () => {
    const key = await sealIdentity(IDENTITY, "caf\u00e9 noir", CHEAP);
    expect(await openIdentity(` ${key}\n`, "cafe\u0301 noir")).toBe(IDENTITY);
    await expect(openIdentity(key, "cafe noir")).rejects.toMatchObject({ code: "wrong-passphrase" });
  });

  it("is none with more in it, or of another version", async () => {
    const key = await sealIdentity(IDENTITY, "x", CHEAP);
    for (const text of [key + "A".repeat(1000), key.replace("VAULT-2.", "VAULT-3.")])
      await expect(openIdentity(text, "x")).rejects.toMatchObject({ code: "not-age" });
  });

  it("is another one each time", async () => {
    expect(await sealIdentity(IDENTITY, "x", CHEAP)).not.toBe(await sealIdentity(IDENTITY, "x", CHEAP));
  });

  it("with any sign wrong, left out, doubled or swapped with the next has a typo, whatever the passphrase", async () => {
    const key = await sealIdentity(IDENTITY, "x", CHEAP);
    for (let at = PREFIX.length; at < key.length; at++) {
      const [before, sign, next, after] = [key.slice(0, at), key.charAt(at), key.charAt(at + 1), key.slice(at + 2)];
      const typos = [sign === "A" ? "B" : "A", "", sign + sign, "!"].map((typed) => before + typed + next + after);
      if (next !== sign) typos.push(before + next + sign + after);
      for (const typo of typos.filter((typo) => typo !== key && typo.trim() !== key))
        await expect(openIdentity(typo, "y"), typo).rejects.toMatchObject({ code: "mistyped" });
    }
  });

  it("of version 1, which has no checksum, opens with its passphrase and no other", async () => {
    const key = await sealIdentity(IDENTITY, "x", CHEAP);
    const body = fromBase64url(key.slice(PREFIX.length))?.subarray(0, -4) ?? new Uint8Array();
    const earlier = `SEALCAST-VAULT-1.${toBase64url(body)}`;
    expect(await openIdentity(earlier, "x")).toBe(IDENTITY);
    await expect(openIdentity(earlier, "y")).rejects.toMatchObject({ code: "wrong-passphrase" });
  });

  it.each([
    ["too many passes", 11, 8],
    ["no pass", 0, 8],
    ["all memory", 1, 2 ** 31],
    ["hardly any memory", 1, 7],
  ])("that asks for %s is refused before it is tried", async (_, passes, memory) => {
    const key = await sealIdentity(IDENTITY, "x", CHEAP);
    const bytes = fromBase64url(key.slice(PREFIX.length)) ?? new Uint8Array();
    const asking = concat(bytes.subarray(0, 16), u32(passes), u32(memory), bytes.subarray(24, -4));
    const checksum = createHash("sha256").update(asking).digest().subarray(0, 4);
    const refused = openIdentity(PREFIX + toBase64url(concat(asking, checksum)), "x");
    await expect(refused).rejects.toMatchObject({ code: "not-age" });
  });

  it.each(["", "hello", "SEALCAST-VAULT-1.", "SEALCAST-VAULT-1.!!!", `SEALCAST-VAULT-2.${"A".repeat(2000)}`])(
    "%s is none",
    async (text) => {
      await expect(openIdentity(text, "x")).rejects.toMatchObject({ code: "not-age" });
    },
  );
});
