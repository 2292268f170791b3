import { describe, expect, it } from "vitest";
import { DESCRIPTION, heardInStereo, received, type SoundFormat, sent } from "./description.ts";

const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join("");
const everywhere = { isReachable: () => true };
const taken = (sdp: string, sound?: SoundFormat) => received(sdp, { ...everywhere, sound: () => sound })?.sdp;

describe("this end's own description", () => {
  const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 63 111", "a=rtpmap:111 opus/48000/2", "a=rtpmap:63 red/48000/2"];
  const formats = ["a=fmtp:111 minptime=10", "a=fmtp:63 111/111"];

  it("has Opus decoded in stereo of each sound but the first, and is another in nothing else", () => {
    const video = ["m=video 9 UDP/TLS/RTP/SAVPF 111", "a=rtpmap:111 VP8/90000", "a=fmtp:111 x=1"];
    const before = ["v=0", ...audio, ...formats, ...video];
    const stereo = ["a=fmtp:111 minptime=10;stereo=1", "a=fmtp:63 111/111"];
    expect(heardInStereo(lines(...before, ...audio, ...formats))).toBe(lines(...before, ...audio, ...stereo));
    expect(heardInStereo(lines(...before, ...audio, ...stereo))).toBe(lines(...before, ...audio, ...stereo));
    expect(heardInStereo(lines(...before))).toBeNull();
  });
});

describe("a description that is sent", () => {
  it("has no feedback of formats that the media section does not offer, and loses nothing else", () => {
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
    expect(sent(sdp, (candidate) => candidate, false)).toBe(expected);
  });

  it("without media sections stays as it is", () => {
    expect(sent(lines("v=0", "s=-"), (candidate) => candidate, false)).toBe(lines("v=0", "s=-"));
  });

  it("has no candidates that the other end refuses", () => {
    const section = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:0"];
    const sdp = lines(...section, "a=candidate:here", "a=candidate:there");
    expect(sent(sdp, (candidate) => (candidate === "candidate:there" ? candidate : null), false)).toBe(
      lines(...section, "a=candidate:there"),
    );
  });
});

