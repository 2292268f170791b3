import { Cursor } from "@sealcast/bytes";
import {
  type BoxHeader,
  boxesIn,
  boxHeader,
  LEAST_HEADER_BYTES,
  MOST_HEADER_BYTES,
  parsed,
  UnreadableRecording,
} from "./boxes.ts";
import { type Listed, listedFragments } from "./listed.ts";
import { type Movie, movieOf } from "./movie.ts";

/** What a file is read by while it plays. Rejects with an Error whose `name` is "TamperedError" for bytes that do not authenticate. */
export interface ReadableSource {
  /** Bytes at present; grows while a recording is made. */
  size(): Promise<number>;
  /** Exactly `length` bytes from `at`. */
  read(at: number, length: number): Promise<Uint8Array>;
}

/** A `moof` box up to the end of its `mdat`: what MediaSource takes as one. Video in it begins with a key frame. */
export interface Fragment {
  /** In bytes, from the beginning of the file. */
  readonly at: number;
  readonly length: number;
  /** Of the video; one with sound only begins where the one before ends. Never less than that of the one before. */
  readonly startSeconds: number;
  readonly seconds: number;
}

/** Plain data: it may be stored, and given to `indexOf` again. */
export interface FragmentIndex {
  /** With its codecs, as MediaSource takes it. */
  readonly mimeType: string;
  /** What MediaSource gets before any fragment. */
  readonly init: { readonly at: number; readonly length: number };
  readonly fragments: readonly Fragment[];
  /** How long all of it plays. */
  readonly seconds: number;
  /** Whether its writer ended it (it has its `mfra` box): it grows no more. */
  readonly isComplete: boolean;
}

/** Larger ones are refused, whatever the file says of itself. In bytes. */
export const MOST = { init: 4 * 2 ** 20, moof: 2 ** 20, fragment: 64 * 2 ** 20 };
/** Three days in fragments of a second. */
const MOST_FRAGMENTS = 262_144;
/** A file may say of itself what it likes. */
export const MOST_SECONDS = 30 * 24 * 3_600;
/** Boxes from one fragment's end to the next one's. */
const MOST_BETWEEN = 1_000;
/** Enough for the `moof` of a second and the header that follows: one read a fragment. */
const WINDOW_BYTES = 4_096;

/**
 * Finds the fragments of a fragmented MP4; of the media it reads nothing. A finished file lists them at its end, which takes
 * a few reads. Elsewhere it goes from box to box: a last fragment that is not whole is left out, so a file may be cut
 * anywhere, or grow. `from` is an earlier index of the same file, from whose last fragment this goes from box to box.
 * A list is the file's word alone: see `isFragment`.
 * @throws UnreadableRecording where it is none, or says of itself what cannot be; also while its beginning is not written yet
 * @throws what `source` rejects with
 */
export async function indexOf(source: ReadableSource, from?: FragmentIndex): Promise<FragmentIndex> {
  const size = await source.size();
  const file = new Window(source, size);
  const init = from?.init ?? (await findInit(file));
  const movie = movieOf(await file.bytes(init.at, init.length));
  const listed = from === undefined ? await listedIn(file, movie, endOf(init)) : null;
  if (listed !== null) return { mimeType: movie.mimeType, init, ...listed };
  return { mimeType: movie.mimeType, init, ...(await walk(file, movie, endOf(init), from?.fragments ?? [])) };
}

/**
 * Whether `bytes` are one fragment and nothing else, with video that begins at `startSeconds` or none at all: what an index
 * says that there is.
 */
export function isFragment(bytes: Uint8Array, movie: Movie, startSeconds: number): boolean {
  try {
    const boxes = parsed(() => [...boxesIn(new Cursor(bytes))]);
    const [moof] = boxes;
    const isOne = (type: string) => boxes.filter((box) => box.type === type).length === 1;
    if (moof?.type !== "moof" || boxes.at(-1)?.type !== "mdat" || !isOne("moof") || !isOne("mdat")) return false;
    const video = parsed(() => parseTimes(moof.body, movie)).get(movie.timed);
    return video === undefined || video.start === startSeconds;
  } catch (error) {
    if (error instanceof UnreadableRecording) return false;
    throw error;
  }
}

function endOf({ at, length }: { at: number; length: number }): number {
  return at + length;
}

