import { verify } from "@sealcast/crypto";
import { Encrypter } from "age-encryption";
import { bytesOf, openAgeFile } from "./age-file.ts";
import { DIGEST_BYTES, type Signed, signedBytes } from "./digests.ts";
import { VaultError } from "./error.ts";
import { encodeMeta, factsBytes, type Meta, parseMeta } from "./meta.ts";
import { chunkCount, NONCE_BYTES, plaintextBytes } from "./payload.ts";
import type { StoredBytes } from "./sealed-reader.ts";

/** A file's details as a small age file, and the signature in them. */

/** Who signs recordings: an Ed25519 key (32 bytes), and signatures of 64. */
export interface MetaSigner {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** With a signature over its facts, its thumbnail and the payload that has this id, nonce and length. */
export async function signMeta(
  meta: Meta,
  of: Pick<Signed, "id" | "nonce" | "payloadBytes">,
  signer: MetaSigner,
): Promise<Meta> {
  const { digests, thumbnail } = meta;
  const message = await signedBytes({ ...of, digests, thumbnail, facts: factsBytes(meta.facts) });
  const signature = { signer: signer.publicKey, value: await signer.sign(message) };
  return { ...meta, notes: { ...meta.notes, signature } };
}

/** As a small age file for `recipients`, under a key of its own each time. */
export async function sealMeta(meta: Meta, recipients: readonly string[]): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter.encrypt(encodeMeta(meta));
}

/** Bytes of a file's id. */
export const ID_BYTES = 16;

/** What lies beside an exported file. */
export interface Sidecar {
  readonly id: Uint8Array;
  readonly meta: Meta;
  /** Who signed it, checked; null: nobody did. */
  readonly signer: Uint8Array | null;
}

/**
 * `id (16)`, then the details as an age file, held against the payload (PROTOCOL.md section 10.1).
 *
 * @throws VaultError `tampered`, `bad-signature`, `not-for-you`
 */
export async function openSidecar(
  sidecar: Uint8Array,
  payload: StoredBytes,
  identities: readonly string[],
): Promise<Sidecar> {
  const id = sidecar.slice(0, ID_BYTES);
  const { meta, factsBytes } = await openMeta(sidecar.subarray(ID_BYTES), identities);
  return { id, meta, signer: await checkedSigner(meta, factsBytes, payload, id) };
}

/** @throws VaultError `bad-signature` */
export async function checkedSigner(
  { notes: { signature }, digests, thumbnail }: Meta,
  facts: Uint8Array,
  payload: StoredBytes,
  id: Uint8Array,
): Promise<Uint8Array | null> {
  const size = plaintextBytes(payload.size);
  if (size === null || digests.length !== chunkCount(size) * DIGEST_BYTES)
    throw new VaultError("tampered", "The file does not have the length that its details name.");
  if (signature === null) return null;
  const nonce = await payload.read(0, NONCE_BYTES);
  const message = await signedBytes({ id, nonce, payloadBytes: payload.size, digests, facts, thumbnail });
  const key = await crypto.subtle.importKey("raw", new Uint8Array(signature.signer), "Ed25519", false, ["verify"]);
  if (!(await verify(key, message, signature.value)))
    throw new VaultError("bad-signature", "The signature is not good: this file was changed. It is not played.");
  return signature.signer;
}

/** @throws VaultError `tampered`, `not-for-you` */
export async function openMeta(
  sealed: Uint8Array,
  identities: readonly string[],
): Promise<{ meta: Meta; factsBytes: Uint8Array }> {
  const reader = await openAgeFile(bytesOf(sealed), { identities }).catch((error: unknown) => {
    if (error instanceof VaultError && error.code === "not-for-you") throw error;
    throw new VaultError("tampered", "The file's details were altered.");
  });
  return parseMeta(await reader.read(0, reader.size));
}
