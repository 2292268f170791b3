import { FRAME_TIMES, type MediaPool, type TrackTimings } from "@sealcast/media";
import { STAND_IN_SIZE } from "@sealcast/media/stand-in";
import type { PeerLink } from "@sealcast/network";
import { type Clock, type Milli, milli } from "@sealcast/time";
import * as v from "valibot";
import type { Proven, ProvenLine } from "../audit/browser-counters.ts";
import { parseJson, toJson } from "../json.ts";

/** Bytes: as much as a channel takes. */
const MAX_TIMING = 16 * 1024 - 1;
const MOST_LINES = 4;
/** Some seconds of sound. */
const MOST_FRAMES = 128;
/** Frames that are told of, by when they left. Asked once a second, each is told of about twice. */
const RECENT = milli(2_000);
/** Between two answers about frames to one end: each takes the browser's own counters. */
const ANSWER_GAP = milli(400);

const time = v.pipe(v.number(), v.finite(), v.minValue(0));
const mean = v.nullable(time);

const Line = v.strictObject({
  source: v.picklist(["microphone", "camera", "screen-sound", "screen-picture"]),
  encode: mean,
  send: mean,
  frames: v.pipe(v.array(v.strictTuple([time, v.nullable(time), time, time])), v.maxLength(MOST_FRAMES)),
});

/** What the two ends of a link say about time, see PROTOCOL.md section 5.2. */
export const TimingAsk = v.strictObject({ type: v.literal("ask"), asked: time });
export type TimingAsk = v.InferOutput<typeof TimingAsk>;
export const TimingAnswer = v.variant("type", [
  v.strictObject({ type: v.literal("clock"), asked: time, came: time, left: time }),
  v.strictObject({ type: v.literal("frames"), lines: v.pipe(v.array(Line), v.maxLength(MOST_LINES)) }),
]);
const TimingMessage = v.variant("type", [TimingAsk, TimingAnswer]);
export type TimingMessage = v.InferOutput<typeof TimingMessage>;
export type TimingAnswer = v.InferOutput<typeof TimingAnswer>;
export type SentLine = v.InferOutput<typeof Line>;

/** One end of a link, or of a way over relays, whose frames are timed. */
export interface TimedLink extends Pick<Proven, "name" | "stats"> {
  readonly lines: readonly TimedLine[];
  /** Relays are in the place of one other end. */
  readonly isRelays?: true;
  /** The other end gets the times of these frames alone; without it, of all that left lately. */
  readonly asked?: ReadonlySet<number>;
  tellTiming(message: TimingMessage): void;
}

export interface TimedLine extends ProvenLine {
  readonly transceiver: ProvenLine["transceiver"] & Partial<Pick<RTCRtpTransceiver, "sender" | "receiver">>;
  /** Of pictures that no video of the browser presents: what their player tells (`PlayerFigures.pictures`). */
  readonly pictures?: Float64Array;
}

/** To the other end of a connection. */
export function sayTiming(link: Pick<PeerLink, "say">, message: TimingMessage): void {
  const body = toJson(message);
  if (body.length <= MAX_TIMING) link.say("timing", body);
}

/** The browser's sums of a sender. */
interface Sums {
  encoded: number;
  encoding: number;
  packets: number;
  pacing: number;
}

