import { concat, utf8 } from "@sealcast/bytes";
import type { Identity } from "../identity/identity.ts";
import { LIVE_TYPES } from "./ask.ts";
import { ENC_SIZE, type Hpke, hpkeFrom, hpkeTo, type Psk } from "./hpke.ts";
import { isSignedByHost, SIGNED_SIZE, signAsHost } from "./signature.ts";

const TAG = 16;
const STREAM_ID_SIZE = 16;
const SIGNING_KEY_SIZE = 32;
const GRANT_SIZE = STREAM_ID_SIZE + SIGNING_KEY_SIZE;
const SIZE = 1 + ENC_SIZE + GRANT_SIZE + SIGNED_SIZE + TAG;

/** What an answer says. The stream's keys follow over the channel, once the viewer has proved that they opened it. */
export interface Grant {
  /** 16 random bytes of this load of the host's page. */
  stream: Uint8Array;
  /** Ed25519, raw: signs this stream's frames. */
  signingKey: Uint8Array;
}

/** What both ends of an answer hold afterwards, 32 bytes each. */
export interface DirectionKeys {
  toViewer: Uint8Array<ArrayBuffer>;
  toHost: Uint8Array<ArrayBuffer>;
}

/** To which ask of whom an answer belongs. */
export interface AnsweredAsk {
  room: string;
  nonce: Uint8Array;
  viewerKey: Uint8Array;
  psk: Psk;
}

/**
 * `2 (1) | enc (1120) | sealed (160)`, by HPKE in PSK mode: `stream (16) | signing key (32) | identity (32) | signature (64)`.
 * Only who has the link learns whose stream it is. Null: the viewer's key is none.
 */
export async function sealAnswer(
  identity: Identity,
  asked: AnsweredAsk,
  grant: Grant,
): Promise<{ body: Uint8Array; keys: DirectionKeys } | null> {
  const sender = await hpkeTo(asked.viewerKey, asked.room, asked.psk);
  if (sender === null) return null;
  const { enc, hpke } = sender;
  const granted = concat(grant.stream, grant.signingKey);
  const signed = await signAsHost(identity, signedMessage(asked, granted, enc));
  const sealed = await hpke.next(asked.nonce, concat(granted, signed));
  if (sealed === null) return null;
  return { body: concat(Uint8Array.of(LIVE_TYPES.answer), enc, sealed), keys: await directionKeys(hpke) };
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
  asked: AnsweredAsk,
  body: Uint8Array,
): Promise<OpenedAnswer> {
  if (body.length !== SIZE || body[0] !== LIVE_TYPES.answer) return { ok: false, why: "invalid" };
  const enc = body.subarray(1, 1 + ENC_SIZE);
  const hpke = await hpkeFrom(privateKey, enc, asked.room, asked.psk);
  const opened = hpke && (await hpke.next(asked.nonce, body.subarray(1 + ENC_SIZE)));
  if (!opened) return { ok: false, why: "invalid" };
  const [granted, signed] = [opened.slice(0, GRANT_SIZE), opened.subarray(GRANT_SIZE)];
  if (!(await isSignedByHost(host, signedMessage(asked, granted, enc), signed)))
    return { ok: false, why: "wrong-host" };
  const grant = { stream: granted.slice(0, STREAM_ID_SIZE), signingKey: granted.slice(STREAM_ID_SIZE) };
  return { ok: true, grant, identity: signed.slice(0, 32), keys: await directionKeys(hpke) };
}

/** Every field has one length: no two answers are signed by one signature. */
function signedMessage({ room, viewerKey, nonce }: AnsweredAsk, granted: Uint8Array, enc: Uint8Array): Uint8Array {
  return concat(utf8("Sealcast live answer\0"), utf8(room), viewerKey, nonce, granted, enc);
}

async function directionKeys(hpke: Hpke): Promise<DirectionKeys> {
  const [toViewer, toHost] = [await hpke.export("Sealcast live to viewer"), await hpke.export("Sealcast live to host")];
  return { toViewer, toHost };
}
