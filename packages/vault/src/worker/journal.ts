import { Cursor, concat, OutOfBytes, u32, u64 } from "@sealcast/bytes";
import { openWithSecret, sealWithSecret } from "@sealcast/crypto";
import { CHUNK_BYTES, TAG_BYTES } from "../shared/payload.ts";

/**
 * What was appended and fills no chunk yet, so that a crash loses little of it. Two places that are written in turn: a
 * write that a crash cut off leaves the one before. Under a key of its own, with a random nonce each time.
 */

/** What the journal holds: the bytes after the first `chunks` chunks. `turn` counts the writes. */
export interface JournalEntry {
  readonly turn: number;
  readonly chunks: number;
  readonly tail: Uint8Array;
}

const LABEL = "Sealcast vault journal";
const NONCE = 12;
/** `length (4) | nonce | turn (8) | chunks (8) | tail | tag`. */
const PLACE_BYTES = 4 + NONCE + 16 + CHUNK_BYTES + TAG_BYTES;
export const JOURNAL_BYTES = 2 * PLACE_BYTES;

/** What is written for an entry, and where. */
export async function sealEntry(key: Uint8Array, entry: JournalEntry): Promise<{ bytes: Uint8Array; at: number }> {
  const plain = concat(u64(BigInt(entry.turn)), u64(BigInt(entry.chunks)), entry.tail);
  const sealed = await sealWithSecret(key, LABEL, new Uint8Array(), plain);
  return { bytes: concat(u32(sealed.length), sealed), at: (entry.turn % 2) * PLACE_BYTES };
}

/** The latest entry that is whole; null: there is none. */
export async function latestEntry(key: Uint8Array, journal: Uint8Array): Promise<JournalEntry | null> {
  const places = [journal.subarray(0, PLACE_BYTES), journal.subarray(PLACE_BYTES, JOURNAL_BYTES)];
  const entries = await Promise.all(places.map((place) => openEntry(key, place)));
  return entries.reduce((latest, entry) => ((entry?.turn ?? -1) > (latest?.turn ?? -1) ? entry : latest), null);
}

async function openEntry(key: Uint8Array, place: Uint8Array): Promise<JournalEntry | null> {
  try {
    const cursor = new Cursor(place);
    const plain = await openWithSecret(key, LABEL, new Uint8Array(), cursor.bytes(cursor.u32()));
    if (plain === null) return null;
    const entry = new Cursor(plain);
    return { turn: Number(entry.u64()), chunks: Number(entry.u64()), tail: entry.rest() };
  } catch (error) {
    if (error instanceof OutOfBytes) return null;
    throw error;
  }
}
