import { concat, equal, fromBase64url, type Infer, opaque, struct, toBase64url, utf8 } from "@sealcast/bytes";
import { hkdf } from "@sealcast/crypto";
import { CHECK_SIZE, SECRET_SIZE } from "./sizes.ts";

/**
 * 128 bits. The one useful attack is another key with the same fingerprint, a second preimage, which costs 2^128; forging a
 * signature of the host's Ed25519 key costs no more. Two keys of one host with one fingerprint would harm nobody, so
 * collisions do not matter.
 */
export const FINGERPRINT_SIZE = 16;
const ROOM_SIZE = 16;

const linkFields = struct({
  /** Admits. */
  secret: opaque(SECRET_SIZE),
  /** Fingerprint of the host's identity key. */
  host: opaque(FINGERPRINT_SIZE),
});
const checkedLink = struct({ link: linkFields, check: opaque(CHECK_SIZE) });

/** What a viewer's link says: `/watch/ROOM#FRAGMENT`. */
export type LiveLink = Infer<typeof linkFields>;

/** What a link carries of the host's Ed25519 identity key. */
export async function hostFingerprint(identity: Uint8Array): Promise<Uint8Array> {
  const hash = await crypto.subtle.digest("SHA-512", concat(utf8("Sealcast live host\0"), identity));
  return new Uint8Array(hash, 0, FINGERPRINT_SIZE);
}

/** The room of the host with this door, 32 bytes in base64url: nobody else can prove the key that its name is the hash of. */
export async function liveRoomOf(hostDoor: string): Promise<string> {
  const key = fromBase64url(hostDoor) ?? new Uint8Array();
  const hash = await crypto.subtle.digest("SHA-512", concat(utf8("Sealcast live room\0"), key));
  return toBase64url(new Uint8Array(hash, 0, ROOM_SIZE));
}

/** The fragment of a viewer's link. */
export async function liveFragment(room: string, link: LiveLink): Promise<string> {
  return toBase64url(checkedLink.encode({ link, check: await checkOf(room, link) }));
}

/** Reads a viewer's fragment (without `#`). `outdated`: made before links had a check. `damaged`: or of another room or host. */
export async function parseLiveLink(
  room: string,
  fragment: string,
): Promise<({ ok: true } & LiveLink) | { ok: false; why: "damaged" | "outdated" }> {
  const bytes = fromBase64url(fragment);
  if (bytes?.length === linkFields.size) return { ok: false, why: "outdated" };
  const parsed = bytes && checkedLink.parse(bytes);
  if (parsed === null || !equal(parsed.check, await checkOf(room, parsed.link))) return { ok: false, why: "damaged" };
  return { ok: true, ...parsed.link };
}

function checkOf(room: string, { secret, host }: LiveLink): Promise<Uint8Array> {
  return hkdf(secret, `link of a live room: ${room} ${toBase64url(host)}`, CHECK_SIZE);
}
