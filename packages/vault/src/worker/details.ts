import { VaultError } from "../shared/error.ts";
import type { Entry } from "../shared/messages.ts";
import type { Meta } from "../shared/meta.ts";
import { plaintextBytes } from "../shared/payload.ts";
import { checkedSigner, openMeta } from "../shared/signed-meta.ts";
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
  const { meta, factsBytes } = await openMeta(await needed(directory, META), [identity]);
  const payload = await snapshot(await directory.getFileHandle(PAYLOAD));
  const signer = await checkedSigner(meta, factsBytes, payload, id);
  return { meta, signer, bytes: plaintextBytes(payload.size) ?? 0 };
}

/** The details of a version that is not finished, which nobody signed yet. */
export async function draftDetails({ directory }: Version, identity: string): Promise<Meta> {
  return (await openMeta(await needed(directory, DRAFT), [identity])).meta;
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
