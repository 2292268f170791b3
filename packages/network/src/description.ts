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

/**
 * The other end's description, so that this end puts so many milliseconds of sound into each packet that it sends there
 * (`a=ptime`, RFC 8866 section 6.4): browsers take it for what the other end would like.
 */
export function withPacketTime(sdp: string, ms: number): string {
  return sdp
    .split(/(?=^m=)/m)
    .map((section) =>
      section.startsWith("m=audio ") ? `${section.replace(/^a=ptime:.*\r\n/gm, "")}a=ptime:${ms}\r\n` : section,
    )
    .join("");
}
