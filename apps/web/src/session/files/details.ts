import { fromBase64url, toBase64url, utf8 } from "@sealcast/bytes";
import { hkdf, importBaseKey, openWithSecret, random, sealWithSecret } from "@sealcast/crypto";
import { parseJson, toJson } from "../json.ts";
import { safeFileName } from "./file-name.ts";
import type { FileOffer } from "./offer.ts";
import { FileDetails, MAX_FILE_NAME } from "./words.ts";

/**
 * [Note: A file's key] It takes two halves. The secret goes inside the group, where neither server nor network read it, and every
 * member's page could. The salt goes over the link, sealed under the secret: to who gets the file, and to no other member.
 */

const LABELS = { details: "sealcast file details", chunks: "sealcast file chunks" };
const MAX_DETAILS = 2_048;
const ID_BYTES = 16;
const SECRET_BYTES = 32;

/** A file as it is offered: `sealed` goes over the links to who asks. */
export interface NewOffer {
  readonly offer: FileOffer;
  readonly sealed: string;
  readonly baseKey: CryptoKey;
}

export async function newOffer({ name, size }: Pick<File, "name" | "size">): Promise<NewOffer> {
  const [id, secret, salt] = [random(ID_BYTES), random(SECRET_BYTES), random(SECRET_BYTES)];
  const details = toJson({ name: name.slice(0, MAX_FILE_NAME), size, salt: toBase64url(salt) });
  const offer: FileOffer = { type: "file", id: toBase64url(id), secret: toBase64url(secret) };
  const sealed = toBase64url(await sealWithSecret(secret, LABELS.details, utf8(offer.id), details));
  return { offer, sealed, baseKey: await baseKeyOf(secret, salt) };
}

export interface Opened {
  /** As it may be written to a disk. */
  readonly name: string;
  readonly size: number;
  readonly baseKey: CryptoKey;
}

/** Null: not sealed under that offer's secret, or nothing that may be offered. */
export async function openDetails({ id, secret }: FileOffer, sealed: string): Promise<Opened | null> {
  const [key, bytes] = [fromBase64url(secret), fromBase64url(sealed)];
  if (key === null || bytes === null) return null;
  const opened = await openWithSecret(key, LABELS.details, utf8(id), bytes);
  const details = opened && parseJson(FileDetails, opened, MAX_DETAILS);
  const salt = details && fromBase64url(details.salt);
  if (details === null || salt === null) return null;
  return { name: safeFileName(details.name), size: details.size, baseKey: await baseKeyOf(key, salt) };
}

/** [Note: A file's key] */
async function baseKeyOf(secret: Uint8Array, salt: Uint8Array): Promise<CryptoKey> {
  const bytes = await hkdf(secret, LABELS.chunks, 32, salt);
  const key = await importBaseKey(bytes);
  bytes.fill(0);
  return key;
}
