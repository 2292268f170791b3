import { type FileHandle, open, readFile, rm } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { toHex } from "@sealcast/bytes";
import { type AgeOpener, openAgeFile, partsOf } from "../src/shared/age-file.ts";
import { VaultError } from "../src/shared/error.ts";
import { kindOf } from "../src/shared/kind.ts";
import { type Meta, withoutControls } from "../src/shared/meta.ts";
import { chunkCount } from "../src/shared/payload.ts";
import { openIdentity } from "../src/shared/recovery-key.ts";
import type { SealedReader, StoredBytes } from "../src/shared/sealed-reader.ts";
import { openSidecar, type Sidecar } from "../src/shared/signed-meta.ts";
import { fileBytes } from "./file.ts";

const usage = `Usage: npm run vault -- list FILE...            says what sealed files are
       npm run vault -- open FILE --out OUT      writes what is in one
       npm run vault -- verify FILE...           opens every part of them, and checks signatures

  --key FILE     a recovery key of a vault, or age identities. Default: the environment's SEALCAST_VAULT_KEY
                 The passphrase of a recovery key, or of a file that has one, comes from SEALCAST_VAULT_PASSPHRASE,
                 or is asked for.

A recording's signature is in the file beside it, FILE.sig.
`;
const READ_BYTES = 4 * 1024 * 1024;
const MAX_KEY_BYTES = 64 * 1024;

/** A sealed file, and its signed details where they are beside it. */
interface Sealed {
  readonly reader: SealedReader;
  readonly details: Sidecar | null;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (typeof asked === "string") return refuse(`${asked}\n\n${usage}`);
  const { command, files, key, out } = asked;
  try {
    const opener = await openerOf(key);
    if (command === "open") return await openTo(files[0] ?? "", opener, out ?? "");
    let failed = 0;
    for (const file of files) failed += await (command === "list" ? list : verify)(file, opener);
    return failed > 0 ? 1 : 0;
  } catch (error) {
    if (error instanceof VaultError || isSystem(error)) return refuse(`${error.message}\n`);
    throw error;
  }
}

interface Asked {
  readonly command: "list" | "open" | "verify";
  readonly files: readonly string[];
  readonly key: string | undefined;
  readonly out: string | undefined;
}

function parse(args: readonly string[]): Asked | string {
  const options = { key: { type: "string" }, out: { type: "string" } } as const;
  try {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [command, ...files] = positionals;
    if (command !== "list" && command !== "open" && command !== "verify") return "Say list, open or verify.";
    if (files.length === 0) return "Name a file.";
    if (command === "open" && (files.length > 1 || values.out === undefined)) return "Name one file, and --out OUT.";
    return { command, files, key: values.key ?? process.env.SEALCAST_VAULT_KEY, out: values.out };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A recovery key takes its passphrase; age identities are taken as they are; without either, a passphrase opens. */
async function openerOf(path: string | undefined): Promise<AgeOpener> {
  if (path === undefined) return { passphrase: await passphrase("The file's passphrase: ") };
  const text = (await readFile(path, "utf8")).slice(0, MAX_KEY_BYTES);
  // The file that the page saves has a sentence before it.
  const [recoveryKey] = /SEALCAST-VAULT-\S+/.exec(text) ?? [];
  if (recoveryKey !== undefined)
    return { identities: [await openIdentity(recoveryKey, await passphrase("The vault's passphrase: "))] };
  const identities = text.split("\n").filter((line) => line.startsWith("AGE-SECRET-KEY-"));
  if (identities.length === 0)
    throw new VaultError("not-age", `${path} holds neither a recovery key nor age identities.`);
  return { identities };
}

async function passphrase(question: string): Promise<string> {
  const given = process.env.SEALCAST_VAULT_PASSPHRASE;
  if (given !== undefined) return given;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

async function list(path: string, opener: AgeOpener): Promise<number> {
  return withSealed(path, opener, async ({ reader, details }) => {
    const kind = details?.meta.facts.kind ?? kindOf(await reader.read(0, 64));
    const lines = [`${path}: ${kind}, ${reader.size} bytes`];
    if (details !== null) lines.push(...told(details.meta), signedBy(details.signer));
    else lines.push("  no details beside it: nobody vouches for who made it");
    process.stdout.write(`${lines.join("\n")}\n`);
  });
}

function told({ facts, notes }: Meta): string[] {
  const length = facts.seconds === null ? "" : `, ${facts.seconds.toFixed(1)} s`;
  return [
    `  "${notes.title}", ${new Date(facts.created).toISOString()}${length}`,
    `  with ${withoutControls(facts.people.join(", ")) || "nobody named"}`,
  ];
}

function signedBy(signer: Uint8Array | null): string {
  return signer === null ? "  not signed: nobody vouches for who made it" : `  signed by ${toHex(signer)}`;
}

async function openTo(path: string, opener: AgeOpener, out: string): Promise<number> {
  return withSealed(path, opener, async ({ reader }) => {
    const to = await open(out, "wx");
    try {
      await pipeline(Readable.from(parts(reader)), to.createWriteStream());
    } catch (error) {
      await rm(out);
      throw error;
    }
  });
}

async function verify(path: string, opener: AgeOpener): Promise<number> {
  return withSealed(path, opener, async ({ reader, details }) => {
    for await (const _ of parts(reader));
    const signed = details === null ? "no details beside it" : signedBy(details.signer).trim();
    process.stdout.write(`${path}: all ${chunkCount(reader.size)} parts open; ${signed}\n`);
  });
}

async function* parts(reader: SealedReader): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < reader.size; at += READ_BYTES) yield await reader.read(at, READ_BYTES);
}

/** Says what is wrong with a file, and goes on: 1 for one that failed. */
async function withSealed(path: string, opener: AgeOpener, work: (sealed: Sealed) => Promise<void>): Promise<number> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path);
    const file = await fileBytes(handle);
    const details = await detailsOf(path, file, opener);
    await work({ reader: await openAgeFile(file, opener, details?.meta.digests), details });
    return 0;
  } catch (error) {
    if (!(error instanceof VaultError || isSystem(error))) throw error;
    return refuse(`${path}: ${error.message}\n`);
  } finally {
    await handle?.close();
  }
}

async function detailsOf(path: string, file: StoredBytes, opener: AgeOpener): Promise<Sealed["details"]> {
  const sidecar = await readFile(`${path}.sig`).catch((error: unknown) => {
    if (isSystem(error) && error.code === "ENOENT") return null;
    throw error;
  });
  if (sidecar === null || !("identities" in opener)) return null;
  return openSidecar(sidecar, (await partsOf(file)).payload, opener.identities);
}

function isSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function refuse(why: string): number {
  process.stderr.write(why);
  return 1;
}