/** The file's beginning up to the end of its `moov`. */
async function findInit(file: Window): Promise<FragmentIndex["init"]> {
  for (let at = 0; at < MOST.init; ) {
    const box = await file.header(at);
    if (box === null) throw new UnreadableRecording("It ends before it says what is in it.");
    if (box.type === "mdat") throw new UnreadableRecording("It is no fragmented MP4.");
    at += box.size;
    if (box.type === "moov" && at <= MOST.init) return { at: 0, length: at };
  }
  throw new UnreadableRecording("Its description is too large.");
}

type Found = Pick<FragmentIndex, "fragments" | "seconds" | "isComplete">;

/** By the file's own list. Null where it has none, or one that does not lead from its beginning to its end. */
async function listedIn(file: Window, movie: Movie, from: number): Promise<Found | null> {
  try {
    const listed = await listedFragments(file.size, (at, length) => file.bytes(at, length), movie);
    const last = listed?.at(-1);
    if (listed === null || last === undefined || listed[0]?.at !== from) return null;
    const found = await walk(file, movie, last.at, spanned(listed));
    const { startSeconds } = found.fragments[listed.length - 1] ?? {};
    return startSeconds === last.startSeconds ? found : null;
  } catch (error) {
    if (error instanceof UnreadableRecording) return null;
    throw error;
  }
}

/** Each up to the next one; of the last one the end is not known. */
function spanned(listed: readonly Listed[]): Fragment[] {
  const fragments: Fragment[] = [];
  for (const [number, { at, startSeconds }] of listed.entries()) {
    const next = listed[number + 1];
    if (next !== undefined)
      add(fragments, at, next.at - at, { startSeconds, seconds: next.startSeconds - startSeconds });
  }
  return fragments;
}

/** Goes on from the last of the `known` fragments, or from `at` where there is none, to the end of what is whole. */
async function walk(file: Window, movie: Movie, from: number, known: readonly Fragment[]): Promise<Found> {
  const fragments = [...known];
  const isComplete = await addWhole(file, movie, endOf(known.at(-1) ?? { at: from, length: 0 }), fragments);
  const last = fragments.at(-1);
  return { fragments, seconds: last === undefined ? 0 : last.startSeconds + last.seconds, isComplete };
}

/** Adds whole fragments from `at` on. @returns whether the file's end came */
async function addWhole(file: Window, movie: Movie, at: number, fragments: Fragment[]): Promise<boolean> {
  let begun: { at: number; times: TrackTimes } | null = null;
  let between = 0;
  for (let box = await file.header(at); box !== null; at += box.size, box = await file.header(at)) {
    if (box.type === "mfra") return true;
    if (++between > MOST_BETWEEN) throw new UnreadableRecording("It has too many boxes that are no fragments.");
    if (box.type === "moof") begun = { at, times: await readTimes(file, at, box, movie) };
    if (box.type === "mdat" && begun !== null) {
      add(fragments, begun.at, at + box.size - begun.at, timing(begun.times, fragments.at(-1), movie));
      begun = null;
      between = 0;
    }
  }
  return false;
}

function add(fragments: Fragment[], at: number, length: number, time: Timing): void {
  if (length <= 0) throw new UnreadableRecording("Its fragments are not in order.");
  if (length > MOST.fragment) throw new UnreadableRecording("A fragment is too large.");
  if (fragments.length === MOST_FRAGMENTS) throw new UnreadableRecording("It has too many fragments.");
  if (time.startSeconds < (fragments.at(-1)?.startSeconds ?? 0))
    throw new UnreadableRecording("Its fragments are not in order.");
  if (time.startSeconds + time.seconds > MOST_SECONDS)
    throw new UnreadableRecording("It says that it plays for months.");
  const before = fragments.pop();
  // Each lasts up to the next one, also where no frame came in between: by its own frames it would end before that.
  if (before !== undefined) fragments.push({ ...before, seconds: time.startSeconds - before.startSeconds });
  fragments.push({ at, length, ...time });
}

type Timing = Pick<Fragment, "startSeconds" | "seconds">;
/** By the track's id, in seconds. */
type TrackTimes = ReadonlyMap<number, { start: number; seconds: number }>;

async function readTimes(file: Window, at: number, { size, length }: BoxHeader, movie: Movie): Promise<TrackTimes> {
  if (size > MOST.moof) throw new UnreadableRecording("The description of a fragment is too large.");
  const bytes = await file.bytes(at + length, size - length);
  return parsed(() => parseTimes(new Cursor(bytes), movie));
}

