import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { concat, toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newIdentity, recipientOf, sealHeader } from "../src/shared/header.ts";
import type { Meta } from "../src/shared/meta.ts";
import { chunkAt, FILE_KEY_BYTES, NONCE_BYTES, payloadBytes, payloadCipher } from "../src/shared/payload.ts";
import { sealIdentity } from "../src/shared/recovery-key.ts";
import { SealedWriter } from "../src/shared/sealed-writer.ts";
import { ID_BYTES, type MetaSigner, sealMeta, signMeta } from "../src/shared/signed-meta.ts";
import { newSigner } from "../src/shared/signer.cases.ts";

const [fileKey, nonce, id] = [random(FILE_KEY_BYTES), random(NONCE_BYTES), random(ID_BYTES)];
const SIZE = 100_000;
const PASSPHRASE = "correct horse";
/** What terminals and readers of lists are led astray by. */
const NAME = "x\x1b[2K\n  signed by \u202E0123";

let directory: string;
let recipient: string;
let signer: MetaSigner;
const at = (name: string) => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sealcast-vault-"));
  const identity = await newIdentity();
  recipient = await recipientOf(identity);
  await writeFile(at("key"), identity);
  const recoveryKey = await sealIdentity(identity, PASSPHRASE, { passes: 1, memoryKiB: 8 });
  await writeFile(at("recovery-key.txt"), `Recovery key of a Sealcast vault.\n\n${recoveryKey}\n`);
  signer = await newSigner();
});

afterAll(() => rm(directory, { recursive: true }));

let exitCode: typeof process.exitCode;
beforeEach(() => {
  exitCode = process.exitCode;
});
afterEach(() => {
  process.exitCode = exitCode;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** The file and its signature, as its maker exports them. `contents`: of each byte. */
async function write(name: string, contents: number): Promise<void> {
  const payload = new Uint8Array(payloadBytes(SIZE));
  payload.set(nonce);
  const writer = new SealedWriter(await payloadCipher(fileKey, nonce), (sealed, place) => payload.set(sealed, place));
  await writer.append(new Uint8Array(SIZE).fill(contents));
  const digests = await writer.finish();
  await writeFile(at(name), concat(await sealHeader(fileKey, [recipient]), payload));
  const facts = { kind: "video/mp4", people: [NAME], created: 8.64e15, seconds: 2 };
  const notes = { title: NAME, signature: null, resealing: false, shared: [] };
  const meta: Meta = { facts, notes, thumbnail: new Uint8Array(), digests };
  const signed = await signMeta(meta, { id, nonce, payloadBytes: payload.length }, signer);
  await writeFile(at(`${name}.sig`), concat(id, await sealMeta(signed, [recipient])));
}

async function run(...args: string[]): Promise<{ code: unknown; said: string }> {
  return runWith("key", args);
}

async function runWith(key: string, args: string[]): Promise<{ code: unknown; said: string }> {
  let said = "";
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => {
      said += String(text);
      return true;
    });
  vi.resetModules();
  process.argv = ["node", "vault", ...args, "--key", at(key)];
  await import("./main.ts");
  vi.restoreAllMocks();
  return { code: process.exitCode, said };
}

describe("the command", () => {
  test("opens and verifies what was signed, and says what it is in lines of its own", async () => {
    await write("true", 1);
    expect(await run("open", at("true"), "--out", at("opened"))).toEqual({ code: 0, said: "" });
    expect((await readFile(at("opened"))).equals(new Uint8Array(SIZE).fill(1))).toBe(true);
    expect((await run("verify", at("true"))).said).toContain(`all 2 parts open; signed by ${toHex(signer.publicKey)}`);
    const { code, said } = await run("list", at("true"));
    expect(code).toBe(0);
    expect(said.split("\n").map((line) => line.slice(0, 12))).toEqual([
      at("true").slice(0, 12),
      '  "x[2K  sig',
      "  with x[2K ",
      "  signed by ",
      "",
    ]);
    expect(said.split("\n")[3]).toBe(`  signed by ${toHex(signer.publicKey)}`);
  });

  test.each(["open", "verify"])(
    "gives nothing of what a recipient sealed under another's signature: %s",
    async (command) => {
      await write("true", 1);
      const sidecar = await readFile(at("true.sig"));
      await write("forged", 2);
      // Its last part is the signed one, so that it is found while it is read.
      const [whole, forged] = [await readFile(at("true")), await readFile(at("forged"))];
      const header = whole.length - payloadBytes(SIZE);
      forged.set(whole.subarray(header + chunkAt(1)), forged.length - (payloadBytes(SIZE) - chunkAt(1)));
      await writeFile(at("forged"), forged);
      await writeFile(at("forged.sig"), sidecar);
      const { code, said } = await run(command, at("forged"), ...(command === "open" ? ["--out", at("nothing")] : []));
      expect(code).toBe(1);
      expect(said).toContain("Part 0 of the file was altered");
      await expect(readFile(at("nothing"))).rejects.toMatchObject({ code: "ENOENT" });
    },
  );

  test("takes a recovery key as the page saves it, and says of one with a typo that it has one", async () => {
    vi.stubEnv("SEALCAST_VAULT_PASSPHRASE", PASSPHRASE);
    await write("true", 1);
    expect((await runWith("recovery-key.txt", ["verify", at("true")])).code).toBe(0);
    const saved = await readFile(at("recovery-key.txt"), "utf8");
    await writeFile(
      at("mistyped.txt"),
      saved.replace(/(?<=VAULT-2\..{9})./, (sign) => (sign === "A" ? "B" : "A")),
    );
    const { code, said } = await runWith("mistyped.txt", ["verify", at("true")]);
    expect(code).toBe(1);
    expect(said).toContain("This recovery key has a typo");
  });

  test("writes over nothing that is there", async () => {
    await write("true", 1);
    await writeFile(at("mine"), "mine");
    expect((await run("open", at("true"), "--out", at("mine"))).code).toBe(1);
    expect(await readFile(at("mine"), "utf8")).toBe("mine");
  });
});
