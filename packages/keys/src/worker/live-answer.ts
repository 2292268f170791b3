import { Cursor, concat, equal, OutOfBytes, u16, u32, u64, utf8 } from "@sealcast/bytes";
import { hostFingerprint } from "../shared/live-link.ts";
import type { CounterFloor } from "../shared/messages.ts";
import { verifyEd25519 } from "./ed25519.ts";
import type { Identity } from "./identity.ts";
import { LIVE_TYPES, RESUME_ID_SIZE } from "./live-ask.ts";
import { ENC_SIZE, type Hpke, hpkeFrom, hpkeTo, type Psk } from "./live-hpke.ts";

const TAG = 16;
const STREAM_ID_SIZE = 16;
const KEY_SIZE = 32;
const PROOF_SIZE = 32 + 32 + 64 + TAG;
/** Counter floors in one answer: a host seals a handful of streams. */
const MAX_FLOORS = 64;

/** What a host gives to a viewer. */
export interface Grant {
  /** 16 random bytes of this load of the host's page. */
  stream: Uint8Array;
  rotation: number;
  /** 32 bytes: the stream's key in this rotation. */
  streamKey: Uint8Array;
  /** Admits this viewer again, whatever becomes of the link. */
  resume: { id: Uint8Array; secret: Uint8Array };
  floors: CounterFloor[];
  /** Ed25519, raw: signs this stream's frames. */
  signingKey: Uint8Array;
}

/** What both ends of an answer hold afterwards, 32 bytes each. */
export interface DirectionKeys {
  toViewer: Uint8Array<ArrayBuffer>;
  toHost: Uint8Array<ArrayBuffer>;
}

/** To which ask of whom an answer belongs. */
export interface Asked {
  room: string;
  nonce: Uint8Array;
  viewerKey: Uint8Array;
  psk: Psk;
}

/**
 * `2 (1) | enc (1120) | length (2) | sealed grant | sealed proof (144)`, both sealed in one HPKE context in PSK mode. The
 * proof is `identity (32) | signing key (32) | signature (64)`: only who has the link learns whose stream it is. Null: the
 * viewer's key is none.
 */
export async function sealAnswer(
  identity: Identity,
  asked: Asked,
  grant: Grant,
): Promise<{ body: Uint8Array; keys: DirectionKeys } | null> {
  const sender = await hpkeTo(asked.viewerKey, asked.room, asked.psk);
  if (sender === null) return null;
  const { enc, hpke } = sender;
  const sealedGrant = await hpke.next(asked.nonce, encodeGrant(grant));
  if (sealedGrant === null) return null;
  const signature = await identity.sign(signedMessage(asked, grant, enc, sealedGrant));
  const proof = await hpke.next(asked.nonce, concat(identity.publicKey, grant.signingKey, signature));
  if (proof === null) return null;
  const body = concat(Uint8Array.of(LIVE_TYPES.answer), enc, u16(sealedGrant.length), sealedGrant, proof);
  return { body, keys: await directionKeys(hpke) };
}

/**
 * `invalid`: malformed, altered, or for another ask. `wrong-host`: from somebody who has the secret, and not the identity
 * key that the link names.
 */
export type OpenedAnswer =
  | { ok: true; grant: Grant; identity: Uint8Array; keys: DirectionKeys }
  | { ok: false; why: "invalid" | "wrong-host" };

/** `host` is the link's fingerprint. */
export async function openAnswer(
  privateKey: CryptoKey,
  host: Uint8Array,
  asked: Asked,
  body: Uint8Array,
): Promise<OpenedAnswer> {
  const parts = parseAnswer(body);
  const hpke = parts && (await hpkeFrom(privateKey, parts.enc, asked.room, asked.psk));
  const granted = hpke && (await hpke.next(asked.nonce, parts.sealedGrant));
  const proof = granted && (await hpke.next(asked.nonce, parts.sealedProof));
  if (!proof) return { ok: false, why: "invalid" };
  const [identity, signingKey, signature] = [proof.slice(0, 32), proof.slice(32, 64), proof.subarray(64)];
  const grant = parseGrant(granted, signingKey);
  if (grant === null) return { ok: false, why: "invalid" };
  const signed = signedMessage(asked, grant, parts.enc, parts.sealedGrant);
  const isHost = equal(await hostFingerprint(identity), host) && (await verifyEd25519(identity, signed, signature));
  if (!isHost) return { ok: false, why: "wrong-host" };
  return { ok: true, grant, identity, keys: await directionKeys(hpke) };
}

function parseAnswer(body: Uint8Array): { enc: Uint8Array; sealedGrant: Uint8Array; sealedProof: Uint8Array } | null {
  const cursor = new Cursor(body);
  try {
    if (cursor.u8() !== LIVE_TYPES.answer) return null;
    const enc = cursor.bytes(ENC_SIZE);
    const sealedGrant = cursor.bytes(cursor.u16());
    const sealedProof = cursor.bytes(PROOF_SIZE);
    return cursor.left === 0 ? { enc, sealedGrant, sealedProof } : null;
  } catch (error) {
    if (error instanceof OutOfBytes) return null;
    throw error;
  }
}

/** `stream (16) | rotation (4) | stream key (32) | resume id (16) | resume secret (32) | floors (1 + 16 each)` */
function encodeGrant({ stream, rotation, streamKey, resume, floors }: Grant): Uint8Array {
  return concat(stream, u32(rotation), streamKey, resume.id, resume.secret, encodeFloors(floors));
}

function parseGrant(bytes: Uint8Array, signingKey: Uint8Array): Grant | null {
  const cursor = new Cursor(bytes);
  try {
    const stream = cursor.bytes(STREAM_ID_SIZE).slice();
    const rotation = cursor.u32();
    const streamKey = cursor.bytes(KEY_SIZE).slice();
    const resume = { id: cursor.bytes(RESUME_ID_SIZE).slice(), secret: cursor.bytes(KEY_SIZE).slice() };
    const count = cursor.u8();
    if (count > MAX_FLOORS) return null;
    const floors = Array.from({ length: count }, () => ({ kid: cursor.u64(), highest: Number(cursor.u64()) }));
    return cursor.left === 0 ? { stream, rotation, streamKey, resume, floors, signingKey } : null;
  } catch (error) {
    if (error instanceof OutOfBytes) return null;
    throw error;
  }
}

function encodeFloors(floors: readonly CounterFloor[]): Uint8Array {
  const listed = floors.slice(0, MAX_FLOORS);
  return concat(
    Uint8Array.of(listed.length),
    ...listed.flatMap(({ kid, highest }) => [u64(kid), u64(BigInt(highest))]),
  );
}

/** Every field but the last has one length, or says it: no two answers are signed by one signature. */
function signedMessage(
  { room, viewerKey, nonce }: Asked,
  { stream, rotation, signingKey, floors }: Grant,
  enc: Uint8Array,
  sealedGrant: Uint8Array,
): Uint8Array {
  const label = utf8("Sealcast live answer\0");
  const offered = concat(stream, u32(rotation), signingKey, encodeFloors(floors));
  return concat(label, utf8(room), viewerKey, nonce, offered, enc, sealedGrant);
}

async function directionKeys(hpke: Hpke): Promise<DirectionKeys> {
  const [toViewer, toHost] = [await hpke.export("Sealcast live to viewer"), await hpke.export("Sealcast live to host")];
  return { toViewer, toHost };
}
