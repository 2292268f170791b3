import {
  type FanOutReport,
  FRAME_TIMES,
  type TrackReport,
  type TrackTimings,
  type WorkerTimings,
} from "@sealcast/media";
import { STAND_IN_SIZE } from "@sealcast/media/stand-in";
import {
  ClockOffset,
  FigureHistory,
  Histogram,
  type HistogramSnapshot,
  RELAYS,
  type Region,
  type Report,
  RollingWindow,
  type Spread,
  type Statistic,
  spreadOf,
} from "@sealcast/metrics";
import { type Cancel, every, type Milli, milli } from "@sealcast/time";
import type { Stats } from "../peer/link-stats.ts";
import { Journeys } from "./journeys.ts";
import { MachineWatch } from "./machine.ts";
import type { Measurable } from "./measurable.ts";
import { Presentation } from "./presentation.ts";
import { numbersOf, pathOf, Totals } from "./stats.ts";
import { computerTime, type SentLine, type TimedLine, type TimedLink, type TimingAnswer } from "./timing.ts";

/** One step of the recording. */
const EVERY = milli(1_000);
/** Steps that quantiles and means are over. */
const WINDOW = 5;

/** Someone whose link is measured. */
interface Other {
  /** 0 of relays, for all who are behind them. */
  readonly number: number;
  readonly clocks: ClockOffset;
  readonly journeys: Map<string, Journeys>;
  readonly presentations: Map<string, Presentation>;
  /** What they last told of what they send, by source. */
  readonly told: Map<string, SentLine>;
}

/** A track's name in figures' ids. */
type Subject = `${"sent" | "received"}:${string}:${number}`;

/** How the live dashboard calls what is numbered in the recording, and what is not recorded. */
export interface Live {
  /** By number. */
  names: ReadonlyMap<number, string>;
  /** By subject: each track's last frame, in clear and on the way. */
  samples: ReadonlyMap<string, TrackTimings["sample"]>;
  /** By subject: the transforms, to be listened in to. */
  transforms: ReadonlyMap<string, string>;
  /** By subject: the track that is shown to people. */
  tracks: ReadonlyMap<string, MediaStreamTrack>;
}

/** Measures a call or stream from its start to `close`: once a second a step of the recording. Memory is fixed. */
export class Measuring {
  readonly recording = new FigureHistory();
  readonly #of: Measurable;
  readonly #changed: () => void;
  readonly #machine: MachineWatch;
  readonly #others = new Map<TimedLink, Other>();
  readonly #windows = new Map<string, RollingWindow>();
  readonly #totals = new Totals(WINDOW);
  readonly #began: Milli;
  readonly #cancel: Cancel;
  #live: Live = { names: new Map(), samples: new Map(), transforms: new Map(), tracks: new Map() };
  #stepping = false;
  /** When the browser had counted what is noted now, by the clock. */
  #counted = Number.NaN;
  #numbers = 0;

  /** `changed` is called after each step. */
  constructor(of: Measurable, changed: () => void) {
    this.#of = of;
    this.#changed = changed;
    of.timing.answered = (peer, answer, at) => this.#answered(peer, answer, at);
    this.#began = of.clock.now();
    this.#machine = new MachineWatch(of.clock);
    this.#cancel = every(of.clock, EVERY, () => void this.#step());
    void this.#step();
  }

  /** What is so now and not recorded. Another object with each step. */
  get live(): Live {
    return this.#live;
  }

  report(): Report {
    const browser = navigator.userAgent.slice(0, 400);
    return this.recording.report({ made: new Date().toISOString(), browser, cores: navigator.hardwareConcurrency });
  }

