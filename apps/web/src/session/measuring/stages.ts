import { FRAME_TIMES, type TrackTimings } from "@sealcast/media";
import { STAND_IN_SIZE } from "@sealcast/media/stand-in";
import { Histogram, type Spread, spreadOf } from "@sealcast/metrics";
import type { Stats } from "../peer/link-stats.ts";
import type { FigureWriter, Subject } from "./figure-writer.ts";
import type { Journeys } from "./journeys.ts";
import type { SentLine, TimedLine } from "./timing.ts";

type Spreads = ReturnType<Journeys["settle"]>;

/** Where a sent track's frames spend their time. `own`: what the browser counted of it. */
export function sentStages(
  figures: FigureWriter,
  subject: Subject,
  line: TimedLine,
  own: Stats,
  timings?: TrackTimings,
) {
  if (line.isRelayed && line.kind === "audio") figures.spread(subject, "capture", spreadOf(encodings(timings)));
  else if (line.isRelayed || own.frameWidth === STAND_IN_SIZE)
    figures.spread(subject, "encode", spreadOf(encodings(timings)));
  else figures.mean(subject, "encode", figures.ratio(`${subject} encode`, own.totalEncodeTime, own.framesEncoded));
  if (timings !== undefined) figures.spread(subject, "seal", figures.rolled(subject, timings.times));
  figures.mean(subject, "send", figures.ratio(`${subject} send`, own.totalPacketSendDelay, own.packetsSent));
}

/** Where a received track's frames spent their time, from camera to screen. `told`: what their sender tells of them. */
export function receivedStages(
  figures: FigureWriter,
  subject: Subject,
  line: TimedLine,
  spreads: Spreads,
  { own, stats, told }: { own: Stats; stats: readonly Stats[]; told: SentLine | null },
): void {
  before(figures, subject, line, of(spreads, "before"), told);
  figures.spread(subject, "seal", of(spreads, "seal"));
  figures.mean(subject, "send", told?.send ?? Number.NaN);
  figures.spread(subject, "network", of(spreads, "network"));
  figures.spread(subject, "open", of(spreads, "open"));
  if (line.pictures !== undefined) played(figures, subject, spreads);
  else if (line.kind === "video") picture(figures, subject, own, spreads);
  else sound(figures, subject, own, stats);
  figures.spread(subject, "end-to-end", of(spreads, "end-to-end"));
}

/** What lies before the sealing worker. */
function before(
  figures: FigureWriter,
  subject: Subject,
  { kind }: TimedLine,
  before: Spread,
  told: SentLine | null,
): void {
  // A sender that tells when pictures came to its encoder owns that encoder.
  const isOwned = told?.frames.some(([, begun]) => begun !== null) === true;
  figures.state("latency", subject, "begins", kind === "audio" || !isOwned ? "capture" : "encoder");
  if (kind === "audio") return figures.spread(subject, "capture", before);
  if (isOwned) return figures.spread(subject, "encode", before);
  figures.mean(subject, "encode", told?.encode ?? Number.NaN);
  figures.mean(subject, "capture", before.mean - (told?.encode ?? Number.NaN));
}

/**
 * Of the time between the opened frame and the screen, the decoder's is known frame by frame. The jitter buffer's mean is
 * what the browser counts from a frame's first packet to its decoded picture, without decoding, assembling and opening.
 * The rest is rendering.
 */
function picture(figures: FigureWriter, subject: Subject, own: Stats, spreads: Spreads): void {
  const decode = of(spreads, "decode");
  const processing = figures.ratio(`${subject} processing`, own.totalProcessingDelay, own.framesDecoded);
  const decoding = figures.ratio(`${subject} decoding`, own.totalDecodeTime, own.framesDecoded);
  const assembling = figures.ratio(`${subject} assembling`, own.totalAssemblyTime, own.framesDecoded);
  const waiting = Math.max(0, processing - decoding - assembling - of(spreads, "held").mean);
  figures.mean(subject, "jitter-buffer", waiting);
  figures.spread(subject, "decode", decode);
  figures.mean(subject, "render", Math.max(0, of(spreads, "after").mean - waiting - decode.mean));
}

/** A player of ours tells of each picture. */
function played(figures: FigureWriter, subject: Subject, spreads: Spreads): void {
  figures.spread(subject, "jitter-buffer", of(spreads, "buffered"));
  figures.spread(subject, "decode", of(spreads, "decode"));
  figures.spread(subject, "render", of(spreads, "drawn"));
}

function sound(figures: FigureWriter, subject: Subject, own: Stats, stats: readonly Stats[]): void {
  const playout = stats.find(({ type }) => type === "media-playout");
  const buffered = figures.ratio(`${subject} buffered`, own.jitterBufferDelay, own.jitterBufferEmittedCount);
  const rendered = figures.ratio(`${subject} playout`, playout?.totalPlayoutDelay, playout?.totalSamplesCount);
  figures.mean(subject, "jitter-buffer", buffered);
  figures.mean(subject, "render", rendered);
}

/** Of pictures that the one encoder makes for all: from coming to it to being encoded. */
function encodings({ frames }: Pick<TrackTimings, "frames"> = { frames: new Float64Array() }): Histogram {
  const times = new Histogram();
  for (let at = 0; at < frames.length; at += FRAME_TIMES) {
    const [, , encoding = Number.NaN, came = Number.NaN] = frames.subarray(at);
    if (Number.isFinite(came - encoding)) times.record(1_000 * (came - encoding));
  }
  return times;
}

const NOTHING: Spread = { count: 0, mean: Number.NaN, p50: Number.NaN, p95: Number.NaN, p99: Number.NaN };

function of(spreads: Spreads, name: Parameters<Spreads["get"]>[0]): Spread {
  return spreads.get(name) ?? NOTHING;
}
