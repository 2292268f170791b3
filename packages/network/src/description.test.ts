import { expect, it } from "vitest";
import {
  withoutLoudness,
  withoutSoundFeedback,
  withoutStrayFeedback,
  withSound,
  withStartBitrate,
} from "./description.ts";

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

const asItIs = { packetMs: 40, transmission: "continuous" } as const;

it("says how much sound goes into a packet in every audio section, in the place of what was said, and nowhere else", () => {
  const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=sendrecv"];
  const sdp = lines("v=0", "a=ptime:20", ...audio, "a=ptime:20", "m=video 9 UDP/TLS/RTP/SAVPF 96", ...audio);
  const wanted = [...audio, "a=ptime:40"];
  expect(withSound(sdp, asItIs)).toBe(
    lines("v=0", "a=ptime:20", ...wanted, "m=video 9 UDP/TLS/RTP/SAVPF 96", ...wanted),
  );
});

it("drops what tells in a packet's header how loud its sound is, in every audio section, and no other extension", () => {
  const kept = [
    "a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
    "a=extmap:4 urn:x:ssrc-audio-level",
  ];
  const loudness = "urn:ietf:params:rtp-hdrext:ssrc-audio-level";
  const sdp = lines(
    "m=audio 9 UDP/TLS/RTP/SAVPF 111",
    `a=extmap:1 ${loudness}`,
    `a=extmap:14/sendrecv ${loudness} vad=on`,
    ...kept,
  );
  const more = lines(
    "m=audio 9 UDP/TLS/RTP/SAVPF 111",
    "a=extmap:5 urn:ietf:params:rtp-hdrext:csrc-audio-level",
    ...kept,
  );
  const audio = lines("m=audio 9 UDP/TLS/RTP/SAVPF 111", ...kept);
  expect(withoutLoudness(sdp + more)).toBe(audio + audio);
});

it("asks for no feedback on packets of sound, in every audio section, and leaves that on pictures", () => {
  const number = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
  const feedback = [`a=extmap:3 ${number}`, `a=extmap:5/sendrecv ${number}`, "a=rtcp-fb:111 transport-cc"];
  const kept = ["a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time", "a=rtcp-fb:111 nack"];
  const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111"];
  const video = ["m=video 9 UDP/TLS/RTP/SAVPF 96", ...feedback, "a=rtcp-fb:96 transport-cc"];
  const sdp = lines("v=0", ...audio, ...feedback, ...kept, ...video, ...audio, ...kept, "a=rtcp-fb:* transport-cc");
  expect(withoutSoundFeedback(sdp)).toBe(lines("v=0", ...audio, ...kept, ...video, ...audio, ...kept));
});

const opusIn = ["m=audio 9 UDP/TLS/RTP/SAVPF 63 111", "a=rtpmap:63 red/48000/2", "a=rtpmap:111 opus/48000/2"];

it.each([
  { transmission: "constant", parameters: "cbr=1;usedtx=0" },
  { transmission: "discontinuous", parameters: "usedtx=1" },
  { transmission: "continuous", parameters: "usedtx=0" },
] as const)("asks for $transmission sound, whatever the other end asked for, of Opus alone", (way) => {
  const red = "a=fmtp:63 111/111";
  const opus = "a=fmtp:111 minptime=10; cbr=0;usedtx=1;useinbandfec=1";
  const video = ["m=video 9 UDP/TLS/RTP/SAVPF 96", "a=fmtp:96 cbr=0"];
  const end = `a=fmtp:111 minptime=10;useinbandfec=1;${way.parameters}`;
  expect(withSound(lines("v=0", ...opusIn, red, opus, ...video), { packetMs: 20, ...way })).toBe(
    lines("v=0", ...opusIn, red, end, "a=ptime:20", ...video),
  );
});

it("asks for packets of one size where nothing was asked of Opus, and of each Opus that is offered", () => {
  const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111 112", "a=rtpmap:111 opus/48000/2", "a=rtpmap:112 OPUS/48000/2"];
  const asked = ["a=fmtp:111 cbr=1;usedtx=0", "a=fmtp:112 cbr=1;usedtx=0"];
  expect(withSound(lines(...audio), { packetMs: 20, transmission: "constant" })).toBe(
    lines(...audio, ...asked, "a=ptime:20"),
  );
});

it("says what a way is taken to carry at first with each codec of a picture, and with nothing else", () => {
  const video = [
    "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 103",
    "a=rtpmap:96 VP8/90000",
    "a=rtpmap:97 rtx/90000",
    "a=fmtp:97 apt=96",
    "a=rtpmap:103 H264/90000",
  ];
  const fmtp = "a=fmtp:103 packetization-mode=1;profile-level-id=42e01f";
  const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=rtpmap:111 opus/48000/2", "a=fmtp:111 useinbandfec=1"];
  const start = "x-google-start-bitrate=1000";
  expect(withStartBitrate(lines(...audio, ...video, fmtp), 1000)).toBe(
    lines(...audio, ...video, `a=fmtp:96 ${start}`, `${fmtp};${start}`),
  );
});