  close(): void {
    this.#cancel();
    this.#of.timing.answered = null;
    this.#machine.close();
    for (const other of this.#others.values()) forget(other);
  }

  async #step(): Promise<void> {
    if (this.#stepping) return;
    this.#stepping = true;
    const peers = this.#of.peers();
    for (const peer of peers) this.#of.timing.ask(peer);
    const [workers, report] = await Promise.all([this.#of.pool.timings(), this.#of.pool.report()]).finally(() => {
      this.#stepping = false;
    });
    this.recording.step(Math.round(this.#of.clock.now() - this.#began));
    const timings = new Map(workers.flatMap((worker) => worker?.tracks ?? []).map((track) => [track.id, track]));
    this.#live = { names: new Map(), samples: new Map(), transforms: new Map(), tracks: new Map() };
    for (const peer of peers) this.#link(peer, timings, report.tracks);
    for (const [peer, other] of this.#others) if (!peers.includes(peer)) this.#gone(peer, other);
    this.#cpu(workers, peers);
    for (const fanOut of report.fanOuts) this.#fanOut(fanOut);
    this.#state("encryption", "page", "state", this.#of.encryption().state);
    this.#changed();
  }

  #answered(peer: TimedLink, answer: TimingAnswer, answered: number): void {
    const other = this.#other(peer);
    if (answer.type === "clock") return other.clocks.add({ ...answer, answered });
    for (const line of answer.lines) {
      other.told.set(line.source, line);
      other.journeys.get(line.source)?.told(line.frames);
    }
  }

  #other(peer: TimedLink): Other {
    const known = this.#others.get(peer);
    if (known !== undefined) return known;
    const other: Other = {
      number: peer.isRelays ? RELAYS : ++this.#numbers,
      clocks: new ClockOffset(),
      journeys: new Map(),
      presentations: new Map(),
      told: new Map(),
    };
    this.#others.set(peer, other);
    return other;
  }

  #gone(peer: TimedLink, other: Other): void {
    forget(other);
    this.#others.delete(peer);
    const ofTheirs = new RegExp(`^(link|sent:[a-z-]+|received:[a-z-]+):${other.number}( |$)`);
    this.#totals.forget((name) => ofTheirs.test(name));
    for (const name of this.#windows.keys()) if (ofTheirs.test(name)) this.#windows.delete(name);
  }

  #link(peer: TimedLink, timings: Map<string, TrackTimings>, reports: Map<string, TrackReport>): void {
    const other = this.#other(peer);
    add(this.#live.names, other.number, peer.name ?? "");
    const { at, entries: stats } = peer.stats.latest;
    this.#counted = at;
    if (peer.isRelays) this.#relays(other, peer.lines, reports);
    else this.#network(other, stats);
    this.#note("latency", `link:${other.number}`, "clock", other.clocks.estimate?.within ?? Number.NaN);
    for (const line of peer.lines) {
      const { sent, received } = line;
      if (sent !== null) this.#sent(other, line, stats, timings.get(sent.id), reports.get(sent.id));
      if (received !== null) this.#received(other, line, stats, timings.get(received.id), reports.get(received.id));
    }
    if (peer.isRelays) return;
    for (const { type, id, members } of numbersOf(stats)) {
      this.#state("stats", `link:${other.number}`, id, type);
      for (const [name, value] of members) this.#note("stats", `link:${other.number}`, `${id}/${name}`, value);
    }
  }

  /** What the workers counted stands in the place of what a browser counts of a connection. */
  #relays({ number }: Other, lines: readonly TimedLine[], reports: Map<string, TrackReport>): void {
    const subject = `link:${number}`;
    for (const way of ["sent", "received"] as const) {
      const bytes = lines.reduce((sum, line) => sum + (reports.get(line[way]?.id ?? "")?.bytes ?? 0), 0);
      if (lines.some((line) => line[way] !== null))
        this.#note("network", subject, way, this.#rate(`${subject} ${way}`, bytes));
    }
  }

  #network({ number }: Other, stats: readonly Stats[]): void {
    const subject = `link:${number}`;
    const pair = pathOf(stats);
    this.#note("network", subject, "rtt", ms(pair?.currentRoundTripTime));
    this.#note("network", subject, "sent", this.#rate(`${subject} sent`, pair?.bytesSent));
    this.#note("network", subject, "received", this.#rate(`${subject} received`, pair?.bytesReceived));
    this.#note("network", subject, "estimate", pair?.availableOutgoingBitrate ?? Number.NaN);
    const candidate = (id: string | undefined) => stats.find((entry) => entry.id === id);
    const [local, remote] = [candidate(pair?.localCandidateId), candidate(pair?.remoteCandidateId)];
    if (local !== undefined && remote !== undefined)
      this.#state(
        "network",
        subject,
        "way",
        `${local.candidateType} ${remote.candidateType} ${local.relayProtocol ?? local.protocol}`,
      );
  }

  #sent(
    { number }: Other,
    line: TimedLine,
    stats: readonly Stats[],
    timings?: TrackTimings,
    report?: TrackReport,
  ): void {
    const subject: Subject = `sent:${line.source}:${number}`;
    const own = rtp(stats, "outbound-rtp", line);
    const theirs = stats.find(({ type, kind }) => type === "remote-inbound-rtp" && kind === line.kind);
    this.#proof(subject, line, report, timings, own);
    this.#note("network", subject, "loss", theirs?.fractionLost ?? Number.NaN);
    this.#note("network", subject, "jitter", ms(theirs?.jitter));
    this.#note("network", subject, "rate", this.#rate(`${subject} bytes`, bytesOf(line, own?.bytesSent, report)));
    if (own === undefined || (report?.frames ?? 0) === 0) return;
    if (line.isRelayed && line.kind === "audio")
      this.#spread(subject, "capture", spreadOf(encodings(timings)), "frame");
    else if (line.isRelayed || own.frameWidth === STAND_IN_SIZE)
      this.#spread(subject, "encode", spreadOf(encodings(timings)), "frame");
    else this.#mean(subject, "encode", this.#ratio(`${subject} encode`, own.totalEncodeTime, own.framesEncoded));
    if (timings !== undefined) this.#spread(subject, "seal", this.#rolled(subject, timings.times), "frame");
    this.#mean(subject, "send", this.#ratio(`${subject} send`, own.totalPacketSendDelay, own.packetsSent));
  }

  #received(
    other: Other,
    line: TimedLine,
    stats: readonly Stats[],
    timings?: TrackTimings,
    report?: TrackReport,
  ): void {
    const subject: Subject = `received:${line.source}:${other.number}`;
    const own = rtp(stats, "inbound-rtp", line);
    this.#proof(subject, line, report, timings, own);
    this.#note("network", subject, "jitter", ms(own?.jitter));
    this.#note("network", subject, "rate", this.#rate(`${subject} bytes`, bytesOf(line, own?.bytesReceived, report)));
    const lost = this.#totals.grew(`${subject} lost`, own?.packetsLost);
    const came = this.#totals.grew(`${subject} came`, own?.packetsReceived);
    this.#note("network", subject, "loss", Math.max(0, lost) / (Math.max(0, lost) + came));
    if (own === undefined || timings === undefined || (report?.frames ?? 0) === 0) return;
    const journeys = this.#journeys(other, line);
    journeys.opened(timings.frames);
    const spreads = journeys.settle(computerTime(), other.clocks.estimate);
    const told = other.told.get(line.source) ?? null;
    const spread = (name: Parameters<typeof spreads.get>[0]) => spreads.get(name) ?? NOTHING;
    this.#before(subject, line, spread("before"), told);
    this.#spread(subject, "seal", spread("seal"), "frame");
    this.#mean(subject, "send", told?.send ?? Number.NaN);
    this.#spread(subject, "network", spread("network"), "frame");
    this.#spread(subject, "open", spread("open"), "frame");
    if (line.pictures !== undefined) this.#played(subject, spreads);
    else if (line.kind === "video") this.#picture(subject, own, spreads);
    else this.#sound(subject, own, stats);
    this.#spread(subject, "end-to-end", spread("end-to-end"), "frame");
  }

  /** What lies before the sealing worker. */
  #before(subject: Subject, { kind }: TimedLine, before: Spread, told: SentLine | null): void {
    // A sender that tells when pictures came to its encoder owns that encoder.
    const isOwned = told?.frames.some(([, begun]) => begun !== null) === true;
    this.#state("latency", subject, "begins", kind === "audio" || !isOwned ? "capture" : "encoder");
    if (kind === "audio") return this.#spread(subject, "capture", before, "frame");
    if (isOwned) return this.#spread(subject, "encode", before, "frame");
    this.#mean(subject, "encode", told?.encode ?? Number.NaN);
    this.#mean(subject, "capture", before.mean - (told?.encode ?? Number.NaN));
  }

  /**
   * Of the time between the opened frame and the screen, the decoder's is known frame by frame. The jitter buffer's mean is
   * what the browser counts from a frame's first packet to its decoded picture, without decoding, assembling and opening.
   * The rest is rendering.
   */
  #picture(subject: Subject, own: Stats, spreads: ReturnType<Journeys["settle"]>): void {
    const [after, decode, held] = [spreads.get("after"), spreads.get("decode"), spreads.get("held")].map(
      (spread) => spread ?? NOTHING,
    ) as [Spread, Spread, Spread];
    const processing = this.#ratio(`${subject} processing`, own.totalProcessingDelay, own.framesDecoded);
    const decoding = this.#ratio(`${subject} decoding`, own.totalDecodeTime, own.framesDecoded);
    const assembling = this.#ratio(`${subject} assembling`, own.totalAssemblyTime, own.framesDecoded);
    const waiting = Math.max(0, processing - decoding - assembling - held.mean);
    this.#mean(subject, "jitter-buffer", waiting);
    this.#spread(subject, "decode", decode, "frame");
    this.#mean(subject, "render", Math.max(0, after.mean - waiting - decode.mean));
  }

  /** A player of ours tells of each picture. */
  #played(subject: Subject, spreads: ReturnType<Journeys["settle"]>): void {
    this.#spread(subject, "jitter-buffer", spreads.get("buffered") ?? NOTHING, "frame");
    this.#spread(subject, "decode", spreads.get("decode") ?? NOTHING, "frame");
    this.#spread(subject, "render", spreads.get("drawn") ?? NOTHING, "frame");
  }

  #sound(subject: Subject, own: Stats, stats: readonly Stats[]): void {
    const playout = stats.find(({ type }) => type === "media-playout");
    const buffered = this.#ratio(`${subject} buffered`, own.jitterBufferDelay, own.jitterBufferEmittedCount);
    this.#mean(subject, "jitter-buffer", buffered);
    this.#mean(
      subject,
      "render",
      this.#ratio(`${subject} playout`, playout?.totalPlayoutDelay, playout?.totalSamplesCount),
    );
  }

  #journeys({ journeys, presentations }: Other, { source, kind, transceiver, pictures }: TimedLine): Journeys {
    const known = journeys.get(source) ?? new Journeys();
    journeys.set(source, known);
    if (pictures !== undefined) known.played(pictures);
    const { receiver } = transceiver;
    if (kind === "video" && receiver !== undefined && !presentations.has(source))
      presentations.set(source, new Presentation(receiver.track, (shown) => known.shown(shown), this.#of.clock));
    presentations.get(source)?.look();
    return known;
  }

  /** What the browser counted beside what the worker counted. */
  #proof(subject: Subject, line: TimedLine, report?: TrackReport, timings?: TrackTimings, own?: Stats): void {
    const attachment = subject.startsWith("sent") ? line.sent : line.received;
    if (attachment !== null) add(this.#live.transforms, subject, attachment.id);
    add(this.#live.samples, subject, timings?.sample ?? null);
    const { sender, receiver } = line.transceiver;
    const track = (subject.startsWith("sent") ? sender : receiver)?.track ?? null;
    if (track !== null) add(this.#live.tracks, subject, track);
    const packets = subject.startsWith("sent") ? own?.packetsSent : own?.packetsReceived;
    const frames = subject.startsWith("sent") ? own?.framesEncoded : own?.framesDecoded;
    const counted = line.isRelayed ? undefined : line.kind === "audio" ? packets : frames;
    this.#note("encryption", subject, "browser", counted ?? Number.NaN);
    if (report === undefined) return;
    this.#note("encryption", subject, "sealed", report.frames - report.readable);
    this.#note("encryption", subject, "readable", report.readable);
    this.#note("encryption", subject, "carried", report.carried);
    this.#note("encryption", subject, "overhead", report.overhead);
    this.#note(
      "encryption",
      subject,
      "refused",
      report.refused.reduce((sum, { count }) => sum + count, 0),
    );
    for (const { why } of report.refused) {
      const of = report.refused.filter((other) => other.why === why);
      this.#note(
        "encryption",
        subject,
        `refused/${why}`,
        of.reduce((sum, { count }) => sum + count, 0),
      );
    }
    const passing = this.#totals.grew(`${subject} passed`, report.frames);
    this.#note("encryption", subject, "rate", passing / (WINDOW * (EVERY / 1_000)));
    if (report.codec !== null) this.#state("encryption", subject, "codec", report.codec);
    if (report.epoch !== null) this.#state("encryption", subject, "epoch", String(report.epoch));
  }

  #fanOut({ source, encoders, frames }: FanOutReport): void {
    this.#note("encryption", `once:${source}`, "sealed", frames);
    const subjects = new Map([...this.#live.transforms].map(([subject, id]) => [id, subject]));
    for (const { width, height, links, frames } of encoders) {
      const lines = Math.min(width, height);
      this.#note("encryption", `size:${source}:${lines}`, "links", links.length);
      this.#note("encryption", `size:${source}:${lines}`, "sealed", frames);
      for (const subject of links.flatMap((id) => subjects.get(id) ?? []))
        this.#note("encryption", subject, "lines", lines);
    }
  }

  #cpu(workers: (WorkerTimings | null)[], peers: readonly TimedLink[]): void {
    const stats = peers.flatMap((peer) => peer.stats.latest.entries);
    for (const [at, worker] of workers.entries()) {
      if (worker === null) continue;
      const subject = `worker:${at + 1}`;
      const busy =
        this.#totals.grew(`${subject} busy`, worker.busy) / this.#totals.grew(`${subject} lived`, worker.lived);
      this.#note("cpu", subject, "busy", busy);
      const waits = this.#rolled(subject, worker.waits);
      for (const statistic of ["p50", "p95"] as const) this.#note("cpu", subject, "queue", waits[statistic], statistic);
    }
    const seconds = this.#totals.grew("page", peers.length > 0 ? this.#counted : this.#of.clock.now()) / 1_000;
    const sum = (of: (entry: Stats) => number | undefined) =>
      stats.reduce((total, entry) => total + (of(entry) ?? 0), 0);
    this.#note(
      "cpu",
      "page",
      "encoders",
      this.#totals.grew(
        "encoders",
        sum(({ totalEncodeTime }) => totalEncodeTime),
      ) / seconds,
    );
    const decoding = sum(({ type, totalDecodeTime }) => (type === "inbound-rtp" ? totalDecodeTime : 0));
    const isCounted = !peers.some(({ lines }) => lines.some(({ pictures }) => pictures !== undefined));
    this.#note("cpu", "page", "decoders", isCounted ? this.#totals.grew("decoders", decoding) / seconds : Number.NaN);
    const { longTasks, pressure, memory } = this.#machine.load();
    for (const [name, value] of [
      ["long-tasks", longTasks],
      ["memory", memory],
    ] as const) {
      if (value === null) this.#state("cpu", "page", name, "untold");
      else this.#note("cpu", "page", name, value);
    }
    if (pressure !== null) this.#state("cpu", "page", "pressure", pressure);
  }

  /** Bits per second. */
  #rate(name: string, bytes: number | undefined): number {
    return (8 * this.#totals.grew(name, bytes)) / this.#totals.grew(`${name} time`, this.#counted / 1_000);
  }

  /** Milliseconds each. */
  #ratio(name: string, seconds: number | undefined, count: number | undefined): number {
    const [grew, by] = [this.#totals.grew(`${name} time`, seconds), this.#totals.grew(`${name} count`, count)];
    return by > 0 ? (1_000 * grew) / by : Number.NaN;
  }

  #rolled(name: string, snapshot: HistogramSnapshot): Spread {
    const window = this.#windows.get(name) ?? new RollingWindow(WINDOW + 1);
    this.#windows.set(name, window);
    return window.push(snapshot);
  }

  #spread(subject: Subject, name: string, spread: Spread, how: "frame"): void {
    if (spread.count > 0) this.#state("latency", subject, name, how);
    for (const statistic of ["mean", "p50", "p95", "p99"] as const)
      this.#note("latency", subject, name, spread[statistic], statistic);
  }

  #mean(subject: Subject, name: string, value: number): void {
    if (Number.isFinite(value)) this.#state("latency", subject, name, "mean");
    this.#note("latency", subject, name, value, "mean");
  }

  #note(region: Region, subject: string, name: string, value: number, statistic: Statistic = "value"): void {
    this.recording.note({ region, subject, name, statistic }, value);
  }

  #state(region: Region, subject: string, name: string, word: string): void {
    this.recording.state({ region, subject, name, statistic: "value" }, word);
  }
}

const NOTHING: Spread = { count: 0, mean: Number.NaN, p50: Number.NaN, p95: Number.NaN, p99: Number.NaN };

function add<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): void {
  (map as Map<K, V>).set(key, value);
}

function forget({ presentations }: Other): void {
  for (const presentation of presentations.values()) presentation.close();
}

function rtp(stats: readonly Stats[], of: RTCStatsType, { transceiver: { mid } }: TimedLine): Stats | undefined {
  return stats.find((entry) => entry.type === of && entry.mid === mid);
}

/** As the browser counted them; over relays, where it counts none, as the worker did. */
function bytesOf({ isRelayed }: TimedLine, counted?: number, report?: TrackReport): number | undefined {
  return isRelayed ? report?.bytes : counted;
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

function ms(seconds: number | undefined): number {
  return seconds === undefined ? Number.NaN : 1_000 * seconds;
}
