import { expect, test } from "vitest";
import { Down, MAX_DOWN, MAX_MESSAGE, MAX_RELAY, PROTOCOL_VERSION, Up } from "./index.ts";

/** The fingerprint of the wire in each version. A changed message means a new version, and so a new line here. */
const frozen: Record<number, string> = {
  1: "F-rlSSoawieq5rEFWY6Rtyw64mp4FgpDEEBcNzCai5s",
  2: "Lc7Kv07UBqUpPuzW4M6n4UfocpqYAHV3dHbDZUUkdJI",
  3: "TcW4bwXD1a9twLjhRDzLzz8tosCd0syyc7DJkptqEGY",
  4: "o8BXCLaVBOYjvxx9UO37IsPyl3iis_RhyMUNvjMRUGs",
  5: "53TrxssYk7uMFfU1G17ukacvymw00Q569eWB0DLXRDY",
  6: "WZZRdlGIjf102W2HkjV3oxlhG5DbFNawGhgLqHCwWkM",
  7: "d9eVvddFYJaoiekLkKXZpJJ2_NzCX2vGDqtpEmC1fBI",
  8: "1yPyIxbgt3XL9JCPD_Sn3SOL0f_IBH0IGYlyJYKsct0",
  // The same wire: the callee of two members has the caller offer, which cuts off one that offers itself.
  9: "1yPyIxbgt3XL9JCPD_Sn3SOL0f_IBH0IGYlyJYKsct0",
  // The same wire: a viewer says which codecs play over relays, and a host drops what does not.
  10: "1yPyIxbgt3XL9JCPD_Sn3SOL0f_IBH0IGYlyJYKsct0",
};

/** Versions that changed what pages say to each other alone. */
const PAGES = ["9", "10"];

test("the wire is what its version says", async () => {
  expect(await fingerprint()).toBe(frozen[PROTOCOL_VERSION]);
});

test("no two versions are the same wire, but for those that changed what pages say to each other", () => {
  const wires = Object.entries(frozen).flatMap(([version, wire]) => (PAGES.includes(version) ? [] : [wire]));
  expect(new Set(wires).size).toBe(wires.length);
});

/** Hashes the structure alone: the version's own number, the one numeric literal, stays out. */
async function fingerprint(): Promise<string> {
  const structure = ["kind", "type", "entries", "options", "literal", "requirement", "wrapped", "item", "pipe"];
  const text = JSON.stringify([Up, Down, MAX_MESSAGE, MAX_RELAY, MAX_DOWN], (key, value: unknown) => {
    if (key === "literal" && typeof value === "number") return "PROTOCOL_VERSION";
    if (value instanceof RegExp) return String(value);
    if (!isSchema(value)) return value;
    return Object.fromEntries(structure.filter((name) => name in value).map((name) => [name, value[name]]));
  });
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(hash).toString("base64url");
}

const isSchema = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && "kind" in value && "reference" in value;
