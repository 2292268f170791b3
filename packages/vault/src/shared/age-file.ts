import { armor } from "age-encryption";
import { VaultError } from "./error.ts";
import { headerBytes, MAX_HEADER_BYTES, openHeader, openHeaderByPassphrase } from "./header.ts";
import { SealedReader, type StoredBytes } from "./sealed-reader.ts";

/** A whole age file as one piece: header and payload, as it is exported, imported and made by other programs. */

/** Text of an armored file is decoded as a whole. */
const MAX_ARMORED_BYTES = 64 * 1024 * 1024;
const ARMOR = /^\s*-----BEGIN AGE/;

/** What opens a file: identities of age, or a passphrase that guards it. */
export type AgeOpener = { readonly identities: readonly string[] } | { readonly passphrase: string };

/** The two parts of an age file. */
export interface AgeFile {
  readonly header: Uint8Array;
  readonly payload: StoredBytes;
}

/** @throws VaultError `not-age` */
export async function partsOf(file: StoredBytes): Promise<AgeFile> {
  const binary = await dearmored(file);
  const start = await binary.read(0, Math.min(binary.size, MAX_HEADER_BYTES));
  const length = headerBytes(start);
  if (length === null) throw new VaultError("not-age", "This is no age file: it has no header of one.");
  return { header: start.slice(0, length), payload: after(binary, length) };
}

/**
 * The file's contents, any part of which can be read.
 *
 * @param digests as signed: each part is held against its own
 * @throws VaultError `not-age`, `not-for-you`, `tampered`
 */
export async function openAgeFile(file: StoredBytes, opener: AgeOpener, digests?: Uint8Array): Promise<SealedReader> {
  const { header, payload } = await partsOf(file);
  const key = await ("identities" in opener
    ? openHeader(header, opener.identities)
    : openHeaderByPassphrase(header, opener.passphrase));
  return SealedReader.open(payload, key, digests && { digests });
}

/** Bytes that are here. */
export function bytesOf(array: Uint8Array): StoredBytes {
  return { size: array.length, read: async (at, length) => array.subarray(at, at + length) };
}

function after(file: StoredBytes, from: number): StoredBytes {
  return { size: file.size - from, read: (at, length) => file.read(from + at, length) };
}

async function dearmored(file: StoredBytes): Promise<StoredBytes> {
  const start = new TextDecoder().decode(await file.read(0, Math.min(file.size, 1024)));
  if (!ARMOR.test(start)) return file;
  if (file.size > MAX_ARMORED_BYTES) throw new VaultError("too-large", "Armored files may be 64 MiB at most.");
  const text = new TextDecoder().decode(await file.read(0, file.size));
  try {
    return bytesOf(armor.decode(text));
  } catch {
    throw new VaultError("not-age", "The file's armor is damaged.");
  }
}
