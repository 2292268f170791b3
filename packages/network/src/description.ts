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
