import { concat, fromBase64url, rest, struct, uint64, union, utf8 } from "@sealcast/bytes";
import { openWithSecret, sealWithSecret } from "@sealcast/crypto";
import type { CiphersuiteImpl } from "ts-mls";
import { expiryFrom, isCurrent } from "../expiry.ts";
import { type KnockPlace, knockKeyPair } from "../mls/knock-key.ts";
import { openSealedTo, sealTo } from "../mls/sealed-to.ts";

const LABEL = "knock";
const HPKE_LABEL = "Sealcast knock";
/** A key package with X-Wing keys and our credential takes 3 KiB. */
const MAX_KNOCK = 8 * 1024;
/** Expires in seconds since 1970. */
const datedKnock = struct({ expires: uint64, sealed: rest(MAX_KNOCK) });

/** What both ends of a knock know: the link's secret, the epoch, the suite, and now in seconds since 1970. */
interface KnockContext extends KnockPlace {
  readonly link: Uint8Array;
  readonly suite: Pick<CiphersuiteImpl, "hpke">;
  readonly seconds: bigint;
}

/**
 * A key package sealed to an epoch's knock key and then under the link secret: only who is in that epoch and has the link can
 * read it, and only who has the link can knock at all.
 *
 * @param key the knock key's public half, base64url.
 * @returns null where that is no key of the suite's.
 */
export async function sealKnock(
  { room, at, link, suite, seconds }: KnockContext,
  key: string,
  keyPackage: Uint8Array,
): Promise<Uint8Array | null> {
  const sealed = await sealTo(fromBase64url(key), HPKE_LABEL, room + at, keyPackage, suite.hpke);
  return sealed && sealWithSecret(link, LABEL, utf8(room), datedKnock.encode({ expires: expiryFrom(seconds), sealed }));
}

/**
 * What a knock holds for members of the epoch that it names, to be opened by openKnock. Null: malformed, sealed under another
 * link, for another room, or too old.
 */
export async function unwrapKnock(
  { room, link, seconds }: Pick<KnockContext, "room" | "link" | "seconds">,
  knock: Uint8Array,
): Promise<Uint8Array | null> {
  if (knock.length > MAX_KNOCK) return null;
  const plaintext = await openWithSecret(link, LABEL, utf8(room), knock);
  const dated = plaintext && datedKnock.parse(plaintext);
  if (dated === null) return null;
  const { expires, sealed } = dated;
  return isCurrent(expires, seconds) ? sealed : null;
}

/**
 * The encoded key package; null: sealed to another key than that of this epoch.
 *
 * @param externalSecret of the epoch's key schedule.
 */
export async function openKnock(
  { room, at, suite }: Pick<KnockContext, "room" | "at" | "suite">,
  externalSecret: Uint8Array,
  sealed: Uint8Array,
): Promise<Uint8Array | null> {
  const { privateKey } = await knockKeyPair(externalSecret, suite);
  return openSealedTo(privateKey, HPKE_LABEL, room + at, sealed, suite.hpke);
}

const ANSWER_LABEL = "answer";
const spokenAnswer = union({ waiting: [1, {}], "turned-away": [2, {}], link: [3, { link: rest(MAX_KNOCK) }] });

/**
 * What a member of the room says to someone who knocked and is not let in at once. `link`: the present one, for someone
 * who came with an old one and is let in now (handover.ts).
 */
export type Answer = "waiting" | "turned-away" | { readonly link: Uint8Array };

/** For the one who knocked with the key package that has this leaf key, under the link that they knocked with. */
export function sealAnswer(secret: Uint8Array, room: string, leafKey: Uint8Array, answer: Answer): Promise<Uint8Array> {
  const said = spokenAnswer.encode(typeof answer === "object" ? { type: "link", ...answer } : { type: answer });
  return sealWithSecret(secret, ANSWER_LABEL, concat(utf8(room), leafKey), said);
}

/** Null: not an answer to the knock with this leaf key. */
export async function openAnswer(
  secret: Uint8Array,
  room: string,
  leafKey: Uint8Array,
  sealed: Uint8Array,
): Promise<Answer | null> {
  if (sealed.length > MAX_KNOCK) return null;
  const opened = await openWithSecret(secret, ANSWER_LABEL, concat(utf8(room), leafKey), sealed);
  const said = opened && spokenAnswer.parse(opened);
  if (said === null) return null;
  return said.type === "link" ? { link: said.link } : said.type;
}