/** Milliseconds on the computer's clock, as media workers tell them. */
export function computerTime(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Answers what others' dashboards ask of this page's clock and of the frames that it sent them. That is all that is done as
 * long as no dashboard is open here; then `ask` asks, and `answered` hears.
 */
export class Timing {
  readonly #pool: Pick<MediaPool, "timings">;
  readonly #clock: Clock;
  readonly #answers = new WeakMap<TimedLink, { at: Milli; sums: Map<string, Sums> }>();
  answered: ((peer: TimedLink, answer: TimingAnswer, at: number) => void) | null = null;

  constructor(pool: Pick<MediaPool, "timings">, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  ask(peer: TimedLink): void {
    peer.tellTiming({ type: "ask", asked: computerTime() });
  }

  /** What the other end of a connection says. */
  heard(peer: TimedLink, body: Uint8Array): void {
    const came = computerTime();
    const message = parseJson(TimingMessage, body, MAX_TIMING);
    if (message !== null) this.take(peer, message, came);
  }

  /** `came`: when, on the computer's clock. */
  take(peer: TimedLink, message: TimingMessage, came: number): void {
    if (message.type !== "ask") return this.answered?.(peer, message, came);
    peer.tellTiming({ type: "clock", asked: message.asked, came, left: computerTime() });
    if (peer.asked?.size === 0) return;
    const last = this.#answers.get(peer);
    const now = this.#clock.now();
    if (last !== undefined && now - last.at < ANSWER_GAP) return;
    const sums = last?.sums ?? new Map<string, Sums>();
    this.#answers.set(peer, { at: now, sums });
    void this.#tell(peer, sums);
  }

  async #tell(peer: TimedLink, known: Map<string, Sums>): Promise<void> {
    const workers = await this.#pool.timings();
    const { entries } = peer.stats.latest;
    const tracks = new Map(workers.flatMap((worker) => worker?.tracks ?? []).map((track) => [track.id, track]));
    const lines = peer.lines.flatMap((line) => {
      const track = line.sent === null ? undefined : tracks.get(line.sent.id);
      if (track === undefined) return [];
      const sums = sumsOf(entries, line);
      const last = known.get(line.source);
      known.set(line.source, sums);
      return [{ source: line.source, ...meansOf(sums, last), frames: framesOf(track, peer.asked) }];
    });
    peer.tellTiming({ type: "frames", lines: lines.slice(0, MOST_LINES) });
  }
}

/** Of Chromium's encoder of stand-ins nothing is said: it is not the picture's. */
function sumsOf(stats: readonly RTCStats[], { transceiver: { mid } }: TimedLine): Sums {
  const own = stats.filter((entry): entry is RTCOutboundRtpStreamStats => entry.type === "outbound-rtp");
  const sums = { encoded: 0, encoding: 0, packets: 0, pacing: 0 };
  for (const { mid: of, frameWidth, framesEncoded, totalEncodeTime, packetsSent, totalPacketSendDelay } of own) {
    if (of !== mid) continue;
    if (frameWidth !== STAND_IN_SIZE) {
      sums.encoded += framesEncoded ?? 0;
      sums.encoding += totalEncodeTime ?? 0;
    }
    sums.packets += totalPacketSendDelay === undefined ? 0 : (packetsSent ?? 0);
    sums.pacing += totalPacketSendDelay ?? 0;
  }
  return sums;
}

function meansOf(now: Sums, last: Sums = { encoded: 0, encoding: 0, packets: 0, pacing: 0 }) {
  const mean = (seconds: number, count: number) =>
    count > 0 && seconds >= 0 ? rounded((1_000 * seconds) / count) : null;
  return {
    encode: mean(now.encoding - last.encoding, now.encoded - last.encoded),
    send: mean(now.pacing - last.pacing, now.packets - last.packets),
  };
}

function framesOf({ frames }: TrackTimings, asked?: ReadonlySet<number>): SentLine["frames"] {
  const since = computerTime() - RECENT;
  const told: SentLine["frames"] = [];
  for (let at = 0; at < frames.length; at += FRAME_TIMES) {
    const [rtp = 0, captured = Number.NaN, encoding = Number.NaN, came = 0, left = 0] = frames.subarray(at);
    const begun = Number.isFinite(captured) ? captured : encoding;
    const isTold = asked === undefined ? left > since : asked.has(rtp);
    if (isTold) told.push([rtp, Number.isFinite(begun) ? rounded(begun) : null, rounded(came), rounded(left)]);
  }
  return told.slice(-MOST_FRAMES);
}

function rounded(ms: number): number {
  return Math.round(1_000 * ms) / 1_000;
}
