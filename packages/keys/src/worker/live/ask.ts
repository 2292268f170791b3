import { Cursor, concat, equal, u64, utf8 } from "@sealcast/bytes";
import { hkdf, openWithSecret, sealWithSecret } from "@sealcast/crypto";
import type { Identity } from "../identity/identity.ts";
import { type Psk, VIEWER_KEY_SIZE } from "./hpke.ts";
import { isSignedByHost, SIGNED_SIZE, signAsHost } from "./signature.ts";

/** The first byte of what host and viewer send each other. */
export const LIVE_TYPES = { ask: 1, answer: 2, record: 3, word: 4 } as const;
export const NONCE_SIZE = 32;
export const RESUME_ID_SIZE = 16;
const MAC_SIZE = 64;
const SIZE = 1 + 1 + RESUME_ID_SIZE + 8 + NONCE_SIZE + VIEWER_KEY_SIZE + MAC_SIZE;
const LIFE_SECONDS = 120n;
/** How far the clocks of two devices may lie apart. */
const SKEW_SECONDS = 120n;
const KINDS = ["link", "resume"] as const;

/** With what a viewer asks to be admitted. `resumeId` is all zeros for a link. */
export interface Claim {
  kind: (typeof KINDS)[number];
  resumeId: Uint8Array;
}

/**
 * A viewer's wish for the keys:
 * `1 (1) | kind (1; 0 link, 1 resume) | resume id (16) | expiry (8) | nonce (32) | X-Wing key (1216) | HMAC (64)`
 */
export interface Ask extends Claim {
  /** Seconds since 1970. */
  expiry: bigint;
  nonce: Uint8Array;
  viewerKey: Uint8Array;
}

export const LINK_CLAIM: Claim = { kind: "link", resumeId: new Uint8Array(RESUME_ID_SIZE) };

/** The pre-shared key that an ask with this claim and secret is answered under. */
export function pskOf({ kind, resumeId }: Claim, secret: Uint8Array): Psk {
  return { id: concat(utf8(`Sealcast live ${kind}`), kind === "link" ? new Uint8Array() : resumeId), key: secret };
}

export async function sealAsk(
  secret: Uint8Array,
  room: string,
  seconds: bigint,
  ask: Omit<Ask, "expiry">,
): Promise<Uint8Array> {
  const claims = concat(
    Uint8Array.of(LIVE_TYPES.ask, KINDS.indexOf(ask.kind)),
    ask.resumeId,
    u64(seconds + LIFE_SECONDS),
    ask.nonce,
    ask.viewerKey,
  );
  const mac = await crypto.subtle.sign("HMAC", await macKey(secret), macced(room, claims));
  return concat(claims, new Uint8Array(mac));
}

/** Null: malformed. Says nothing about who made it: see isAskOf. */
export function parseAsk(bytes: Uint8Array): Ask | null {
  if (bytes.length !== SIZE) return null;
  const cursor = new Cursor(bytes);
  if (cursor.u8() !== LIVE_TYPES.ask) return null;
  const kind = KINDS[cursor.u8()];
  if (kind === undefined) return null;
  const resumeId = cursor.bytes(RESUME_ID_SIZE);
  if (kind === "link" && !equal(resumeId, LINK_CLAIM.resumeId)) return null;
  const expiry = cursor.u64();
  return { kind, resumeId, expiry, nonce: cursor.bytes(NONCE_SIZE), viewerKey: cursor.bytes(VIEWER_KEY_SIZE) };
}

/** Whether whoever made this ask knows `secret`, and means this room. */
export async function isAskOf(secret: Uint8Array, room: string, bytes: Uint8Array): Promise<boolean> {
  const claims = bytes.subarray(0, SIZE - MAC_SIZE);
  const mac = new Uint8Array(bytes.subarray(SIZE - MAC_SIZE));
  return crypto.subtle.verify("HMAC", await macKey(secret), mac, macced(room, claims));
}

export function isCurrent({ expiry }: Ask, seconds: bigint): boolean {
  return expiry + SKEW_SECONDS >= seconds && expiry <= seconds + LIFE_SECONDS + SKEW_SECONDS;
}

const WORDS = { waiting: Uint8Array.of(1), "turned-away": Uint8Array.of(2) } as const;

/** What a host says to an ask that it does not answer with keys. */
export type Word = keyof typeof WORDS;

/** Of which ask a word is. */
interface WordOn {
  /** Of the ask. */
  secret: Uint8Array;
  room: string;
  nonce: Uint8Array;
}

/**
 * `4 (1) | nonce (12) | sealed under the secret of the ask: word (1) | identity (32) | signature (64)`. Others know that
 * secret as well; nobody but the host signs.
 */
export async function sealWord(identity: Identity, { secret, room, nonce }: WordOn, word: Word): Promise<Uint8Array> {
  const signed = await signAsHost(identity, spoken(room, nonce, WORDS[word]));
  const sealed = await sealWithSecret(secret, "live word", concat(utf8(room), nonce), concat(WORDS[word], signed));
  return concat(Uint8Array.of(LIVE_TYPES.word), sealed);
}

/** Null: no word of the host with this fingerprint on that ask. */
export async function openWord(
  host: Uint8Array,
  { secret, room, nonce }: WordOn,
  bytes: Uint8Array,
): Promise<Word | null> {
  if (bytes[0] !== LIVE_TYPES.word) return null;
  const said = await openWithSecret(secret, "live word", concat(utf8(room), nonce), bytes.subarray(1));
  if (said?.length !== 1 + SIGNED_SIZE) return null;
  const known = (Object.keys(WORDS) as Word[]).find((word) => equal(WORDS[word], said.subarray(0, 1)));
  if (known === undefined) return null;
  return (await isSignedByHost(host, spoken(room, nonce, WORDS[known]), said.subarray(1))) ? known : null;
}

function spoken(room: string, nonce: Uint8Array, word: Uint8Array): Uint8Array {
  return concat(utf8("Sealcast live word\0"), utf8(room), nonce, word);
}

function macced(room: string, claims: Uint8Array): Uint8Array<ArrayBuffer> {
  return concat(utf8("Sealcast live ask\0"), utf8(room), claims);
}

async function macKey(secret: Uint8Array): Promise<CryptoKey> {
  const bytes = await hkdf(secret, "live ask", 64);
  const algorithm = { name: "HMAC", hash: "SHA-512" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
  bytes.fill(0);
  return key;
}
