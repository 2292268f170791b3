/**
 * What a description may be at most. A call of five sections (microphone, camera, screen, its sound, channel) has about 15,000
 * characters in Chromium. A browser with every codec and profile offers some 45 formats in a section; the payload types
 * that are free for them are 61.
 */
export const DESCRIPTION = {
  characters: 32 * 1024,
  sections: 5,
  /** Of a section. Browsers work through them together: their time grows with the product. */
  lines: 512,
  lineCharacters: 1_024,
  formats: 64,
  /** `a=rtcp-fb` of one format. Chromium's time grows with the square of these: a thousand stop a page for a minute. */
  feedback: 8,
  candidates: 64,
} as const;

/** How this end sends a sound. */
export interface SoundFormat {
  /** How many milliseconds of it go into a packet. */
  packetMs: number;
  /**
   * `continuous`: packet after packet, in sizes that follow what is heard. `discontinuous`: hardly any while nobody speaks.
   * `constant`: packets of one size, also in silence, which tell nothing of what is said.
   */
  transmission: "continuous" | "discontinuous" | "constant";
  /** What it takes on average. Without, what the browser takes for speech. */
  bitsPerSecond?: number;
  /** Left and right stay apart, where the source has them. */
  isStereo?: boolean;
}

interface Wishes {
  /** How this end sends the sound of the section with that `a=mid`. Without, as the other end asks. */
  sound?(mid: string | null): SoundFormat | undefined;
  /** What the path is taken to carry at first, in kilobits per second; Chromium's own parameter. Without, as little as the browser likes. */
  startBitrate?: number | undefined;
  isReachable(candidate: string): boolean;
}

/** A media section, by its first line and `a=mid`. */
export interface Section {
  readonly kind: string;
  readonly mid: string | null;
  /** It carries nothing: its line was stopped. */
  readonly isRejected: boolean;
}

/** Parameters of Opus (RFC 7587 section 6.1). */
const TRANSMISSION: Record<SoundFormat["transmission"], string[]> = {
  continuous: ["usedtx=0"],
  discontinuous: ["usedtx=1"],
  constant: ["cbr=1", "usedtx=0"],
};
const STEREO = ["stereo=1"];
const OPUS = /^opus$/i;
const VIDEO_CODEC = /^(vp8|vp9|h264|h265|av1)$/i;
/** What this end decides for itself: how it sends sound, and the bitrates that Chromium lets the other end demand. */
const OWN_PARAMETER = /^(cbr=.*|usedtx=.*|maxaveragebitrate=.*|stereo=.*|x-google-.*|)$/i;

/** Lines of the other end's that are not followed, by the kind of their section. */
const DROPPED = {
  /**
   * Several encodings of one source (RFC 8853) would be several encoders here. What tells with each packet how loud it is
   * (RFC 6464, RFC 6465) stands in the packet's header, which nothing encrypts: what is not offered is not sent.
   */
  any: /^a=(simulcast|rid|extmap:\S+ urn:ietf:params:rtp-hdrext:(ssrc|csrc)-audio-level\b)/,
  /**
   * Sound has one bitrate whatever the connection carries, so nobody goes by feedback for its packets (`transport-cc`), and with
   * packets of 60 ms there is nearly one of feedback for each.
   */
  audio: /^a=(ptime:|extmap:.*transport-wide-cc|rtcp-fb:\S+ transport-cc)/,
};

/**
 * The other end's description as this end takes it. How the browser is to send is written into it, which browsers take for
 * the other end's wish (`a=ptime`, RFC 8866 section 6.4; parameters of codecs). Candidates that are not reachable are left out.
 *
 * @returns null where it is larger than any browser's, or says twice what can be said once.
 */
