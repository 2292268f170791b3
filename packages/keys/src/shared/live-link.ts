import { concat, equal, fromBase64url, toBase64url, utf8 } from "@sealcast/bytes";
import { hkdf } from "@sealcast/crypto";

const SECRET_SIZE = 32;
/**
 * 128 bits. The one useful attack is another key with the same fingerprint, a second preimage, which costs 2^128; forging a
 * signature of the host's Ed25519 key costs no more. Two keys of one host with one fingerprint would harm nobody, so
 * collisions do not matter.
 */
const FINGERPRINT_SIZE = 16;
const CHECK_SIZE = 16;

/** What a viewer's link says: `/watch/ROOM#FRAGMENT`. */
export interface LiveLink {
  /** 32 bytes: admits. */
  secret: Uint8Array;
  /** Fingerprint of the host's identity key, 16 bytes. */
  host: Uint8Array;
}

/** What a link carries of the host's Ed25519 identity key. */
export async function hostFingerprint(identity: Uint8Array): Promise<Uint8Array> {
  const hash = await crypto.subtle.digest("SHA-512", concat(utf8("Sealcast live host\0"), identity));
  return new Uint8Array(hash, 0, FINGERPRINT_SIZE);
}

/** The room that a first link names: it commits to the secret and to the host. */
export async function liveRoomOf({ secret, host }: LiveLink): Promise<string> {
  return toBase64url(await hkdf(secret, `live ${toBase64url(host)}`, 16));
}

/** The fragment of a viewer's link. A secret that does not make the room's name is followed by a check. */
export async function liveFragment(room: string, link: LiveLink): Promise<string> {
  const first = (await liveRoomOf(link)) === room;
  return toBase64url(concat(link.secret, link.host, first ? new Uint8Array() : await checkOf(room, link)));
}

/** Reads a viewer's fragment (without `#`). Not ok: damaged, cut short, or of another room or host. */
export async function parseLiveLink(
  room: string,
  fragment: string,
): Promise<({ ok: true } & LiveLink) | { ok: false }> {
  if (fragment.length !== 64 && fragment.length !== 86) return { ok: false };
  const bytes = fromBase64url(fragment);
  if (bytes === null) return { ok: false };
  const check = bytes.subarray(SECRET_SIZE + FINGERPRINT_SIZE);
  const link = { secret: bytes.slice(0, SECRET_SIZE), host: bytes.slice(SECRET_SIZE, SECRET_SIZE + FINGERPRINT_SIZE) };
  const fits = check.length === 0 ? (await liveRoomOf(link)) === room : equal(check, await checkOf(room, link));
  return fits ? { ok: true, ...link } : { ok: false };
}

function checkOf(room: string, { secret, host }: LiveLink): Promise<Uint8Array> {
  return hkdf(secret, `later link of a live room: ${room} ${toBase64url(host)}`, CHECK_SIZE);
}