describe("a description that is received", () => {
  const asItIs = { packetMs: 40, transmission: "continuous" } as const;

  it("says how much sound goes into a packet in every audio section, in the place of what was said, and nowhere else", () => {
    const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=sendrecv"];
    const sdp = lines("v=0", "a=ptime:20", ...audio, "a=ptime:20", "m=video 9 UDP/TLS/RTP/SAVPF 96", ...audio);
    const wanted = [...audio, "a=ptime:40"];
    expect(taken(sdp, asItIs)).toBe(lines("v=0", "a=ptime:20", ...wanted, "m=video 9 UDP/TLS/RTP/SAVPF 96", ...wanted));
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
    expect(taken(sdp + more)).toBe(audio + audio);
  });

  it("asks for no feedback on packets of sound, in every audio section, and leaves that on pictures", () => {
    const number = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
    const feedback = [`a=extmap:3 ${number}`, `a=extmap:5/sendrecv ${number}`, "a=rtcp-fb:111 transport-cc"];
    const kept = ["a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time", "a=rtcp-fb:111 nack"];
    const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111"];
    const video = ["m=video 9 UDP/TLS/RTP/SAVPF 96", ...feedback, "a=rtcp-fb:96 transport-cc"];
    const sdp = lines("v=0", ...audio, ...feedback, ...kept, ...video, ...audio, ...kept, "a=rtcp-fb:* transport-cc");
    expect(taken(sdp)).toBe(lines("v=0", ...audio, ...kept, ...video, ...audio, ...kept));
  });

  const opusIn = ["m=audio 9 UDP/TLS/RTP/SAVPF 63 111", "a=rtpmap:63 red/48000/2", "a=rtpmap:111 opus/48000/2"];

  it.each([
    { transmission: "constant", parameters: "cbr=1;usedtx=0" },
    { transmission: "discontinuous", parameters: "usedtx=1" },
    { transmission: "continuous", parameters: "usedtx=0" },
  ] as const)("asks for $transmission sound, whatever the other end asked for, of Opus alone", (way) => {
    const red = "a=fmtp:63 111/111";
    const opus = "a=fmtp:111 minptime=10; cbr=0;usedtx=1;useinbandfec=1";
    const video = ["m=video 9 UDP/TLS/RTP/SAVPF 96", "a=fmtp:96 max-fr=30"];
    const end = `a=fmtp:111 minptime=10;useinbandfec=1;${way.parameters}`;
    expect(taken(lines("v=0", ...opusIn, red, opus, ...video), { packetMs: 20, ...way })).toBe(
      lines("v=0", ...opusIn, red, end, "a=ptime:20", ...video),
    );
  });

  it("asks for packets of one size where nothing was asked of Opus, and of each Opus that is offered", () => {
    const audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 111 112", "a=rtpmap:111 opus/48000/2", "a=rtpmap:112 OPUS/48000/2"];
    const asked = ["a=fmtp:111 cbr=1;usedtx=0", "a=fmtp:112 cbr=1;usedtx=0"];
    expect(taken(lines(...audio), { packetMs: 20, transmission: "constant" })).toBe(
      lines(...audio, ...asked, "a=ptime:20"),
    );
  });

  it("says what a connection is taken to carry at first with each codec of a picture, and with nothing else", () => {
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
    expect(received(lines(...audio, ...video, fmtp), { ...everywhere, startBitrate: 1000 })?.sdp).toBe(
      lines(...audio, ...video, `${fmtp};${start}`, `a=fmtp:96 ${start}`),
    );
  });

  it("demands no bitrate of this end", () => {
    const video = ["m=video 9 UDP/TLS/RTP/SAVPF 96 97", "a=rtpmap:96 VP8/90000", "a=rtpmap:97 H264/90000"];
    const asked = ["a=fmtp:96 x-google-min-bitrate=50000", "a=fmtp:97 profile-level-id=42e01f; X-Google-max-bitrate=9"];
    expect(taken(lines(...video, ...asked))).toBe(lines(...video, "a=fmtp:97 profile-level-id=42e01f"));
  });

  it("asks for no second encoding of a source", () => {
    const video = ["m=video 9 UDP/TLS/RTP/SAVPF 96", "a=recvonly"];
    const several = ["a=rid:1 recv", "a=rid:2 recv", "a=simulcast:recv 1;2"];
    expect(taken(lines(...video, ...several))).toBe(lines(...video));
  });

  it("names the addresses that are reachable, and no other", () => {
    const section = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:0"];
    const isReachable = (candidate: string) => candidate === "candidate:there";
    const sdp = lines(...section, "a=candidate:here", "a=candidate:there");
    expect(received(sdp, { isReachable })?.sdp).toBe(lines(...section, "a=candidate:there"));
  });

  it("gives each sound the form of its own section, and its bitrate, which nobody else decides", () => {
    const section = (mid: string) => [...opusIn, `a=mid:${mid}`, "a=fmtp:111 maxaveragebitrate=6000"];
    const sound = (mid: string | null) =>
      mid === "1"
        ? ({ packetMs: 20, transmission: "continuous", bitsPerSecond: 64_000 } as const)
        : ({ packetMs: 60, transmission: "discontinuous" } as const);
    const { sdp = "" } = received(lines("v=0", ...section("0"), ...section("1")), { ...everywhere, sound }) ?? {};
    expect(sdp.match(/^a=(fmtp|ptime).*$/gm)).toEqual([
      "a=fmtp:111 usedtx=1",
      "a=ptime:60",
      "a=fmtp:111 usedtx=0;maxaveragebitrate=64000",
      "a=ptime:20",
    ]);
  });

  it("has no sound encoded in stereo but what this end sends so", () => {
    const section = [...opusIn, "a=mid:0", "a=fmtp:111 minptime=10;stereo=1"];
    const mono = { packetMs: 20, transmission: "discontinuous" } as const;
    expect(taken(lines(...section), mono)).toContain("a=fmtp:111 minptime=10;usedtx=1\r\n");
    expect(taken(lines(...section), { ...mono, isStereo: true })).toContain("minptime=10;usedtx=1;stereo=1\r\n");
  });

  it("tells which sections there are, by whatever ends their lines, and which of them carry nothing", () => {
    const sdp = [
      "v=0",
      "m=audio 9 UDP/TLS/RTP/SAVPF 111",
      "a=mid:x",
      "m=video 0 UDP/TLS/RTP/SAVPF 96",
      "a=mid:y",
      "m=video 0 UDP/TLS/RTP/SAVPF 96",
      "a=bundle-only",
      "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
    ].join("\n");
    expect(received(sdp, everywhere)).toEqual({
      sdp: `${sdp.replaceAll("\n", "\r\n")}\r\n`,
      sections: [
        { kind: "audio", mid: "x", isRejected: false },
        { kind: "video", mid: "y", isRejected: true },
        { kind: "video", mid: null, isRejected: false },
        { kind: "application", mid: null, isRejected: false },
      ],
    });
  });
});

