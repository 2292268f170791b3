import { utf8 } from "@sealcast/bytes";
import { Decrypter, Encrypter, generateHybridIdentity, identityToRecipient, type Recipient } from "age-encryption";
import { VaultError } from "./error.ts";
import { FILE_KEY_BYTES } from "./payload.ts";

/** Who opens a file, as the header of an age file says it. Recipients and identities are age's own strings. */

/** A header holds one of 1.6 KB for each recipient. */
export const MAX_HEADER_BYTES = 256 * 1024;
const MAC_LINE = utf8("\n--- ");
const LINE_FEED = 0x0a;
/** ML-KEM-768 with X25519: what is sealed today stays closed to a quantum computer. */
const HYBRID = /^age1pq1[02-9ac-hj-np-z]{1900,2000}$/;

/** A fresh hybrid identity, `AGE-SECRET-KEY-PQ-1...`. */
export function newIdentity(): Promise<string> {
  return generateHybridIdentity();
}

/** The public half of an identity, `age1pq1...`. */
export function recipientOf(identity: string): Promise<string> {
  return identityToRecipient(identity);
}

export function isHybridRecipient(text: string): boolean {
  return HYBRID.test(text);
}

/** @throws VaultError `unknown-kind` where one of them is not hybrid */
function assertHybrid(recipients: readonly string[]): void {
  if (!recipients.every(isHybridRecipient))
    throw new VaultError(
      "unknown-kind",
      "A recipient is not an age hybrid recipient (age1pq1...). Ask for another one.",
    );
}

/**
 * Tries it: who types a recipient, or gives one, may give one to which nothing can be sealed.
 *
 * @throws VaultError `unknown-kind`
 */
export async function assertRecipient(recipient: string): Promise<void> {
  assertHybrid([recipient]);
  await sealHeader(new Uint8Array(FILE_KEY_BYTES), [recipient]).catch(() => {
    throw new VaultError("unknown-kind", "Nothing can be sealed to this recipient. Ask for it again.");
  });
}

/**
 * The header that gives `fileKey` (16 bytes, stays the caller's) to each of `recipients`, all of them hybrid. Rewriting it
 * shares a file without touching its payload.
 */
export async function sealHeader(fileKey: Uint8Array, recipients: readonly string[]): Promise<Uint8Array> {
  if (recipients.length === 0) throw new Error("a header needs a recipient");
  assertHybrid(recipients);
  const encrypter = new Encrypter();
  encrypter.addRecipient(keyIs(fileKey));
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  // The library gives a header only together with a payload: that of an empty file, under a nonce of its own.
  const file = await encrypter.encrypt(new Uint8Array());
  return file.slice(0, headerBytes(file) ?? 0);
}

/** Comes first among the recipients, and puts the key in the place of the one that the library has drawn. */
function keyIs(fileKey: Uint8Array): Recipient {
  return {
    wrapFileKey(drawn) {
      if (drawn.length !== FILE_KEY_BYTES || fileKey.length !== FILE_KEY_BYTES)
        throw new Error("a file key is 16 bytes");
      drawn.set(fileKey);
      return [];
    },
  };
}

/**
 * The file key, 16 bytes.
 *
 * @param header what a file begins with, no byte more; see headerBytes
 * @throws VaultError `not-for-you` where no identity is among the recipients, `not-age` for anything else
 */
export async function openHeader(header: Uint8Array, identities: readonly string[]): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return keyOf(decrypter, header);
}

/** The same where the file is guarded by a passphrase, which others' files may be. */
export async function openHeaderByPassphrase(header: Uint8Array, passphrase: string): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  return keyOf(decrypter, header);
}

async function keyOf(decrypter: Decrypter, header: Uint8Array): Promise<Uint8Array> {
  return decrypter.decryptHeader(header).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : "";
    if (why.startsWith("no identity matched"))
      throw new VaultError("not-for-you", "This file was not sealed for this vault. Ask its owner to share it.");
    throw new VaultError("not-age", `This is no age file, or its header is damaged (${why}).`);
  });
}

/** How many of the first bytes of a file are its header; null: its end is not among them. */
export function headerBytes(start: Uint8Array): number | null {
  for (let at = 0; at + MAC_LINE.length <= start.length; at++) {
    if (!MAC_LINE.every((byte, i) => start[at + i] === byte)) continue;
    const end = start.indexOf(LINE_FEED, at + MAC_LINE.length);
    return end < 0 ? null : end + 1;
  }
  return null;
}
