import { afterEach, expect, test, vi } from "vitest";
import { End } from "./link.cases.ts";

/** WebRTC Encoded Transform in Chromium's older form, and its tracks of single pieces of sound; the types of the platform know neither. */
interface Encoded {
  createEncodedStreams(): { readable: ReadableStream; writable: WritableStream };
}
declare class MediaStreamTrackGenerator extends MediaStreamTrack {
  constructor(init: { kind: "audio" });
  readonly writable: WritableStream<AudioData>;
}
declare class MediaStreamTrackProcessor {
  constructor(init: { track: MediaStreamTrack });
  readonly readable: ReadableStream<AudioData>;
}

const RATE = 48_000;
/** Samples of 10 ms. */
const PIECE = RATE / 100;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** An end whose frames pass as they are. */
function end(caller: boolean): End {
  const made = new End(caller);
  made.made = (line, source) => {
    const { sender, receiver } = line;
    if (source === "screen-sound") line.setCodecPreferences(usualCodecs());
    for (const one of [sender, receiver] as unknown as Encoded[]) {
      const { readable, writable } = one.createEncodedStreams();
      void readable.pipeTo(writable).catch(() => undefined);
    }
  };
  made.sound = (source) => ({ packetMs: 20, transmission: "continuous", isStereo: source === "screen-sound" });
  closing.push(() => made.link.close());
  return made;
}

/** As in calls: with RED before what it carries. */
function usualCodecs(): RTCRtpCodec[] {
  const all = RTCRtpReceiver.getCapabilities("audio")?.codecs ?? [];
  return ["audio/red", "audio/opus"].flatMap((name) => all.filter(({ mimeType }) => mimeType === name));
}

/** A tone on the left, and silence on the right. */
function leftAlone(): MediaStreamTrack {
  const track = new MediaStreamTrackGenerator({ kind: "audio" });
  const writer = track.writable.getWriter();
  let at = 0;
  const timer = setInterval(() => {
    const due = Math.floor(performance.now() / 10);
    if (at === 0) at = due - 1;
    for (; at < due; at++) void writer.write(piece(at)).catch(() => undefined);
  }, 10);
  closing.push(() => {
    clearInterval(timer);
    track.stop();
  });
  return track;
}

function piece(at: number): AudioData {
  const data = new Float32Array(2 * PIECE);
  for (let n = 0; n < PIECE; n++) data[n] = 0.5 * Math.sin((2 * Math.PI * 500 * (at * PIECE + n)) / RATE);
  const format = { format: "f32-planar", sampleRate: RATE, numberOfFrames: PIECE, numberOfChannels: 2 } as const;
  return new AudioData({ ...format, timestamp: at * 10_000, data });
}

/** How loud each side is that is decoded of a track, the latest; one side where it is decoded in mono. */
function heardOn(track: MediaStreamTrack): () => number[] {
  // Without an element that plays it, Chromium decodes nothing of what comes.
  const player = new Audio();
  player.muted = true;
  player.srcObject = new MediaStream([track]);
  void player.play().catch(() => undefined);
  let sides: number[] = [];
  const listen = async () => {
    const reader = new MediaStreamTrackProcessor({ track }).readable.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const { numberOfChannels, numberOfFrames } = next.value;
      sides = Array.from({ length: numberOfChannels }, (_, planeIndex) => {
        const samples = new Float32Array(numberOfFrames);
        next.value?.copyTo(samples, { planeIndex, format: "f32-planar" });
        return Math.max(...samples.map(Math.abs));
      });
      next.value.close();
    }
  };
  void listen();
  return () => sides;
}

function screenOf({ link }: End): RTCRtpTransceiver {
  const [, screen] = link.connection.getTransceivers().filter(({ receiver }) => receiver.track.kind === "audio");
  if (screen === undefined) throw new Error("no line for a screen's sound");
  return screen;
}

/** Of each sound, whether both ends speak of stereo. */
function stereoSections({ link: { connection } }: End): boolean[] {
  const said = [connection.localDescription?.sdp ?? "", connection.remoteDescription?.sdp ?? ""];
  const [here = [], there = []] = said.map((sdp) => sdp.split(/^(?=m=)/m).filter((one) => one.startsWith("m=audio")));
  return here.map((section, at) => [section, there[at] ?? ""].every((one) => /[ ;]stereo=1/.test(one)));
}

const WITHIN = { timeout: 30_000 };

test("of a screen's sound each side is heard by itself, both ways; nothing is said of it for a microphone's", {
  timeout: 120_000,
}, async () => {
  const [callee, caller] = [end(false), end(true)];
  [caller.other, callee.other] = [callee, caller];
  const isUp = ({ link: { connection } }: End) =>
    connection.connectionState === "connected" && connection.signalingState === "stable";
  await vi.waitFor(() => expect([caller, callee].every(isUp)).toBe(true), WITHIN);
  caller.link.openScreen("screen-sound");
  await vi.waitFor(() => expect(callee.lines).toContain("screen-sound"), WITHIN);
  for (const [from, to] of [
    [caller, callee],
    [callee, caller],
  ] as const) {
    await screenOf(from).sender.replaceTrack(leftAlone());
    const heard = heardOn(screenOf(to).receiver.track);
    await vi.waitFor(() => {
      const [left = 0, right = 1] = heard();
      expect(left).toBeGreaterThan(0.3);
      expect(right).toBeLessThan(left / 20);
    }, WITHIN);
    expect(stereoSections(to)).toEqual([false, true]);
  }
});