describe("is refused past its limits", () => {
  const filled = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at));
  const video = "m=video 9 UDP/TLS/RTP/SAVPF 96";
  const { sections, lines: most, formats, feedback, candidates, characters } = DESCRIPTION;

  it.each([
    ["sections", sections, () => video],
    ["lines of a section", most - 1, (at: number) => `a=x${at}`],
    ["formats of a section", formats, (at: number) => `a=rtpmap:${at} x/90000`],
    ["lines of feedback of a format", feedback, (at: number) => `a=rtcp-fb:96 nack x${at}`],
    ["lines of feedback of all formats", feedback, (at: number) => `a=rtcp-fb:* nack x${at}`],
    ["candidates", candidates, (at: number) => `a=candidate:${at}`],
    ["times a section is named", 1, (at: number) => `a=mid:${at}`],
    ["times a payload type is given", 1, (at: number) => `a=rtpmap:96 x${at}/90000`],
    ["times parameters are", 1, (at: number) => `a=fmtp:96 x=${at}`],
  ])("%s: %i", (what, count, line) => {
    const before = what === "sections" ? [] : [video];
    expect(taken(lines("v=0", ...before, ...filled(count, line))), `${count} are taken`).toBeDefined();
    expect(taken(lines("v=0", ...before, ...filled(count + 1, line))), "one more is refused").toBeUndefined();
    expect(taken(lines(video, ...filled(count + 1, line), video)), "also if others come after").toBeUndefined();
  });

  it("characters of a line", () => {
    const line = (length: number) => `m=video 9 UDP/TLS/RTP/SAVPF ${"96 ".repeat(length)}`.slice(0, length);
    expect(taken(lines(line(DESCRIPTION.lineCharacters)))).toBeDefined();
    expect(taken(lines(line(DESCRIPTION.lineCharacters + 1)))).toBeUndefined();
  });

  it("a format under two names", () => {
    for (const odd of ["a=rtpmap:096 VP8/90000", "a=rtpmap: VP8/90000", "a=rtcp-fb:+96 nack", "a=fmtp:9.6e1 x=1"])
      expect(taken(lines(video, odd)), odd).toBeUndefined();
  });

  it("sections of one name, and lines that end in the middle of others", () => {
    expect(taken(lines(video, "a=mid:0", video, "a=mid:0"))).toBeUndefined();
    expect(taken(lines(video, "a=x\ra=candidate:here"))).toBeUndefined();
  });

  it("characters, each of which is looked at a few times", () => {
    const line = "a=rtpmap:1 opus/\r\n";
    expect(taken(line.repeat(characters))).toBeUndefined();
    // No more of these have room in a description.
    const some = sections - 1;
    const worst = filled(some, (at) => `${at % 2 === 0 ? "m=audio" : "m=video"} 9 x 0\r\n${full(at)}`).join("");
    expect(worst.length).toBeGreaterThan(0.8 * characters);
    const costOf = (description: string) => {
      const before = process.cpuUsage();
      for (let each = 0; each < 20; each++)
        expect(taken(description, { packetMs: 20, transmission: "constant" })).toBeDefined();
      return process.cpuUsage(before).user;
    };
    // As many characters, of which none is looked into.
    const padding = " ".repeat(worst.length / some / most - 5);
    const plain = filled(some, () => lines(video, ...filled(most - 1, () => `a=x${padding}`))).join("");
    expect(costOf(worst), "CPU time, where reading each format in all others cost 400 times as much").toBeLessThan(
      20 * costOf(plain),
    );
  });

  /** As much as a section may say of formats. */
  function full(section: number): string {
    const codec = section % 2 === 0 ? "opus" : "VP8";
    const of = (at: number) =>
      lines(`a=rtpmap:${at} ${codec}/90000`, `a=fmtp:${at} a=1;b=2;cbr=1;x-google-min-bitrate=1${";".repeat(20)}`);
    return filled(formats, of).join("") + lines(...filled(60, (at) => `a=rtcp-fb:${at} nack x`));
  }
});
