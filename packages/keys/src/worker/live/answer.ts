import { concat, constant, type Infer, opaque, struct, utf8 } from "@sealcast/bytes";
import type { Identity } from "../identity/identity.ts";
import { LIVE_TYPES } from "./ask.ts";
import { ENC_SIZE, type Hpke, hpkeFrom, hpkeTo, type Psk } from "./hpke.ts";
import { hostSignature, isSignedByHost, signAsHost } from "./signature.ts";

const TAG_SIZE = 16;

const grantFields = struct({
  /** Random, of this load of the host's page. */
  stream: opaque(16),
  /** Ed25519, raw: signs this stream's frames. */
  signingKey: opaque(32),
});
const signedGrant = struct({ grant: grantFields, signature: hostSignature });
const sealedAnswer = struct({
  type: constant(LIVE_TYPES.answer),
  enc: opaque(ENC_SIZE),
  sealed: opaque(signedGrant.size + TAG_SIZE),
});

/** What an answer says. The stream's keys follow over the channel, once the viewer has proved that they opened it. */
export type Grant = Infer<typeof grantFields>;

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

/** Sealed by HPKE in PSK mode: only who has the link learns whose stream it is. Null: the viewer's key is none. */
export async function sealAnswer(
  identity: Identity,
  asked: AnsweredAsk,
  grant: Grant,
): Promise<{ body: Uint8Array; keys: DirectionKeys } | null> {
  const sender = await hpkeTo(asked.viewerKey, asked.room, asked.psk);
  if (sender === null) return null;
  const { enc, hpke } = sender;
  const signature = await signAsHost(identity, signedMessage(asked, grant, enc));
  const sealed = await hpke.next(asked.nonce, signedGrant.encode({ grant, signature }));
  if (sealed === null) return null;
  return { body: sealedAnswer.encode({ enc, sealed }), keys: await directionKeys(hpke) };
}

/**
 * `invalid`: malformed, altered, or for another ask. `wrong-host`: from someone who has the secret, and not the identity
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
  const answer = sealedAnswer.parse(body);
  const hpke = answer && (await hpkeFrom(privateKey, answer.enc, asked.room, asked.psk));
  const opened = hpke && (await hpke.next(asked.nonce, answer.sealed));
  const signed = opened && signedGrant.parse(opened);
  if (!signed) return { ok: false, why: "invalid" };
  const { grant, signature } = signed;
  if (!(await isSignedByHost(host, signedMessage(asked, grant, answer.enc), signature)))
    return { ok: false, why: "wrong-host" };
  return { ok: true, grant, identity: signature.identity, keys: await directionKeys(hpke) };
}

/** Every field has one length: no two answers are signed by one signature. */
function signedMessage({ room, viewerKey, nonce }: AnsweredAsk, grant: Grant, enc: Uint8Array): Uint8Array {
  return concat(utf8("Sealcast live answer\0"), utf8(room), viewerKey, nonce, grantFields.encode(grant), enc);
}

async function directionKeys(hpke: Hpke): Promise<DirectionKeys> {
  const [toViewer, toHost] = [await hpke.export("Sealcast live to viewer"), await hpke.export("Sealcast live to host")];
  return { toViewer, toHost };
}
