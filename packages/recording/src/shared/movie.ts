import { Cursor, toHex } from "@sealcast/bytes";
import { boxesIn, childOf, parsed, UnreadableRecording } from "./boxes.ts";

interface Track {
  readonly id: number;
  readonly kind: "video" | "sound";
  /** Units of time a second. */
  readonly timescale: number;
  readonly codec: string;
}

/** What the `moov` box says of all fragments. */
export interface Movie {
  /** With its codecs, as MediaSource takes it. */
  readonly mimeType: string;
  /** By id. */
  readonly tracks: ReadonlyMap<number, Track>;
  /** By the track's id: how long a sample lasts where its fragment does not say. In units of the track's timescale. */
  readonly sampleDurations: ReadonlyMap<number, number>;
  /** The track that a fragment's time is taken from: the first with video, else the first. */
  readonly timed: number;
}

/** Fields of a sample entry before the boxes in it (ISO/IEC 14496-12 sections 12.1.3 and 12.2.3). */
const VISUAL_ENTRY_BYTES = 78;
const AUDIO_ENTRY_BYTES = 28;

/**
 * Reads the body of a `moov` box (ISO/IEC 14496-12 section 8.2).
 * @throws UnreadableRecording where a box is missing, or a track is in a codec other than H.264, VP9, AV1 or Opus
 * @throws OutOfBytes where a box ends too early
 */
function parseMovie(moov: Cursor): Movie {
  const tracks: Track[] = [];
  let sampleDurations = new Map<number, number>();
  for (const { type, body } of boxesIn(moov)) {
    if (type === "trak") tracks.push(parseTrack(body));
    if (type === "mvex") sampleDurations = parseExtends(body);
  }
  const timed = tracks.find(({ kind }) => kind === "video") ?? tracks[0];
  if (timed === undefined) throw new UnreadableRecording("There is neither video nor sound in it.");
  const mimeType = `${timed.kind === "video" ? "video" : "audio"}/mp4; codecs="${tracks.map(({ codec }) => codec).join(",")}"`;
  return { mimeType, tracks: new Map(tracks.map((track) => [track.id, track])), sampleDurations, timed: timed.id };
}

/**
 * Of a file's beginning up to the end of its `moov` box.
 * @throws UnreadableRecording as above, and where a box ends too early
 */
export function movieOf(init: Uint8Array): Movie {
  return parsed(() => parseMovie(childOf(new Cursor(init), "moov")));
}

function parseTrack(trak: Cursor): Track {
  let id = 0;
  let media: Cursor | null = null;
  for (const { type, body } of boxesIn(trak)) {
    if (type === "tkhd") id = afterTimes(body);
    if (type === "mdia") media = body;
  }
  if (media === null) throw new UnreadableRecording("A track says nothing of its media.");
  let timescale = 0;
  let codec: Pick<Track, "kind" | "codec"> | null = null;
  for (const { type, body } of boxesIn(media)) {
    if (type === "mdhd") timescale = afterTimes(body);
    if (type === "minf") codec = parseCodec(childOf(childOf(body, "stbl"), "stsd"));
  }
  if (codec === null || timescale === 0) throw new UnreadableRecording("A track has no codec or no timescale.");
  return { id, timescale, ...codec };
}

/** The number that follows the two dates at the beginning of `tkhd` and `mdhd`. */
function afterTimes(body: Cursor): number {
  const version = body.u8();
  body.bytes(3 + (version === 1 ? 16 : 8));
  return body.u32();
}

function parseExtends(mvex: Cursor): Map<number, number> {
  const durations = new Map<number, number>();
  for (const { type, body } of boxesIn(mvex)) {
    if (type !== "trex") continue;
    body.u32();
    const track = body.u32();
    body.u32();
    durations.set(track, body.u32());
  }
  return durations;
}

/** The first sample entry; its codec by RFC 6381 and the codecs' own registrations. */
function parseCodec(stsd: Cursor): Pick<Track, "kind" | "codec"> {
  stsd.bytes(8);
  for (const { type, body } of boxesIn(stsd)) {
    if (type === "Opus") return parseOpus(body);
    const configuration = VIDEO[type];
    if (configuration === undefined)
      throw new UnreadableRecording(`It has a track in the codec "${type}", which cannot be played here.`);
    body.bytes(VISUAL_ENTRY_BYTES);
    return { kind: "video", codec: configuration.codec(childOf(body, configuration.box)) };
  }
  throw new UnreadableRecording("A track has no codec.");
}

function parseOpus(entry: Cursor): Pick<Track, "kind" | "codec"> {
  entry.bytes(AUDIO_ENTRY_BYTES);
  childOf(entry, "dOps");
  return { kind: "sound", codec: "opus" };
}

const VIDEO: Readonly<Record<string, { box: string; codec(configuration: Cursor): string }>> = {
  avc1: { box: "avcC", codec: h264 },
  vp09: { box: "vpcC", codec: vp9 },
  av01: { box: "av1C", codec: av1 },
};

/** ISO/IEC 14496-15: profile, constraints and level follow the version. */
function h264(configuration: Cursor): string {
  configuration.u8();
  return `avc1.${toHex(configuration.bytes(3))}`;
}

/** VP Codec ISO Media File Format Binding. */
function vp9(configuration: Cursor): string {
  configuration.u32();
  const [profile, level, depth] = [configuration.u8(), configuration.u8(), configuration.u8() >> 4];
  return ["vp09", ...[profile, level, depth].map(twoDigits)].join(".");
}

/** AV1 Codec ISO Media File Format Binding section 2.3. */
function av1(configuration: Cursor): string {
  configuration.u8();
  const first = configuration.u8();
  const second = configuration.u8();
  const depth = second & 0x40 ? (second & 0x20 ? 12 : 10) : 8;
  return `av01.${first >> 5}.${twoDigits(first & 31)}${second & 0x80 ? "H" : "M"}.${twoDigits(depth)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
