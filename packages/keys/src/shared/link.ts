import { fromBase64url, toBase64url } from "@sealcast/bytes";
import { hkdf, random } from "@sealcast/crypto";

const SECRET_SIZE = 32;

/** A new room and the secret that admits to it, both base64url: `/call/ROOM#SECRET`. */
export async function newLink(): Promise<{ room: string; secret: string }> {
  const secret = random(SECRET_SIZE);
  return { room: await roomOf(secret), secret: toBase64url(secret) };
}

/** The secret in a link's fragment (without `#`). Not ok: damaged, cut short, or the secret of another room. */
export async function parseLink(
  room: string,
  fragment: string,
): Promise<{ ok: true; secret: Uint8Array } | { ok: false }> {
  if (fragment.length !== 43) return { ok: false };
  const secret = fromBase64url(fragment);
  if (secret === null || (await roomOf(secret)) !== room) return { ok: false };
  return { ok: true, secret };
}

/** The first 128 bits of HKDF(secret, "room"): nobody without the secret can take the room's name first. */
async function roomOf(secret: Uint8Array): Promise<string> {
  return toBase64url(await hkdf(secret, "room", 16));
}
