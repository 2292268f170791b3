/** What a file is, by its first bytes: neither its name nor what anybody says of it counts. */

/** As many of the first bytes as tell. */
export const KIND_BYTES = 64;

const UNKNOWN = "application/octet-stream";

type Test = readonly [kind: string, at: number, signature: string];

/** Signatures as text; "?" is any byte. */
const SIGNATURES: readonly Test[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 0, "RIFF????WEBP"],
  ["image/avif", 4, "ftypavif"],
  ["audio/mp4", 4, "ftypM4A "],
  ["video/quicktime", 4, "ftypqt  "],
  ["video/mp4", 4, "ftyp"],
  ["video/webm", 0, "\x1a\x45\xdf\xa3"],
  ["audio/wav", 0, "RIFF????WAVE"],
  ["audio/flac", 0, "fLaC"],
  ["audio/ogg", 0, "OggS"],
  ["audio/mpeg", 0, "ID3"],
  ["audio/mpeg", 0, "\xff\xfb"],
  ["audio/mpeg", 0, "\xff\xf3"],
  ["audio/aac", 0, "\xff\xf1"],
];

/** The media type of a file that begins with `start`; "application/octet-stream": none that is known here. */
export function kindOf(start: Uint8Array): string {
  const isThere = ([, at, signature]: Test) =>
    [...signature].every((sign, i) => sign === "?" || start[at + i] === sign.charCodeAt(0));
  return SIGNATURES.find(isThere)?.[0] ?? UNKNOWN;
}

/** Whether a file may be declared to be of this kind. Pages, and images that hold scripts, are never declared. */
export function isKnownKind(text: string): boolean {
  const [, kind] = /^([\w/-]+)(?:; ?codecs="[\w., ]*")?$/.exec(text) ?? [];
  return kind === UNKNOWN || SIGNATURES.some(([known]) => known === kind);
}

export function isMedia(kind: string): boolean {
  return /^(image|audio|video)\//.test(kind);
}
