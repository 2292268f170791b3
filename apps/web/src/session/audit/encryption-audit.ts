import type { Attachment, FanOutReport, MediaPool, PoolReport, TrackReport } from "@sealcast/media";
import type { LineSource } from "@sealcast/network";
import { type Clock, milli, systemClock } from "@sealcast/time";
import {
  type BrowserCounters,
  countReceived,
  countSent,
  type MediaDirection,
  type Proven,
  type ProvenLine,
  type Sample,
  Total,
} from "./browser-counters.ts";
import { BypassDetector, throughOf } from "./bypass-detector.ts";

/** How often the badge compares. Two of these make the second over which frames are looked at. */
export const PROOF_EVERY = milli(500);
/** For a browser, or a player, to say what it counted: after that its last word counts. */
const READ_WITHIN = milli(2_000);
/** Samples in a row in which nothing passes, after which no media flows. */
const STILL_SAMPLES = 4;
/** Samples in a row in which all that is refused lacks a key. A change of keys may take 5 s to come, as heartbeats have it. */
export const KEYLESS_SAMPLES = 10;
/** There is no key, or not yet: frames wait for one, and nothing is wrong with their seal. */
const KEYLESS: ReadonlySet<string> = new Set(["no-key", "unknown-epoch"]);
/** Signatures are overdue, and nothing is wrong with those that came. */
const UNSIGNED: ReadonlySet<string> = new Set(["unsigned"]);
/** The same, or it is known that its sender did not make what came. */
const NOT_SIGNED: ReadonlySet<string> = new Set(["unsigned", "forged"]);
/** Refused by reasons that say nothing about the seal: nothing was in it, this computer is too busy for it, or a relay left one out before it. */
const HARMLESS: ReadonlySet<string> = new Set(["empty", "late", "made-up", "out-of-place"]);

/** One track's proof: what its worker counted beside what the browser says went over the wire. */
export interface TrackProof {
  key: string;
  who: string;
  direction: MediaDirection;
  source: LineSource;
  kind: "audio" | "video";
  codec: string | null;
  epoch: number | null;
  /** Frames that our transform let through: sealed or opened, or authenticated only. */
  frames: number;
  /** How many of them were authenticated only: anybody on the way could read them. */
  readable: number;
  /** Since the transform was set, in frames of pictures and bytes of sound: what passed it, and what the browser sent or received. */
  compared: { passed: number; counted: number };
  /** Frames that were refused, by reason. */
  dropped: Record<string, number>;
  /** Time per frame in our transform, microseconds. */
  p50: number;
  p95: number;
  /** Bytes added to each frame. */
  overhead: number;
}

export interface Encryption {
  /** `idle`: no media flows. `failing`: some went out or was played without its seal, or does not authenticate. */
  state: "idle" | "encrypted" | "failing";
  /** Why it is failing, one entry a cause; empty when it is not. */
  causes: { who: string; track: string; epoch: number | null; why: string; count: number }[];
  epoch: number | null;
  tracks: TrackProof[];
  /** Tracks with frames in the last second that anybody on the way could read. */
  readable: { key: string; who: string; direction: MediaDirection }[];
  /** Of what came over the server: how much was refused, by reason. */
  dropped: Record<string, number>;
  /** Encoders that each work for several people, with the size of their pictures; none where each link has its own. */
  encoders: { source: LineSource; lines: number; people: number }[];
}

/** All tracks now, each with its state of a second ago where there is one. */
export interface Samples {
  samples: [now: Sample, before: Sample | null][];
  /** Of each source that has one. */
  fanOuts: { now: FanOutReport[]; before: FanOutReport[] };
  /** The highest counters sealed so far in the epoch that is sent in. */
  sealed: PoolReport["sealed"];
}

/** From where on a fresh transform is compared with the browser. */
interface Baseline {
  renewals: number;
  /** What the browser had counted, or counts once it has decoded what it has. */
  after: number;
  /** In that sample, frames had come to the transform. */
  hasBegun: boolean;
  /** In the one before it, too: later samples are compared with this. */
  isFinal: boolean;
}

/** As long as nothing is sent and nothing came. */
export const NO_FRAMES: Encryption = {
  state: "idle",
  causes: [],
  epoch: null,
  tracks: [],
  readable: [],
  dropped: {},
  encoders: [],
};

export type Cause = Encryption["causes"][number];

/**
 * Compares the workers' counters with the browser's own. The browser is asked first: a frame that it counted and no
 * worker did went out, or came in, without passing through a transform.
 */
