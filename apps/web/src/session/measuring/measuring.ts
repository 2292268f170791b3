import type { FanOutReport, TrackReport, TrackTimings } from "@sealcast/media";
import { ClockOffset, RELAYS, type Report } from "@sealcast/metrics";
import { type Cancel, every, type Milli } from "@sealcast/time";
import type { Stats } from "../peer/link-stats.ts";
import { EVERY, FigureWriter, type Subject } from "./figure-writer.ts";
import { Journeys } from "./journeys.ts";
import { codecLoads, machineLoad, workerLoads } from "./load.ts";
import { MachineWatch } from "./machine.ts";
import type { Measurable } from "./measurable.ts";
import { Presentation } from "./presentation.ts";
import { receivedStages, sentStages } from "./stages.ts";
import { numbersOf, pathOf } from "./stats.ts";
import { computerTime, type SentLine, type TimedLine, type TimedLink, type TimingAnswer } from "./timing.ts";

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
  readonly #figures = new FigureWriter();
  readonly recording = this.#figures.recording;
  readonly #of: Measurable;
  readonly #changed: () => void;
  readonly #machine: MachineWatch;
  readonly #others = new Map<TimedLink, Other>();
  readonly #began: Milli;
  readonly #cancel: Cancel;
  #live: Live = { names: new Map(), samples: new Map(), transforms: new Map(), tracks: new Map() };
  #stepping = false;
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
    workerLoads(this.#figures, workers);
    codecLoads(this.#figures, peers, this.#of.clock.now());
    machineLoad(this.#figures, this.#machine.load());
    for (const fanOut of report.fanOuts) this.#fanOut(fanOut);
    this.#figures.state("encryption", "page", "state", this.#of.encryption().state);
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
    this.#figures.forget((name) => ofTheirs.test(name));
  }

  #link(peer: TimedLink, timings: Map<string, TrackTimings>, reports: Map<string, TrackReport>): void {
    const other = this.#other(peer);
    add(this.#live.names, other.number, peer.name ?? "");
    const { at, entries: stats } = peer.stats.latest;
    this.#figures.counted = at;
    if (peer.isRelays) this.#relays(other, peer.lines, reports);
    else this.#network(other, stats);
    this.#figures.note("latency", `link:${other.number}`, "clock", other.clocks.estimate?.within ?? Number.NaN);
    for (const line of peer.lines) {
      const { sent, received } = line;
      if (sent !== null) this.#sent(other, line, stats, timings.get(sent.id), reports.get(sent.id));
      if (received !== null) this.#received(other, line, stats, timings.get(received.id), reports.get(received.id));
    }
    if (peer.isRelays) return;
    for (const { type, id, members } of numbersOf(stats)) {
      this.#figures.state("stats", `link:${other.number}`, id, type);
      for (const [name, value] of members) this.#figures.note("stats", `link:${other.number}`, `${id}/${name}`, value);
    }
  }

  /** What the workers counted stands in the place of what a browser counts of a connection. */
  #relays({ number }: Other, lines: readonly TimedLine[], reports: Map<string, TrackReport>): void {
    const subject = `link:${number}`;
    for (const way of ["sent", "received"] as const) {
      const bytes = lines.reduce((sum, line) => sum + (reports.get(line[way]?.id ?? "")?.bytes ?? 0), 0);
      if (lines.some((line) => line[way] !== null))
        this.#figures.note("network", subject, way, this.#figures.rate(`${subject} ${way}`, bytes));
    }
  }

  #network({ number }: Other, stats: readonly Stats[]): void {
    const subject = `link:${number}`;
    const pair = pathOf(stats);
    this.#figures.note("network", subject, "rtt", ms(pair?.currentRoundTripTime));
    this.#figures.note("network", subject, "sent", this.#figures.rate(`${subject} sent`, pair?.bytesSent));
    this.#figures.note("network", subject, "received", this.#figures.rate(`${subject} received`, pair?.bytesReceived));
    this.#figures.note("network", subject, "estimate", pair?.availableOutgoingBitrate ?? Number.NaN);
    const candidate = (id: string | undefined) => stats.find((entry) => entry.id === id);
    const [local, remote] = [candidate(pair?.localCandidateId), candidate(pair?.remoteCandidateId)];
    if (local !== undefined && remote !== undefined)
      this.#figures.state(
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
    this.#figures.note("network", subject, "loss", theirs?.fractionLost ?? Number.NaN);
    this.#figures.note("network", subject, "jitter", ms(theirs?.jitter));
    this.#figures.note(
      "network",
      subject,
      "rate",
      this.#figures.rate(`${subject} bytes`, bytesOf(line, own?.bytesSent, report)),
    );
    if (own === undefined || (report?.frames ?? 0) === 0) return;
    sentStages(this.#figures, subject, line, own, timings);
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
    this.#figures.note("network", subject, "jitter", ms(own?.jitter));
    this.#figures.note(
      "network",
      subject,
      "rate",
      this.#figures.rate(`${subject} bytes`, bytesOf(line, own?.bytesReceived, report)),
    );
    const lost = this.#figures.grew(`${subject} lost`, own?.packetsLost);
    const came = this.#figures.grew(`${subject} came`, own?.packetsReceived);
    this.#figures.note("network", subject, "loss", Math.max(0, lost) / (Math.max(0, lost) + came));
    if (own === undefined || timings === undefined || (report?.frames ?? 0) === 0) return;
    const journeys = this.#journeys(other, line);
    journeys.opened(timings.frames);
    const spreads = journeys.settle(computerTime(), other.clocks.estimate);
    const told = other.told.get(line.source) ?? null;
    receivedStages(this.#figures, subject, line, spreads, { own, stats, told });
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
    this.#figures.note("encryption", subject, "browser", counted ?? Number.NaN);
    if (report === undefined) return;
    this.#figures.note("encryption", subject, "sealed", report.frames - report.readable);
    this.#figures.note("encryption", subject, "readable", report.readable);
    this.#figures.note("encryption", subject, "carried", report.carried);
    this.#figures.note("encryption", subject, "overhead", report.overhead);
    this.#figures.note(
      "encryption",
      subject,
      "refused",
      report.refused.reduce((sum, { count }) => sum + count, 0),
    );
    for (const { why } of report.refused) {
      const of = report.refused.filter((other) => other.why === why);
      this.#figures.note(
        "encryption",
        subject,
        `refused/${why}`,
        of.reduce((sum, { count }) => sum + count, 0),
      );
    }
    this.#figures.note("encryption", subject, "rate", this.#figures.perSecond(`${subject} passed`, report.frames));
    if (report.codec !== null) this.#figures.state("encryption", subject, "codec", report.codec);
    if (report.epoch !== null) this.#figures.state("encryption", subject, "epoch", String(report.epoch));
  }

  #fanOut({ source, encoders, frames }: FanOutReport): void {
    this.#figures.note("encryption", `once:${source}`, "sealed", frames);
    const subjects = new Map([...this.#live.transforms].map(([subject, id]) => [id, subject]));
    for (const { width, height, links, frames } of encoders) {
      const lines = Math.min(width, height);
      this.#figures.note("encryption", `size:${source}:${lines}`, "links", links.length);
      this.#figures.note("encryption", `size:${source}:${lines}`, "sealed", frames);
      for (const subject of links.flatMap((id) => subjects.get(id) ?? []))
        this.#figures.note("encryption", subject, "lines", lines);
    }
  }
}

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

function ms(seconds: number | undefined): number {
  return seconds === undefined ? Number.NaN : 1_000 * seconds;
}
