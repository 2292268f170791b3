import { concat, constant, equal, type Infer, oneOf, opaque, rest, struct, uint64, utf8 } from "@sealcast/bytes";
import { hkdf, openWithSecret, sealWithSecret } from "@sealcast/crypto";
import { X_WING_KEY_SIZE } from "../../shared/sizes.ts";
import { expiryFrom } from "../expiry.ts";
import type { Identity } from "../identity/identity.ts";
import type { Psk } from "./hpke.ts";
import { hostSignature, isSignedByHost, signAsHost } from "./signature.ts";

/** The first byte of what host and viewer send each other. */
export const LIVE_TYPES = { ask: 1, answer: 2, record: 3, word: 4 } as const;
export const NONCE_SIZE = 32;
export const RESUME_ID_SIZE = 16;

const askClaims = struct({
  type: constant(LIVE_TYPES.ask),
  /** With what the viewer asks to be admitted. */
  kind: oneOf({ link: 0, resume: 1 }),
  /** All zeros for a link. */
  resumeId: opaque(RESUME_ID_SIZE),
  /** Seconds since 1970. */
  expiry: uint64,
  nonce: opaque(NONCE_SIZE),
  viewerKey: opaque(X_WING_KEY_SIZE),
});
/** With HMAC-SHA-512. */
const maccedAsk = struct({ ask: askClaims, mac: opaque(64) });

/** A viewer's wish for the keys. */
export type Ask = Infer<typeof askClaims>;
/** With what a viewer asks to be admitted. */
export type Claim = Pick<Ask, "kind" | "resumeId">;

export const LINK_CLAIM: Claim = { kind: "link", resumeId: new Uint8Array(RESUME_ID_SIZE) };

/** The pre-shared key that an ask with this claim and secret is answered under. */
export function pskOf({ kind, resumeId }: Claim, secret: Uint8Array): Psk {
  return { id: concat(utf8(`Sealcast live ${kind}`), kind === "link" ? new Uint8Array() : resumeId), key: secret };
}

export async function sealAsk(
  secret: Uint8Array,
  room: string,
  seconds: bigint,
  claims: Omit<Ask, "expiry">,
): Promise<Uint8Array> {
  const ask = { ...claims, expiry: expiryFrom(seconds) };
  const mac = await crypto.subtle.sign("HMAC", await macKey(secret), macced(room, ask));
  return maccedAsk.encode({ ask, mac: new Uint8Array(mac) });
}

/** Null: malformed. Says nothing about who made it: see isAskOf. */
export function parseAsk(bytes: Uint8Array): Ask | null {
  const ask = maccedAsk.parse(bytes)?.ask ?? null;
  return ask?.kind === "link" && !equal(ask.resumeId, LINK_CLAIM.resumeId) ? null : ask;
}

/** Whether the sender of this ask knows `secret`, and means this room. */
export async function isAskOf(secret: Uint8Array, room: string, bytes: Uint8Array): Promise<boolean> {
  const asked = maccedAsk.parse(bytes);
  if (asked === null) return false;
  return crypto.subtle.verify("HMAC", await macKey(secret), new Uint8Array(asked.mac), macced(room, asked.ask));
}

const wordByte = oneOf({ waiting: 1, "turned-away": 2 });
const signedWord = struct({ word: wordByte, signature: hostSignature });
const sealedWord = struct({ type: constant(LIVE_TYPES.word), sealed: rest() });

/** What a host says to an ask that it does not answer with keys. */
export type Word = Infer<typeof wordByte>;

/** Of which ask a word is. */
interface WordOn {
  /** Of the ask. */
  secret: Uint8Array;
  room: string;
  nonce: Uint8Array;
}

/** Sealed under the secret of the ask. Others know that as well; nobody but the host signs. */
export async function sealWord(identity: Identity, { secret, room, nonce }: WordOn, word: Word): Promise<Uint8Array> {
  const signature = await signAsHost(identity, spoken(room, nonce, word));
  const signed = signedWord.encode({ word, signature });
  return sealedWord.encode({ sealed: await sealWithSecret(secret, "live word", concat(utf8(room), nonce), signed) });
}

/** Null: no word of the host with this fingerprint on that ask. */
export async function openWord(
  host: Uint8Array,
  { secret, room, nonce }: WordOn,
  bytes: Uint8Array,
): Promise<Word | null> {
  const outer = sealedWord.parse(bytes);
  const opened = outer && (await openWithSecret(secret, "live word", concat(utf8(room), nonce), outer.sealed));
  const said = opened && signedWord.parse(opened);
  if (said === null) return null;
  return (await isSignedByHost(host, spoken(room, nonce, said.word), said.signature)) ? said.word : null;
}

function spoken(room: string, nonce: Uint8Array, word: Word): Uint8Array {
  return concat(utf8("Sealcast live word\0"), utf8(room), nonce, wordByte.encode(word));
}

function macced(room: string, ask: Ask): Uint8Array<ArrayBuffer> {
  return concat(utf8("Sealcast live ask\0"), utf8(room), askClaims.encode(ask));
}

async function macKey(secret: Uint8Array): Promise<CryptoKey> {
  const bytes = await hkdf(secret, "live ask", 64);
  const algorithm = { name: "HMAC", hash: "SHA-512" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
  bytes.fill(0);
  return key;
}
