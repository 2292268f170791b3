import { verify } from "@sealcast/crypto";
import { Decrypter } from "age-encryption";
import { DIGEST_BYTES, signedBytes } from "../shared/digests.ts";
import { VaultError } from "../shared/error.ts";
import type { Entry } from "../shared/messages.ts";
import { type Meta, parseMeta } from "../shared/meta.ts";
import { chunkCount, NONCE_BYTES, plaintextBytes } from "../shared/payload.ts";
import type { Bytes } from "../shared/sealed-reader.ts";
import { readWhole, snapshot } from "./files.ts";
import { DRAFT, META, PAYLOAD } from "./recording.ts";
import type { Version } from "./versions.ts";

/** A version's details, opened and checked. */
export interface Checked {
  readonly meta: Meta;
  /** Who signed it; null: nobody did, which is so for age files of other programs. */
  readonly signer: Uint8Array | null;
  /** Of the file itself. */
  readonly bytes: number;
}

/**
 * The details of a finished version, with its signature held against the payload's nonce, length and digests.
 *
 * @throws VaultError `tampered`, `bad-signature`, `not-for-you`
 */
export async function checkedDetails({ directory }: Version, id: Uint8Array, identity: string): Promise<Checked> {
  const { meta, factsBytes } = await openMeta(await needed(directory, META), identity);
  const payload = await snapshot(await directory.getFileHandle(PAYLOAD));
  const signer = await checkedSigner(meta, factsBytes, payload, id);
  return { meta, signer, bytes: plaintextBytes(payload.size) ?? 0 };
}

/** The details of a version that is not finished, which nobody signed yet. */
export async function draftDetails({ directory }: Version, identity: string): Promise<Meta> {
  return (await openMeta(await needed(directory, DRAFT), identity)).meta;
}

/** @throws VaultError `bad-signature` */
export async function checkedSigner(
  { notes: { signature }, digests }: Meta,
  facts: Uint8Array,
  payload: Bytes,
  id: Uint8Array,
): Promise<Uint8Array | null> {
  const size = plaintextBytes(payload.size);
  if (size === null || digests.length !== chunkCount(size) * DIGEST_BYTES)
    throw new VaultError("tampered", "The file does not have the length that its details name.");
  if (signature === null) return null;
  const nonce = await payload.read(0, NONCE_BYTES);
  const message = await signedBytes({ id, nonce, payloadBytes: payload.size, digests, facts });
  const key = await crypto.subtle.importKey("raw", new Uint8Array(signature.signer), "Ed25519", false, ["verify"]);
  if (!(await verify(key, message, signature.value)))
    throw new VaultError("bad-signature", "The signature is not good: somebody changed this file. It is not played.");
  return signature.signer;
}

/** @throws VaultError `tampered`, `not-for-you` */
export async function openMeta(sealed: Uint8Array, identity: string): Promise<{ meta: Meta; factsBytes: Uint8Array }> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const plain = await decrypter.decrypt(sealed).catch((error: unknown) => {
    const isOthers = error instanceof Error && error.message.startsWith("no identity matched");
    if (isOthers) throw new VaultError("not-for-you", "This file was not sealed for this vault.");
    throw new VaultError("tampered", "The file's details were altered.");
  });
  return parseMeta(plain);
}

/** What a list shows of a version. */
export function entryOf(id: string, { meta, signer, bytes }: Checked, state: Entry["state"]): Entry {
  const { facts, notes, thumbnail } = meta;
  const { title, shared } = notes;
  return { id, title, ...facts, bytes, state, signer, thumbnail, shared };
}

async function needed(directory: FileSystemDirectoryHandle, name: string): Promise<Uint8Array> {
  const bytes = await readWhole(directory, name);
  if (bytes === null) throw new VaultError("not-found", "The file is not in this vault any more.");
  return bytes;
}
