import { toBase64url, utf8 } from "@sealcast/bytes";
import { hkdf } from "@sealcast/crypto";
import type { KnockKey } from "@sealcast/protocol";
import type { CiphersuiteImpl } from "ts-mls";

const TAG_SIZE = 16;

/** A room's epoch, as far as a knock names it. */
export interface KnockPlace {
  /** The room's name. */
  readonly room: string;
  /** The epoch's node. */
  readonly at: string;
}

/**
 * The epoch's external key pair (RFC 9420 section 8): only who is in that epoch has the private half.
 *
 * @param externalSecret of the epoch's key schedule.
 */
export function knockKeyPair(externalSecret: Uint8Array, { hpke }: Pick<CiphersuiteImpl, "hpke">) {
  return hpke.deriveKeyPair(externalSecret);
}

/** The public half for the server to hand out, tagged under each of these links' secrets. */
export async function offerKnockKey(
  externalSecret: Uint8Array,
  place: KnockPlace,
  links: readonly Uint8Array[],
  suite: Pick<CiphersuiteImpl, "hpke">,
): Promise<KnockKey> {
  const { publicKey } = await knockKeyPair(externalSecret, suite);
  const key = toBase64url(await suite.hpke.exportPublicKey(publicKey));
  return { key, tags: await Promise.all(links.map((link) => tagOf(key, place, link))) };
}

/** What the server calls this knock key with these tags: their hash, in base64url. */
export async function fingerprintOf({ key, tags }: KnockKey): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", utf8([key, ...tags].join(".")));
  return toBase64url(new Uint8Array(hash));
}

/** Whether someone with this link's secret offers the key for that epoch. */
export async function isOffered({ key, tags }: KnockKey, place: KnockPlace, link: Uint8Array): Promise<boolean> {
  return tags.includes(await tagOf(key, place, link));
}

async function tagOf(key: string, { room, at }: KnockPlace, link: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(key)));
  return toBase64url(await hkdf(link, `knock key ${room} ${at} ${toBase64url(hash)}`, TAG_SIZE));
}