export function received(sdp: string, wishes: Wishes): { sdp: string; sections: Section[] } | null {
  if (sdp.length > DESCRIPTION.characters) return null;
  const [session, ...media] = sectionsOf(sdp);
  const mids = media.flatMap(({ mid }) => mid ?? []);
  if (media.length > DESCRIPTION.sections || new Set(mids).size < mids.length) return null;
  if (![session, ...media].every(isBounded)) return null;
  return {
    sdp: textOf([session, ...media].flatMap((section) => asTaken(section, wishes))),
    sections: media.map(({ kind, mid, lines }) => ({ kind, mid, isRejected: isRejected(lines) })),
  };
}

/** Lines that name an address beside candidates: where media would go without ICE (RFC 8839 section 4.2.1.1). */
const DEFAULT_ADDRESS = [
  [/^c=IN IP[46] .*/, "c=IN IP4 0.0.0.0"],
  [/^a=rtcp:\d+ IN .*/, "a=rtcp:9 IN IP4 0.0.0.0"],
] as const;

/**
 * This end's description as it is sent: with candidates as `said` gives them, without those for which that is null, and without feedback for formats that
 * a section does not offer. Firefox leaves that there for codecs that preferences took away, and Chromium refuses it.
 *
 * @param hidesAddress - No line names an address of this computer.
 */
export function sent(sdp: string, said: (candidate: string) => string | null, hidesAddress: boolean): string {
  return textOf(
    sectionsOf(sdp).flatMap(({ lines }) => {
      const offered = new Set(["*", ...(lines[0]?.split(" ").slice(3) ?? [])]);
      const isOffered = (line: string) => {
        const said = FORMAT.exec(line);
        return said?.[1] !== "rtcp-fb" || offered.has(said[2] ?? "");
      };
      return lines.filter(isOffered).flatMap((line) => {
        if (line.startsWith("a=candidate:")) return asSaid(said(line.slice("a=".length)));
        return hidesAddress
          ? DEFAULT_ADDRESS.reduce((text, [address, none]) => text.replace(address, none), line)
          : line;
      });
    }),
  );
}

/**
 * This end's description by which its browser decodes each sound but the first in stereo (RFC 7587 section 6.1): the first is the
 * microphone's, the other a screen's. Null where there is no other.
 */
export function heardInStereo(sdp: string): string | null {
  const sections = sectionsOf(sdp);
  const [, ...others] = sections.filter(({ kind }) => kind === "audio");
  if (others.length === 0) return null;
  return textOf(sections.flatMap((section) => (others.includes(section) ? inStereo(section.lines) : section.lines)));
}

function inStereo(lines: string[]): string[] {
  const opus = new Set(lines.flatMap((line) => formatOf(line, OPUS) ?? []));
  return lines.map((line) => {
    const [, attribute, format = "", said = ""] = FORMAT.exec(line) ?? [];
    return attribute === "fmtp" && opus.has(format) && !said.includes("stereo=") ? `${line};${STEREO.join()}` : line;
  });
}
const asSaid = (candidate: string | null): string[] => (candidate === null ? [] : [`a=${candidate}`]);

/** Lines of one section, or of the session before the first one, whose `kind` is "". */
interface Lines {
  readonly kind: string;
  readonly mid: string | null;
  readonly lines: string[];
}

/** What is said of a format: which attribute, of which payload type, and what. */
const FORMAT = /^a=(rtpmap|fmtp|rtcp-fb):(\S*) ?(.*)$/;

function sectionsOf(sdp: string): [Lines, ...Lines[]] {
  const session: Lines = { kind: "", mid: null, lines: [] };
  const media: { kind: string; mid: string | null; lines: string[] }[] = [];
  // Chromium takes lines that end with a line feed alone, too.
  for (const line of sdp.split(/\r?\n/)) {
    if (line.startsWith("m=")) media.push({ kind: line.slice(2).split(" ")[0] ?? "", mid: null, lines: [] });
    const section = media.at(-1);
    if (section !== undefined && line.startsWith("a=mid:")) section.mid = line.slice("a=mid:".length);
    if (line !== "") (section ?? session).lines.push(line);
  }
  return [session, ...media];
}

