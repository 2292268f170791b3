import { Cursor, concat, fromBase64url, OutOfBytes, toBase64url, u32, utf8 } from "@sealcast/bytes";
import * as v from "valibot";
import { VaultError } from "./error.ts";
import { isKnownKind } from "./kind.ts";
import { isSmallJpeg } from "./thumbnail.ts";

/**
 * What the vault keeps of a file beside its payload, itself an age file for the same recipients:
 * `u32 | facts (JSON) | u32 | notes (JSON) | u32 | thumbnail | u32 | digests`. The signature covers the facts, not the notes.
 */
export interface Meta {
  readonly facts: Facts;
  readonly notes: Notes;
  /** A small JPEG; empty: there is none. */
  readonly thumbnail: Uint8Array;
  /** SHA-256 of each sealed chunk, one after the other. */
  readonly digests: Uint8Array;
}

const MAX_TITLE = 200;
const MAX_JSON_BYTES = 64 * 1024;
const MAX_THUMBNAIL_BYTES = 64 * 1024;
/** Of the digests of 256 GiB. */
const MAX_DIGESTS_BYTES = 128 * 1024 * 1024;
const bytes = (length: number) =>
  v.pipe(
    v.string(),
    v.maxLength(200),
    v.transform((text) => fromBase64url(text)),
    v.check((array) => array?.length === length),
    v.transform((array): Uint8Array => array ?? new Uint8Array()),
  );
/** The last date that there is. */
const MAX_TIME = 8.64e15;
/** A year. */
const MAX_SECONDS = 366 * 24 * 3_600;
const text = (length: number) => v.pipe(v.string(), v.maxLength(length));

const Facts = v.strictObject({
  /** Media type, with codecs where they are known. */
  kind: v.pipe(text(200), v.check(isKnownKind)),
  /** Names of those who are in it, as they were shown. */
  people: v.pipe(v.array(text(200)), v.maxLength(100)),
  /** Milliseconds since 1970. */
  created: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(MAX_TIME)),
  /** How long it plays; null: it does not, or is not known. */
  seconds: v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_SECONDS))),
});

const Notes = v.strictObject({
  title: v.pipe(text(MAX_TITLE), v.transform(titled)),
  /** Who signed the payload and the facts: an Ed25519 public key (32) and signature (64). Null: nobody did. */
  signature: v.nullable(v.strictObject({ signer: bytes(32), value: bytes(64) })),
  /** A recipient was taken away, and the payload still has the key that they know. */
  resealing: v.boolean(),
  /** Recipients with whom the owner shared it, each with a name for the owner's eyes. */
  shared: v.pipe(v.array(v.strictObject({ name: text(200), recipient: text(2100) })), v.maxLength(100)),
});

/** What the sender says of a file, and signs. */
export type Facts = v.InferOutput<typeof Facts>;
/** What the owner of this copy may change. */
export type Notes = v.InferOutput<typeof Notes>;

/** A title as it is kept: something to see, in one line, that turns no other text round. */
export function titled(text: string): string {
  const title = withoutControls(text).trim().slice(0, MAX_TITLE);
  return /[^\p{Cf}\p{Z}]/u.test(title) ? title : "Untitled";
}

/** Without what moves a terminal's cursor, ends a line, or turns the text around it round. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "");
}

export function factsBytes(facts: Facts): Uint8Array<ArrayBuffer> {
  return utf8(JSON.stringify(facts));
}

export function encodeMeta({ facts, notes, thumbnail, digests }: Meta): Uint8Array<ArrayBuffer> {
  const { signature } = notes;
  const written = signature && { signer: toBase64url(signature.signer), value: toBase64url(signature.value) };
  const parts = [factsBytes(facts), utf8(JSON.stringify({ ...notes, signature: written })), thumbnail, digests];
  return concat(...parts.flatMap((part) => [u32(part.length), part]));
}

/** @throws VaultError `tampered`: anyone with the vault's public recipient can write such a file */
export function parseMeta(encoded: Uint8Array): { meta: Meta; factsBytes: Uint8Array } {
  try {
    const cursor = new Cursor(encoded);
    const [facts, notes] = [part(cursor, MAX_JSON_BYTES), part(cursor, MAX_JSON_BYTES)];
    const [thumbnail, digests] = [part(cursor, MAX_THUMBNAIL_BYTES), part(cursor, MAX_DIGESTS_BYTES)];
    if (thumbnail.length > 0 && !isSmallJpeg(thumbnail)) throw new RangeError("the thumbnail is no small JPEG");
    const meta = { facts: v.parse(Facts, json(facts)), notes: v.parse(Notes, json(notes)), thumbnail, digests };
    return { meta, factsBytes: facts };
  } catch (error) {
    if (
      error instanceof OutOfBytes ||
      error instanceof v.ValiError ||
      error instanceof SyntaxError ||
      error instanceof RangeError ||
      error instanceof TypeError
    )
      throw new VaultError("tampered", "The file's details are damaged.");
    throw error;
  }
}

function json(encoded: Uint8Array): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(encoded));
}

function part(cursor: Cursor, most: number): Uint8Array {
  const length = cursor.u32();
  if (length > most) throw new RangeError("a part is too large");
  return cursor.bytes(length);
}
