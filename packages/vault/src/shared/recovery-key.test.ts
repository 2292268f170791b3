import { concat, fromBase64url, toBase64url, u32 } from "@sealcast/bytes";
import { describe, expect, it } from "vitest";
import { openIdentity, sealIdentity } from "./recovery-key.ts";

const IDENTITY = "AGE-SECRET-KEY-PQ-1EXAMPLE";
const CHEAP = { passes: 1, memoryKiB: 8 };

describe("a recovery key", () => {
  it("gives the identity for its passphrase, however a keyboard composes it, and for no other", async () => {
    const key = await sealIdentity(IDENTITY, "caf\u00e9 noir", CHEAP);
    expect(await openIdentity(` ${key}\n`, "cafe\u0301 noir")).toBe(IDENTITY);
    await expect(openIdentity(key, "cafe noir")).rejects.toMatchObject({ code: "wrong-passphrase" });
  });

  it("is none with more in it, or of another version", async () => {
    const key = await sealIdentity(IDENTITY, "x", CHEAP);
    for (const text of [key + "A".repeat(1000), key.replace("VAULT-1.", "VAULT-2.")])
      await expect(openIdentity(text, "x")).rejects.toMatchObject({ code: "not-age" });
  });

  it("is another one each time", async () => {
    expect(await sealIdentity(IDENTITY, "x", CHEAP)).not.toBe(await sealIdentity(IDENTITY, "x", CHEAP));
  });

  it("with any sign changed gives nothing", async () => {
    const key = await sealIdentity(IDENTITY, "x", CHEAP);
    // Not in the cost, which would take its time.
    for (const at of [20, 60, 90, key.length - 5]) {
      const changed = key.slice(0, at) + (key[at] === "A" ? "B" : "A") + key.slice(at + 1);
      await expect(openIdentity(changed, "x")).rejects.toMatchObject({ code: expect.stringMatching(/wrong|not-age/) });
    }
  });

  it.each([
    ["ever so many passes", 11, 8],
    ["no pass", 0, 8],
    ["all memory", 1, 2 ** 31],
    ["hardly any memory", 1, 7],
  ])("that asks for %s is refused before it is tried", async (_, passes, memory) => {
    const key = await sealIdentity(IDENTITY, "x", CHEAP);
    const bytes = fromBase64url(key.slice("SEALCAST-VAULT-1.".length)) ?? new Uint8Array();
    const asking = concat(bytes.subarray(0, 16), u32(passes), u32(memory), bytes.subarray(24));
    const refused = openIdentity(`SEALCAST-VAULT-1.${toBase64url(asking)}`, "x");
    await expect(refused).rejects.toMatchObject({ code: "not-age" });
  });

  it.each(["", "hello", "SEALCAST-VAULT-1.", "SEALCAST-VAULT-1.!!!", `SEALCAST-VAULT-1.${"A".repeat(2000)}`])(
    "%s is none",
    async (text) => {
      await expect(openIdentity(text, "x")).rejects.toMatchObject({ code: "not-age" });
    },
  );
});
