import type { MediaPool } from "@sealcast/media";
import { kindOf, type LineSource } from "@sealcast/network";
import { type Clock, type Milli, milli } from "@sealcast/time";
import type { Proven, ProvenLine, Sample } from "../audit/browser-counters.ts";
import type { IncomingStreams } from "../peer/incoming-streams.ts";
import { Verdicts } from "../peer/verdicts.ts";
import type { Received } from "../reception/reception.ts";
import { TrackStats } from "./track-stats.ts";

type Pairs = readonly (readonly [now: Sample, before: Sample | null])[];

/** Samples in a row, half a second apart, in which something due did not come: then it is to come directly. */
const MOST_QUIET = 6;
/** How long it comes directly then. */
const RETRY = milli(30_000);
/**
 * So often frames that they did not sign keep it from the relay for a while, each time for twice as long; after that, for good. What
 * the page of someone honest signs is missing as well when that page, this one or the connection between them stands still for 15 s.
 */
const MOST_FORGED = 4;

interface RelayedOptions {
  readonly pool: MediaPool;
  readonly clock: Clock;
  readonly leaf: number;
  readonly incoming: Pick<IncomingStreams, "replace">;
  name(): string;
  /** What they say that they send now. */
  due(): readonly LineSource[];
  /** Tells them whether their media comes over the relay, and need not come over the connection. False: they could not be told. */
  say(body: Uint8Array): boolean;
  /** Frames came over the relay that they did not sign. */
  forged(): void;
}

/** One track of theirs that comes over the relay. */
interface RelayedLine extends ProvenLine, Pick<Proven, "stats"> {
  readonly track: MediaStreamTrack;
}

/**
 * What comes of one person over the relay. The old way goes on until the new one has given a picture of its own, whichever of
 * the two is the new one. What the relay forges or keeps back has them send directly again.
 */
export class Relayed {
  readonly lines: RelayedLine[] = [];
  readonly #options: RelayedOptions;
  readonly #verdicts: Verdicts;
  #isPlayed = false;
  #isTaken = false;
  /** What they were told last. */
  #told = false;
  #quiet = 0;
  #forgeries = 0;
  #barredUntil: Milli = milli(Number.NEGATIVE_INFINITY);

  constructor(options: RelayedOptions) {
    this.#options = options;
    this.#verdicts = new Verdicts(options.clock, () => this.#judged());
  }

  /** What they send is played from the relay. */
  get isPlayed(): boolean {
    return this.#isPlayed;
  }

  /** They get this page's media over the relay. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** It may come over the relay. */
  get isTrusted(): boolean {
    return this.#options.clock.now() >= this.#barredUntil;
  }

