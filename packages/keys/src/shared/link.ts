import { fromBase64url, toBase64url } from "@sealcast/bytes";
import { hkdf, random } from "@sealcast/crypto";

const SECRET_SIZE = 32;

/** How many layers a room's frames are sealed in. */
export type LayerCount = 1 | 2;

/** What the room's name is derived for: it commits to the number of layers, so that no link can ask for fewer. */
const PURPOSES: Readonly<Record<LayerCount, string>> = { 1: "room", 2: "room of two layers" };

/** A new room and the secret that admits to it, both base64url: `/call/ROOM#SECRET`. */
export async function newLink(layers: LayerCount): Promise<{ room: string; secret: string }> {
  const secret = random(SECRET_SIZE);
  return { room: await roomOf(secret, layers), secret: toBase64url(secret) };
}

/** The secret in a link's fragment (without `#`). Not ok: damaged, cut short, or the secret of another room. */
export async function parseLink(
  room: string,
  fragment: string,
): Promise<{ ok: true; secret: Uint8Array; layers: LayerCount } | { ok: false }> {
  if (fragment.length !== 43) return { ok: false };
  const secret = fromBase64url(fragment);
  if (secret === null) return { ok: false };
  for (const layers of [1, 2] as const)
    if ((await roomOf(secret, layers)) === room) return { ok: true, secret, layers };
  return { ok: false };
}

/** The first 128 bits of HKDF(secret, purpose): nobody without the secret can take the room's name first. */
async function roomOf(secret: Uint8Array, layers: LayerCount): Promise<string> {
  return toBase64url(await hkdf(secret, PURPOSES[layers], 16));
}