function timing(times: TrackTimes, before: Fragment | undefined, { timed }: Movie): Timing {
  const own = times.get(timed);
  if (own !== undefined) return { startSeconds: own.start, seconds: own.seconds };
  const startSeconds = before === undefined ? 0 : before.startSeconds + before.seconds;
  const end = Math.max(startSeconds, ...[...times.values()].map(({ start, seconds }) => start + seconds));
  return { startSeconds, seconds: end - startSeconds };
}

/** Reads the body of a `moof` box (ISO/IEC 14496-12 section 8.8). */
function parseTimes(moof: Cursor, movie: Movie): TrackTimes {
  const times = new Map<number, { start: number; seconds: number }>();
  for (const { type, body } of boxesIn(moof)) {
    if (type !== "traf") continue;
    const { track, start, duration } = parseTrackFragment(body, movie);
    const timescale = movie.tracks.get(track)?.timescale;
    if (timescale === undefined) throw new UnreadableRecording("A fragment belongs to no track.");
    times.set(track, { start: start / timescale, seconds: duration / timescale });
  }
  return times;
}

interface TrackFragment {
  track: number;
  /** Both in units of the track's timescale. */
  start: number;
  duration: number;
}

function parseTrackFragment(traf: Cursor, { sampleDurations }: Movie): TrackFragment {
  let track = 0;
  let start: number | null = null;
  let sampleDuration = 0;
  let duration = 0;
  for (const { type, body } of boxesIn(traf)) {
    if (type === "tfhd") {
      const header = parseHeader(body);
      track = header.track;
      sampleDuration = header.sampleDuration ?? sampleDurations.get(track) ?? 0;
    }
    if (type === "tfdt") start = body.u8() === 1 ? Number(after(body, 3).u64()) : after(body, 3).u32();
    if (type === "trun") duration += parseDuration(body, sampleDuration);
  }
  if (start === null) throw new UnreadableRecording("A fragment does not say when it begins.");
  return { track, start, duration };
}

function parseHeader(tfhd: Cursor): { track: number; sampleDuration: number | null } {
  const flags = tfhd.u32();
  const track = tfhd.u32();
  if (flags & 0x01) tfhd.u64();
  if (flags & 0x02) tfhd.u32();
  return { track, sampleDuration: flags & 0x08 ? tfhd.u32() : null };
}

function parseDuration(trun: Cursor, sampleDuration: number): number {
  const flags = trun.u32();
  const samples = trun.u32();
  if (!(flags & 0x100)) return samples * sampleDuration;
  after(trun, flags & 0x01 ? 4 : 0);
  after(trun, flags & 0x04 ? 4 : 0);
  const others = [0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
  let duration = 0;
  for (let sample = 0; sample < samples; sample++) {
    duration += trun.u32();
    after(trun, 4 * others);
  }
  return duration;
}

function after(cursor: Cursor, bytes: number): Cursor {
  cursor.bytes(bytes);
  return cursor;
}

/** Reads a file of which `size` bytes are known to be there, in pieces that hold more than was asked for. */
class Window {
  readonly #source: ReadableSource;
  readonly size: number;
  #at = 0;
  #held: Uint8Array = new Uint8Array();

  constructor(source: ReadableSource, size: number) {
    this.#source = source;
    this.size = size;
  }

  /** Of the box at `at`; its size is never 0. Null where that box is not whole, does not say where it ends, or is not there. */
  async header(at: number): Promise<BoxHeader | null> {
    const left = this.size - at;
    if (left < LEAST_HEADER_BYTES) return null;
    const bytes = await this.bytes(at, Math.min(MOST_HEADER_BYTES, left));
    const box = left < MOST_HEADER_BYTES && new Cursor(bytes).u32() === 1 ? null : boxHeader(new Cursor(bytes));
    return box === null || box.size === 0 || box.size > left ? null : box;
  }

  async bytes(at: number, length: number): Promise<Uint8Array> {
    if (at < this.#at || at + length > this.#at + this.#held.length) {
      this.#held = await this.#source.read(at, Math.max(length, Math.min(WINDOW_BYTES, this.size - at)));
      this.#at = at;
    }
    return this.#held.subarray(at - this.#at, at - this.#at + length);
  }
}