  /** To be held against the browser's counters, a line each. */
  get proven(): Proven[] {
    const { name } = this.#options;
    const link = { restart: () => this.#bar(RETRY) };
    return this.lines.map((line) => ({ name: name(), state: "connected", link, stats: line.stats, lines: [line] }));
  }

  /** Their sound over the relay, while that is played. */
  get voice(): Received | null {
    const line = this.lines.find(({ source }) => source === "microphone");
    return this.#isPlayed && line ? { state: "connected", lines: [line], stats: line.stats, isRelayed: true } : null;
  }

  /** Call in the task in which the relay gave the track. `mark` ends frames that the relay makes up. */
  open(receiver: RTCRtpReceiver, source: LineSource, mark: Uint8Array): void {
    const { pool, clock, leaf } = this.#options;
    const { track } = receiver;
    const kind = kindOf(source);
    const received = pool.openRelayed(receiver, { kind, source, leaf, mark }, this.#verdicts.ofTrack());
    const stats = new TrackStats(receiver, clock);
    const way = { transceiver: stats, stats, sent: null, received, isRelayed: true } as const;
    for (const before of this.lines) if (before.source === source) this.ended(before.track);
    this.lines.push({ source, kind, ...way, track });
    this.#put();
  }

  /** Nothing comes of that track any more. False: it is none of theirs. */
  ended(track: MediaStreamTrack): boolean {
    const at = this.lines.findIndex((line) => line.track === track);
    const [line] = at < 0 ? [] : this.lines.splice(at, 1);
    if (line === undefined) return false;
    if (line.received !== null) this.#verdicts.end(line.received);
    this.#options.incoming.replace(line.source, null);
    return true;
  }

  /** To be called with each sample. `isWanted`: their media is to come over the relay. `own`: the connection's lines. */
  examine(pairs: Pairs, isWanted: boolean, own: readonly ProvenLine[]): void {
    const comes = comingIn(pairs);
    const isAll = (lines: readonly ProvenLine[]) =>
      this.#options.due().every((due) => lines.some((line) => line.source === due && comes(line)));
    const isHere = this.#verdicts.worst === "signed" && this.lines.length > 0 && isAll(this.lines);
    this.#quiet = isHere || !this.#isPlayed ? 0 : this.#quiet + 1;
    if (this.#quiet > MOST_QUIET) this.#bar(RETRY);
    const isMeant = isWanted && this.isTrusted;
    if (isMeant && isHere) this.#play(true);
    if (this.lines.length === 0 || (!isMeant && isAll(own))) this.#play(false);
    this.#tell(isMeant && this.#isPlayed);
  }

  /** They said whether this page's media comes to them over the relay. */
  heard(body: Uint8Array): void {
    if (body.length === 1) this.#isTaken = body[0] === 1;
  }

  /** The connection is a new one: nothing was said on it. */
  opened(): void {
    this.#told = false;
  }

  /** Nothing comes over the relay any more, and they hear so at once. */
  close(): void {
    this.#tell(false);
    this.#play(false);
    for (const { track } of [...this.lines]) this.ended(track);
  }

  /** The same of someone who is gone: what they have not signed yet, they never will. */
  leave(): void {
    this.close();
    this.#verdicts.clear();
  }

  #play(on: boolean): void {
    if (on === this.#isPlayed) return;
    this.#isPlayed = on;
    this.#put();
  }

  /** While a signature is overdue nothing of this person plays, whichever track it is of: all that comes may be another's. */
  #put(): void {
    const isOn = this.#isPlayed && this.#verdicts.worst === "signed";
    for (const { source, track } of this.lines) this.#options.incoming.replace(source, isOn ? track : null);
  }

  #tell(isRelayed: boolean): void {
    if (isRelayed !== this.#told && this.#options.say(Uint8Array.of(Number(isRelayed)))) this.#told = isRelayed;
  }

  #bar(time: Milli): void {
    this.#quiet = 0;
    this.#barredUntil = milli(Math.max(this.#barredUntil, this.#options.clock.now() + time));
    this.#tell(false);
  }

  #judged(): void {
    if (this.#verdicts.worst === "forged") this.#forged();
    else this.#put();
  }

  /** Over their own connection nobody can speak in their name. Several tracks of which that is found out are one forgery. */
  #forged(): void {
    const isLast = this.#forgeries === MOST_FORGED;
    this.#bar(isLast ? milli(Number.POSITIVE_INFINITY) : milli(RETRY * 2 ** this.#forgeries++));
    this.leave();
    this.#options.forged();
  }
}

/** Whether something of a line was opened in the last second, and of a picture decoded. */
function comingIn(pairs: Pairs): (line: ProvenLine) => boolean {
  const coming = new Set(pairs.filter(([now, before]) => isComing(now, before)).map(([{ attachment }]) => attachment));
  return ({ received }) => received !== null && coming.has(received);
}

function isComing(now: Sample, before: Sample | null): boolean {
  if (now.passed <= (before?.passed ?? 0)) return false;
  return now.line.kind === "audio" || (now.counted.after ?? 0) > (before?.counted.after ?? 0);
}
