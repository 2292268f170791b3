import { concat, equal, fromBase64url, toBase64url } from "@sealcast/bytes";
import { hkdf, random } from "@sealcast/crypto";
import { CHECK_SIZE, SECRET_SIZE } from "./sizes.ts";

/** How many layers a room's frames are sealed in. */
export type LayerCount = 1 | 2;

/** What the room's name is derived for: it commits to the number of layers, so that no link can ask for fewer. */
const PURPOSES: Readonly<Record<LayerCount, string>> = { 1: "room", 2: "room of two layers" };

/** A new room and the secret that admits to it, both base64url: `/call/ROOM#SECRET`. */
export async function newLink(layers: LayerCount): Promise<{ room: string; secret: string }> {
  const secret = random(SECRET_SIZE);
  return { room: await roomOf(secret, layers), secret: toBase64url(secret) };
}

/** The fragment of the link that took the first one's place in a room: its secret does not make the room's name, so a check follows it. */
export async function laterFragment(room: string, layers: LayerCount, secret: Uint8Array): Promise<string> {
  return toBase64url(concat(secret, await checkOf(room, layers, secret)));
}

/** The secret in a link's fragment (without `#`). Not ok: damaged, cut short, or the secret of another room. */
export async function parseLink(
  room: string,
  fragment: string,
): Promise<{ ok: true; secret: Uint8Array; layers: LayerCount } | { ok: false }> {
  if (fragment.length !== 43 && fragment.length !== 64) return { ok: false };
  const bytes = fromBase64url(fragment);
  if (bytes === null) return { ok: false };
  const [secret, check] = [bytes.slice(0, SECRET_SIZE), bytes.subarray(SECRET_SIZE)];
  for (const layers of [1, 2] as const) {
    const fits =
      check.length === 0 ? (await roomOf(secret, layers)) === room : equal(check, await checkOf(room, layers, secret));
    if (fits) return { ok: true, secret, layers };
  }
  return { ok: false };
}

function checkOf(room: string, layers: LayerCount, secret: Uint8Array): Promise<Uint8Array> {
  return hkdf(secret, `later link of a ${PURPOSES[layers]}: ${room}`, CHECK_SIZE);
}

/** The first 128 bits of HKDF(secret, purpose): nobody without the secret can take the room's name first. */
async function roomOf(secret: Uint8Array, layers: LayerCount): Promise<string> {
  return toBase64url(await hkdf(secret, PURPOSES[layers], 16));
}