function isBounded({ lines }: Lines): boolean {
  if (lines.length > DESCRIPTION.lines) return false;
  const counts = new Map<string, number>();
  const isLess = (what: string, most: number) => {
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return count <= most;
  };
  return lines.every((line) => {
    if (line.includes("\r") || line.length > DESCRIPTION.lineCharacters) return false;
    if (line.startsWith("a=mid:")) return isLess("mid", 1);
    if (line.startsWith("a=candidate:")) return isLess("candidate", DESCRIPTION.candidates);
    const [, attribute, format = ""] = FORMAT.exec(line) ?? [];
    if (attribute === undefined) return true;
    if (attribute === "rtcp-fb") return isFormat(format, true) && isLess(`feedback ${format}`, DESCRIPTION.feedback);
    const isOne = isFormat(format, false) && isLess(`${attribute} ${format}`, 1);
    return isOne && (attribute === "fmtp" || isLess("formats", DESCRIPTION.formats));
  });
}

/** A payload type in its one way of being written, or all of them. */
function isFormat(format: string, orAll: boolean): boolean {
  return /^(0|[1-9]\d{0,2})$/.test(format) || (orAll && format === "*");
}

/** The section's lines, with what this end wishes of its codecs. */
function asTaken({ kind, mid, lines }: Lines, wishes: Wishes): string[] {
  const { codec, parameters, more } = ownWish(kind, wishes.startBitrate, wishes.sound?.(mid));
  const wished = new Set(lines.flatMap((line) => formatOf(line, codec) ?? []));
  const kept = lines.flatMap((line) => {
    const [, attribute, format = "", said = ""] = FORMAT.exec(line) ?? [];
    if (attribute !== "fmtp") return isDropped(line, kind) || isUnreachable(line, wishes.isReachable) ? [] : [line];
    const theirs = said.split(";").filter((parameter) => !OWN_PARAMETER.test(parameter.trim()));
    return parametersOf(format, [...theirs, ...(wished.delete(format) ? parameters : [])]);
  });
  return [...kept, ...[...wished].flatMap((format) => parametersOf(format, parameters)), ...more];
}

function ownWish(
  kind: string,
  startBitrate: number | undefined,
  sound: SoundFormat | undefined,
): { codec: RegExp; parameters: string[]; more: string[] } {
  if (kind === "audio" && sound !== undefined) {
    const { transmission, bitsPerSecond, packetMs, isStereo = false } = sound;
    const average = bitsPerSecond === undefined ? [] : [`maxaveragebitrate=${bitsPerSecond}`];
    const parameters = [...TRANSMISSION[transmission], ...average, ...(isStereo ? STEREO : [])];
    return { codec: OPUS, parameters, more: [`a=ptime:${packetMs}`] };
  }
  const parameters = startBitrate === undefined ? [] : [`x-google-start-bitrate=${startBitrate}`];
  return { codec: VIDEO_CODEC, parameters: kind === "video" ? parameters : [], more: [] };
}

/** The payload type that the line gives to such a codec. */
function formatOf(line: string, codec: RegExp): string | null {
  const [, attribute, format = "", said = ""] = FORMAT.exec(line) ?? [];
  return attribute === "rtpmap" && codec.test(said.split("/")[0] ?? "") ? format : null;
}

function parametersOf(format: string, parameters: string[]): string[] {
  return parameters.length === 0 ? [] : [`a=fmtp:${format} ${parameters.map((one) => one.trim()).join(";")}`];
}

function isDropped(line: string, kind: string): boolean {
  return DROPPED.any.test(line) || (kind === "audio" && DROPPED.audio.test(line));
}

function isUnreachable(line: string, isReachable: Wishes["isReachable"]): boolean {
  return line.startsWith("a=candidate:") && !isReachable(line.slice("a=".length));
}

/** Port 0 is a line that was stopped, unless its section waits to be bundled (RFC 9143 section 6). */
function isRejected([first = "", ...attributes]: string[]): boolean {
  return first.split(" ")[1] === "0" && !attributes.includes("a=bundle-only");
}

function textOf(lines: string[]): string {
  return lines.map((line) => `${line}\r\n`).join("");
}
