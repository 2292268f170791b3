import type { KeyPackage } from "ts-mls";
import { SECRET_SIZE } from "../../shared/sizes.ts";
import type { Membership } from "../mls/key-package.ts";
import { openSealedTo, sealTo } from "../mls/sealed-to.ts";
import type { OwnKeyPackage } from "../mls/welcome.ts";

const LABEL = "Sealcast link";

/** The link's secret for the maker of this key package, and nobody else: sealed to its init key. */
export async function sealHandover(
  { suite, room, linkSecret }: Pick<Membership, "suite" | "room" | "linkSecret">,
  { initKey }: KeyPackage,
): Promise<Uint8Array> {
  const sealed = await sealTo(initKey, LABEL, room, linkSecret.reveal(), suite.hpke);
  if (sealed === null) throw new Error("a key package whose init key is none");
  return sealed;
}

/** The secret; null: malformed, or not for this key package. */
export async function openHandover(
  { suite: { hpke }, room }: Pick<Membership, "suite" | "room">,
  { privatePackage }: OwnKeyPackage,
  sealed: Uint8Array,
): Promise<Uint8Array | null> {
  const key = await hpke.importPrivateKey(privatePackage.initPrivateKey);
  const secret = await openSealedTo(key, LABEL, room, sealed, hpke);
  return secret?.length === SECRET_SIZE ? secret : null;
}
