import { expect, it } from "vitest";
import { withoutStrayFeedback, withPacketTime } from "./description.ts";

const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join("");

it("drops feedback of formats that the media line does not offer, and nothing else", () => {
  const sdp = lines(
    "v=0",
    "m=audio 9 UDP/TLS/RTP/SAVPF 109 121",
    "a=rtcp-fb:109 transport-cc",
    "a=rtcp-fb:121 transport-cc",
    "m=video 9 UDP/TLS/RTP/SAVPF 120 124",
    "a=rtcp-fb:120 nack",
    "a=rtcp-fb:120 nack pli",
    "a=rtcp-fb:121 nack",
    "a=rtcp-fb:12 ccm fir",
    "a=rtcp-fb:* transport-cc",
    "a=fmtp:124 apt=120",
  );
  const expected = sdp.replace("a=rtcp-fb:121 nack\r\n", "").replace("a=rtcp-fb:12 ccm fir\r\n", "");
  expect(withoutStrayFeedback(sdp)).toBe(expected);
});

it("leaves a description without media lines as it is", () => {
  expect(withoutStrayFeedback(lines("v=0", "s=-"))).toBe(lines("v=0", "s=-"));
});

it("says how much sound goes into a packet in every audio section, in the place of what was said, and nowhere else", () => {
  const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=sendrecv"];
  const sdp = lines("v=0", "a=ptime:20", ...audio, "a=ptime:20", "m=video 9 UDP/TLS/RTP/SAVPF 96", ...audio);
  const wanted = [...audio, "a=ptime:40"];
  expect(withPacketTime(sdp, 40)).toBe(
    lines("v=0", "a=ptime:20", ...wanted, "m=video 9 UDP/TLS/RTP/SAVPF 96", ...wanted),
  );
});
