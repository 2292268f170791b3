import { Cursor, concat, u64, utf8 } from "@sealcast/bytes";
import { openWithSecret, sealWithSecret } from "@sealcast/crypto";

const LABEL = "knock";
/** A key package with X-Wing keys and our credential takes 3 KiB. */
const MAX_KNOCK = 8 * 1024;
const LIFE_SECONDS = 120n;
/** How far the clocks of two devices may lie apart. */
const SKEW_SECONDS = 120n;

/** A key package sealed under the link secret: only who has the link can read it, or knock at all. */
export function sealKnock(
  secret: Uint8Array,
  room: string,
  seconds: bigint,
  keyPackage: Uint8Array,
): Promise<Uint8Array> {
  return sealWithSecret(secret, LABEL, utf8(room), concat(u64(seconds + LIFE_SECONDS), keyPackage));
}

/** The encoded key package in a knock; null: malformed, sealed under another link, for another room, or too old. */
export async function openKnock(
  secret: Uint8Array,
  room: string,
  seconds: bigint,
  sealed: Uint8Array,
): Promise<Uint8Array | null> {
  if (sealed.length > MAX_KNOCK) return null;
  const plaintext = await openWithSecret(secret, LABEL, utf8(room), sealed);
  if (plaintext === null || plaintext.length < 8) return null;
  const cursor = new Cursor(plaintext);
  const expires = cursor.u64();
  if (expires + SKEW_SECONDS < seconds || expires > seconds + LIFE_SECONDS + SKEW_SECONDS) return null;
  return cursor.rest();
}

const ANSWER_LABEL = "answer";
const WAITING = 1;
const TURNED_AWAY = 2;
const LINK = 3;

/**
 * What a member of the room says to somebody who knocked and is not let in at once. `link`: the present one, for somebody
 * who came with an old one and is let in now (handover.ts).
 */
export type Answer = "waiting" | "turned-away" | { readonly link: Uint8Array };

/** For whoever knocked with the key package that has this leaf key, under the link that they knocked with. */
export function sealAnswer(secret: Uint8Array, room: string, leafKey: Uint8Array, answer: Answer): Promise<Uint8Array> {
  return sealWithSecret(secret, ANSWER_LABEL, concat(utf8(room), leafKey), encodeAnswer(answer));
}

/** Null: not an answer to the knock with this leaf key. */
export async function openAnswer(
  secret: Uint8Array,
  room: string,
  leafKey: Uint8Array,
  sealed: Uint8Array,
): Promise<Answer | null> {
  if (sealed.length > MAX_KNOCK) return null;
  const said = await openWithSecret(secret, ANSWER_LABEL, concat(utf8(room), leafKey), sealed);
  return said === null ? null : decodeAnswer(said);
}

function encodeAnswer(answer: Answer): Uint8Array {
  if (typeof answer === "object") return concat(Uint8Array.of(LINK), answer.link);
  return Uint8Array.of(answer === "waiting" ? WAITING : TURNED_AWAY);
}

function decodeAnswer([what, ...rest]: Uint8Array): Answer | null {
  if (what === LINK) return { link: Uint8Array.from(rest) };
  if (rest.length > 0) return null;
  if (what === WAITING) return "waiting";
  return what === TURNED_AWAY ? "turned-away" : null;
}
