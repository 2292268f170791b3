/**
 * A session description without feedback lines (`a=rtcp-fb`) of formats that its media lines do not offer. Firefox leaves
 * them there for every codec that preferences took away, and Chromium refuses a description that has one.
 */
export function withoutStrayFeedback(sdp: string): string {
  return sdp
    .split(/(?=^m=)/m)
    .map((section) => {
      const [, , , ...formats] = (section.split("\r\n")[0] ?? "").split(" ");
      return section.replace(/^a=rtcp-fb:(\d+) .*\r\n/gm, (line, format) => (formats.includes(format) ? line : ""));
    })
    .join("");
}

/** How this end sends its sound. */
export interface Sound {
  /** How many milliseconds of it go into a packet. */
  packetMs: number;
  /**
   * `continuous`: packet after packet, in sizes that follow what is heard. `discontinuous`: hardly any while nobody speaks.
   * `constant`: packets of one size, also in silence, which tell nothing of what is said.
   */
  transmission: "continuous" | "discontinuous" | "constant";
}

/** Parameters of Opus (RFC 7587 section 6.1). */
const TRANSMISSION: Record<Sound["transmission"], string[]> = {
  continuous: ["usedtx=0"],
  discontinuous: ["usedtx=1"],
  constant: ["cbr=1", "usedtx=0"],
};

/**
 * The other end's description, so that this end sends its sound there in this way. Browsers take what stands there for the
 * other end's wish: `a=ptime` (RFC 8866 section 6.4), `cbr` and `usedtx` of Opus (RFC 7587 section 6.1).
 */
export function withSound(sdp: string, { packetMs, transmission }: Sound): string {
  return within(sdp, "audio", (section) => {
    const open = section.replace(/^a=ptime:.*\r\n/gm, "");
    return `${withParameters(open, /^opus$/i, TRANSMISSION[transmission])}a=ptime:${packetMs}\r\n`;
  });
}

/**
 * The other end's description, so that this end takes the way to carry so much, in kilobits per second, until it has found
 * what it does carry. Chromium's own parameter of a codec; Firefox looks past it.
 */
export function withStartBitrate(sdp: string, kilobits: number): string {
  return within(sdp, "video", (section) =>
    withParameters(section, /^(vp8|vp9|h264|h265|av1)$/i, [`x-google-start-bitrate=${kilobits}`]),
  );
}

/** Each format of these codecs with these parameters, and without what was said of `cbr` and `usedtx` before. */
function withParameters(section: string, codec: RegExp, parameters: string[]): string {
  const formats = [...section.matchAll(/^a=rtpmap:(\d+) (\w+)\//gm)].filter(([, , name = ""]) => codec.test(name));
  return formats.reduce((sdp, [, format]) => {
    const line = new RegExp(`^a=fmtp:${format} (.*)\\r\\n`, "m");
    const asked = (line.exec(sdp)?.[1] ?? "").split(";").map((parameter) => parameter.trim());
    const kept = asked.filter((parameter) => !/^(cbr=.*|usedtx=.*|)$/.test(parameter));
    return `${sdp.replace(line, "")}a=fmtp:${format} ${[...kept, ...parameters].join(";")}\r\n`;
  }, section);
}

/**
 * The other end's description without the extensions that tell with each packet of sound how loud it is (RFC 6464, RFC 6465):
 * they stand in the packet's header, which nothing encrypts. What the other end does not offer, this end does not send.
 */
export function withoutLoudness(sdp: string): string {
  return sdp.replace(/^a=extmap:\S+ urn:ietf:params:rtp-hdrext:(ssrc|csrc)-audio-level\b.*\r\n/gm, "");
}

/**
 * The other end's description without feedback for packets of sound (`transport-cc`): what the other end does not ask for,
 * this end does not give. Sound has one bitrate whatever the way carries, so nobody goes by it, and with packets of 60 ms
 * there is nearly one of feedback for each.
 */
export function withoutSoundFeedback(sdp: string): string {
  return within(sdp, "audio", (section) =>
    section.replace(/^a=(extmap:.*transport-wide-cc|rtcp-fb:\S+ transport-cc).*\r\n/gm, ""),
  );
}

/** The description with each of its sections of that kind changed. */
function within(sdp: string, kind: "audio" | "video", change: (section: string) => string): string {
  const sections = sdp.split(/(?=^m=)/m);
  return sections.map((section) => (section.startsWith(`m=${kind} `) ? change(section) : section)).join("");
}