export class EncryptionAudit {
  readonly #pool: MediaPool;
  readonly #clock: Clock;
  readonly #baselines = new WeakMap<Attachment, Baseline>();
  readonly #totals = new WeakMap<Attachment, Total>();
  /** What the browser had counted when a fresh transform began to count at 0. */
  readonly #starts = new WeakMap<Attachment, { renewals: number; counted: number }>();
  readonly #bypass = new BypassDetector();
  /** Samples in a row in which all that came to a transform lacked a key. */
  readonly #keyless = new WeakMap<Attachment, { renewals: number; count: number }>();
  /** Samples in a row in which nothing passed. */
  #still = STILL_SAMPLES;
  #dropped: Encryption["dropped"] = {};
  /** The last two samples, the older one first: a second ago. */
  #earlier: [Map<string, Sample>, Map<string, Sample>] = [new Map(), new Map()];
  #lastFanOuts: FanOutReport[] = [];

  constructor(pool: MediaPool, clock: Clock = systemClock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  async sample(peers: readonly Proven[]): Promise<Samples> {
    const counted = await Promise.all(peers.map(({ stats }) => this.#read(stats)));
    const { tracks: reports, fanOuts: now, sealed } = await this.#pool.report();
    const samples = peers.flatMap((peer, at) =>
      peer.lines.flatMap((line) => {
        const stats = counted[at]?.entries ?? [];
        const of = (direction: Sample["direction"], attachment: Attachment | null) => {
          if (attachment === null) return [];
          const now = (direction === "sent" ? countSent : countReceived)(stats, line);
          const total = this.#total(attachment).of(now);
          return [sample(peer, line, direction, attachment, reports.get(attachment.id) ?? null, total)];
        };
        return [...of("sent", line.sent), ...of("received", line.received)];
      }),
    );
    const pairs = samples.map((now): [Sample, Sample | null] => [now, this.#earlier[0].get(now.attachment.id) ?? null]);
    this.#earlier = [this.#earlier[1], new Map(samples.map((now) => [now.attachment.id, now]))];
    const fanOuts = { now, before: this.#lastFanOuts };
    if (now.length > 0) this.#lastFanOuts = now;
    return { samples: pairs, fanOuts, sealed };
  }

  /** One that does not come holds up none of the others. */
  #read(stats: Proven["stats"]): ReturnType<Proven["stats"]["read"]> {
    return new Promise((resolve, reject) => {
      const stop = this.#clock.after(READ_WITHIN, () => resolve(stats.latest));
      void stats.read().then(resolve, reject).finally(stop);
    });
  }

  #total(attachment: Attachment): Total {
    const total = this.#totals.get(attachment) ?? new Total();
    this.#totals.set(attachment, total);
    return total;
  }

  /** Something that the server delivered was refused, for this reason. */
  drop(why: string): void {
    this.#dropped = { ...this.#dropped, [why]: (this.#dropped[why] ?? 0) + 1 };
  }

  judge(pairs: Samples["samples"], fanOuts: Samples["fanOuts"], epoch: number | null): Encryption {
    const causes = pairs.flatMap(([now, before]) => [
      ...this.#unsealed(now, before),
      ...this.#stuck(now, before),
      ...unlikeSealed(now, fanOuts.now),
      ...unsealable(now, fanOuts),
    ]);
    const latest = fanOuts.now.length > 0 ? fanOuts.now : fanOuts.before;
    const encoders = latest.flatMap(encodersOf);
    const tracks = pairs.map(([now]) => describe(now, this.#start(now)));
    const readable = pairs.flatMap(([now, before], at) => (isReadable(now, before) ? (tracks[at] ?? []) : []));
    this.#still = this.#stillFor(pairs);
    return {
      state: causes.length > 0 ? "failing" : this.#still < STILL_SAMPLES ? "encrypted" : "idle",
      causes,
      epoch,
      tracks,
      readable,
      dropped: this.#dropped,
      encoders,
    };
  }

  /**
   * More frames a second ago than have come to the transform by now, or some since nothing passes it: sent, or decoded,
   * without it. A second, since a busy computer takes a while from the encoder to the transform.
   */
  #unsealed(now: Sample, before: Sample | null): Cause[] {
    const { after } = now.counted;
    // A worker that does not answer is busy, or dead and about to be replaced. Neither lets a frame by.
    if (now.report === null || after === null) return [];
    const earlier = before === null || isRenewed(now, before) ? 0 : (before.counted.after ?? 0);
    const inTotal = earlier - this.#baseline(now, after) - throughOf(now);
    const missing = Math.max(inTotal, this.#bypass.examine(now));
    if (missing <= 0) return [];
    if (now.direction === "received") return [cause(now, "played-unopened", missing)];
    const packets = now.line.kind === "audio" ? Math.ceil((missing * now.counted.wire) / after) : missing;
    return [cause(now, "sent-unsealed", packets)];
  }

  /** What the browser had counted when a fresh transform began to count at 0. */
  #baseline(now: Sample, after: number): number {
    const { renewals, attachment } = now;
    if (renewals === 0) return 0;
    const known = this.#baselines.get(attachment);
    const earlier = known?.renewals === renewals ? known : null;
    if (earlier?.isFinal) return earlier.after;
    // Until some came to this transform, what the browser counted may have gone to the one before it, and been lost; and what that
    // one opened may still wait to be decoded.
    const hasBegun = throughOf(now) > 0;
    const upTo = after + now.counted.waiting;
    this.#baselines.set(attachment, { renewals, after: upTo, hasBegun, isFinal: earlier?.hasBegun ?? false });
    return upTo;
  }

  #start(now: Sample): number {
    const { renewals, attachment } = now;
    if (renewals === 0) return 0;
    const known = this.#starts.get(attachment);
    if (known?.renewals === renewals) return known.counted;
    this.#starts.set(attachment, { renewals, counted: sentOrReceived(now) });
    return sentOrReceived(now);
  }

  /** Frames come and none of them passes: named by each reason. Where none has a key, that has to last; where all wait for signatures, they may come. */
  #stuck(now: Sample, before: Sample | null): Cause[] {
    const refused = isRefusing(now, before) ? refusedSince(now, before) : [];
    const lacks = lacksKeys(now, before);
    if (inARow(this.#keyless, now, lacks) < KEYLESS_SAMPLES && lacks) return [];
    if (refusesOnly(UNSIGNED, now, before)) return [];
    return refused.map(({ why, epoch, count }) => ({ ...cause(now, why, count), epoch }));
  }

  /** Samples in a row in which nothing passed, this one included. A worker that does not answer does not tell. */
  #stillFor(pairs: Samples["samples"]): number {
    if (pairs.length === 0) return STILL_SAMPLES;
    if (pairs.some(([now, before]) => now.passed > passedBefore(now, before))) return 0;
    return pairs.some(([now]) => now.report === null) ? this.#still : this.#still + 1;
  }
}

function passedBefore(now: Sample, before: Sample | null): number {
  return before === null || isRenewed(now, before) ? 0 : before.passed;
}

/** For how many samples in a row, this one included, that holds of a transform. */
function inARow(
  counts: WeakMap<Attachment, { renewals: number; count: number }>,
  { renewals, attachment }: Sample,
  holds: boolean,
): number {
  const known = counts.get(attachment);
  const before = known?.renewals === renewals ? known.count : 0;
  const count = holds ? before + 1 : 0;
  counts.set(attachment, { renewals, count });
  return count;
}

/** Another transform counts than did a second ago. */
export function isRenewed(now: Sample, before: Sample | null): boolean {
  return now.renewals !== before?.renewals;
}

/** What was refused since the sample before, and is not harmless: all of it so far, by reason and epoch. */
function refusedSince(now: Sample, before: Sample | null): TrackReport["refused"] {
  const earlier = before?.report?.refused ?? [];
  const countBefore = (entry: TrackReport["refused"][number]) =>
    earlier.find(({ why, epoch }) => why === entry.why && epoch === entry.epoch)?.count ?? 0;
  return (now.report?.refused ?? []).filter((entry) => !HARMLESS.has(entry.why) && entry.count > countBefore(entry));
}

/** More frames went out in stand-ins' places than ever were sealed: what were the others? */
function unlikeSealed(now: Sample, fanOuts: FanOutReport[]): Cause[] {
  const missing = (now.report?.carried ?? 0) - (fanOutOf(now, fanOuts)?.frames ?? Number.POSITIVE_INFINITY);
  return missing > 0 ? [cause(now, "sent-unsealed", missing)] : [];
}

/** Since the last sample, frames for several links could not be sealed and none could. */
function unsealable(sample: Sample, fanOuts: Samples["fanOuts"]): Cause[] {
  const now = fanOutOf(sample, fanOuts.now);
  const before = fanOutOf(sample, fanOuts.before);
  if (now === undefined || before === undefined || now.frames > before.frames) return [];
  if (!isCarried(sample)) return [];
  const earlier = refusals(before);
  return [...refusals(now)].flatMap(([why, count]) =>
    count > (earlier.get(why) ?? 0) && !HARMLESS.has(why) && !KEYLESS.has(why) ? [cause(sample, why, count)] : [],
  );
}

function refusals({ encoders }: FanOutReport): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { refused } of encoders)
    for (const { why, count } of refused) counts.set(why, (counts.get(why) ?? 0) + count);
  return counts;
}

function isCarried({ direction, report }: Sample): boolean {
  return direction === "sent" && (report?.carried ?? 0) > 0;
}

function fanOutOf({ line }: Sample, fanOuts: FanOutReport[]): FanOutReport | undefined {
  return fanOuts.find(({ source }) => source === line.source);
}

function encodersOf({ source, encoders }: FanOutReport): Encryption["encoders"] {
  const working = encoders.filter(({ links }) => links.length > 0);
  return working.map(({ width, height, links }) => ({ source, lines: Math.min(width, height), people: links.length }));
}

/** In the last second, frames were refused, not for want of time, and none passed. */
export function isRefusing(now: Sample, before: Sample | null): boolean {
  if (before === null || before.report === null || isRenewed(now, before)) return false;
  return now.passed === before.passed && now.refused > before.refused;
}

/** In the last second, frames were refused, none passed, and all that were refused lack a key: it may be on its way. */
export function lacksKeys(now: Sample, before: Sample | null): boolean {
  return refusesOnly(KEYLESS, now, before);
}

/** The same of signatures that are overdue, or will never come. */
export function lacksSignatures(now: Sample, before: Sample | null): boolean {
  return refusesOnly(NOT_SIGNED, now, before);
}

function refusesOnly(reasons: ReadonlySet<string>, now: Sample, before: Sample | null): boolean {
  const refused = isRefusing(now, before) ? refusedSince(now, before) : [];
  return refused.length > 0 && refused.every(({ why }) => reasons.has(why));
}

/** In the last second, frames passed that were only authenticated. */
function isReadable(now: Sample, before: Sample | null): boolean {
  const earlier = before === null || isRenewed(now, before) ? 0 : (before.report?.readable ?? 0);
  return (now.report?.readable ?? 0) > earlier;
}

function cause({ peer, line, report }: Sample, why: string, count: number): Cause {
  return { who: peer.name ?? "", track: line.source, epoch: report?.epoch ?? null, why, count };
}

function sample(
  peer: Proven,
  line: ProvenLine,
  direction: Sample["direction"],
  attachment: Attachment,
  report: TrackReport | null,
  counted: BrowserCounters,
): Sample {
  const refused = report?.refused ?? [];
  const count = (those: typeof refused) => sum(those.map(({ count }) => count));
  return {
    peer,
    line,
    direction,
    attachment,
    renewals: attachment.renewals,
    report,
    counted,
    passed: report?.frames ?? 0,
    refused: count(refused.filter(({ why }) => !HARMLESS.has(why))),
    late: count(refused.filter(({ why }) => why === "late")),
    leftOut: report?.leftOut ?? 0,
  };
}

function sentOrReceived({ line, counted }: Sample): number {
  return line.kind === "audio" ? counted.bytes : counted.wire;
}

/** `start`: what the browser had counted when the transform was set. */
function describe(sample: Sample, start: number): TrackProof {
  const { peer, line, direction, attachment, report, leftOut } = sample;
  const dropped: Record<string, number> = {};
  for (const { why, count } of report?.refused ?? []) dropped[why] = (dropped[why] ?? 0) + count;
  if (direction === "sent" && line.kind === "video" && leftOut > 0) dropped["left-out"] = leftOut;
  return {
    key: attachment.id,
    who: peer.name ?? "",
    direction,
    source: line.source,
    kind: line.kind,
    codec: report?.codec ?? null,
    epoch: report?.epoch ?? null,
    frames: report?.frames ?? 0,
    readable: report?.readable ?? 0,
    compared: {
      passed: (line.kind === "audio" ? report?.bytes : report?.frames) ?? 0,
      counted: sentOrReceived(sample) - start,
    },
    dropped,
    p50: report?.p50 ?? 0,
    p95: report?.p95 ?? 0,
    overhead: report?.overhead ?? 0,
  };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}
