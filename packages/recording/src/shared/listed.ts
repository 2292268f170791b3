import { Cursor } from "@sealcast/bytes";
import { boxesIn, boxHeader, parsed } from "./boxes.ts";
import type { Movie } from "./movie.ts";

/** A fragment as a file lists it. */
export interface Listed {
  /** In bytes, from the beginning of the file. */
  readonly at: number;
  readonly startSeconds: number;
}

/** Reads bytes that are known to be there. */
type Read = (at: number, length: number) => Promise<Uint8Array>;

/** A list of three days in fragments of a second has half of it. In bytes. */
const MOST_LIST_BYTES = 2 ** 24;
/** The `mfro` box, the last one of a finished file. */
const END_BYTES = 16;

/**
 * The fragments that a finished file of `size` bytes lists at its end, in its `mfra` box (ISO/IEC 14496-12 section 8.8.9): two
 * reads, however long it is. It is the file's word alone: each reader of a fragment checks that one is there.
 * @returns null where there is no list, or none that says of each fragment when its video begins
 * @throws UnreadableRecording, OutOfBytes where the list is damaged
 */
export async function listedFragments(size: number, read: Read, movie: Movie): Promise<Listed[] | null> {
  const length = listBytes(new Cursor(await read(size - END_BYTES, END_BYTES)));
  if (length === null || length > Math.min(size, MOST_LIST_BYTES)) return null;
  const list = new Cursor(await read(size - length, length));
  return parsed(() => parseList(list, movie));
}

/** How long the list is that ends with this box; null: it is another box. */
function listBytes(end: Cursor): number | null {
  const { type, size } = boxHeader(end);
  if (type !== "mfro" || size !== END_BYTES) return null;
  end.u32();
  return end.u32();
}

function parseList(list: Cursor, { timed, tracks }: Movie): Listed[] | null {
  boxHeader(list);
  const timescale = tracks.get(timed)?.timescale;
  if (timescale === undefined) return null;
  const listed: Listed[] = [];
  const others = new Set<number>();
  for (const box of boxesIn(list)) {
    if (box.type !== "tfra") continue;
    const { track, entries } = parseTrack(box.body);
    if (track !== timed) for (const { at } of entries) others.add(at);
    else for (const { at, time } of entries) listed.push({ at, startSeconds: time / timescale });
  }
  const last = listed.at(-1);
  for (const { at } of listed) others.delete(at);
  // Those with sound only take their time from what is before them, which a list does not say.
  return last === undefined || [...others].some((at) => at < last.at) ? null : listed;
}

/** Of one track: `time` is in units of its timescale. */
function parseTrack(tfra: Cursor): { track: number; entries: { at: number; time: number }[] } {
  const isLong = tfra.u8() === 1;
  tfra.bytes(3);
  const track = tfra.u32();
  const lengths = tfra.u32();
  const numbersBytes = 3 + ((lengths >> 4) & 3) + ((lengths >> 2) & 3) + (lengths & 3);
  const count = tfra.u32();
  const entries: { at: number; time: number }[] = [];
  while (entries.length < count) {
    const time = isLong ? Number(tfra.u64()) : tfra.u32();
    const at = isLong ? Number(tfra.u64()) : tfra.u32();
    tfra.bytes(numbersBytes);
    entries.push({ at, time });
  }
  return { track, entries };
}
