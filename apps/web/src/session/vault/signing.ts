import { toHex } from "@sealcast/bytes";
import type { Pin } from "@sealcast/keys";
import type { Entry } from "@sealcast/vault";
import type { SignatureState } from "./view.ts";

/**
 * Who signed a file, as this browser knows them: the key counts, and no name that the file brings along.
 *
 * @param own this browser's key
 */
export function signingOf(
  { state, signer }: Pick<Entry, "state" | "signer">,
  own: Uint8Array,
  pins: readonly Pin[],
): SignatureState | null {
  if (state !== "finished" && state !== "resealing") return null;
  if (signer === null) return { by: "nobody" };
  const identity = toHex(signer);
  if (identity === toHex(own)) return { by: "own" };
  const pin = pins.find((pin) => pin.identity === identity);
  return pin === undefined ? { by: "stranger" } : { by: "known", name: pin.name, isVerified: pin.verified };
}
