import { type Clock, DriftingClock, type Milli, milli } from "@sealcast/time";
import type { FromSound, PlayerFrame, ToSound } from "../shared/messages.ts";
import { DecoderSlot } from "./decoder-slot.ts";
import type { Drops } from "./drops.ts";
import type { DecodedSound, DecoderFault, MakeDecoder } from "./frame-decoder.ts";
import type { Playhead } from "./playhead.ts";
import { SoundBuffer } from "./sound-buffer.ts";
import { captured } from "./video-buffer.ts";

/** How long before its time sound is at the worklet, so that a late timer is not heard. */
const AHEAD_MS = 200;
const MOST_IN_DECODER = 16;
const MOST_CHANNELS = 2;
/** Without a report for so long the worklet does not run: the page may not play sound yet, or its device went. */
const MOST_SILENT_MS = 300;
/** A stream whose sound has paused for so long is played by its video. */
const PAUSED_MS = 1_000;
/** A context that stood still for so long is later by as much from then on. */
const STOOD_STILL_MS = 250;
/** A change of rate that is worth a message. */
const LEAST_CHANGE = 2e-6;

/** Sound's port, as far as playing knows it. */
export interface SoundPort {
  postMessage(message: ToSound, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<FromSound>) => void) | null;
}

/** One sound track from encoded frames to the worklet, whose reports say what is played now. */
export class SoundPlayback {
  readonly #clock: Clock;
  readonly #port: SoundPort;
  readonly #buffer: SoundBuffer;
  readonly #decoder: DecoderSlot<DecodedSound>;
  /** The audio context's clock. */
  readonly #context = new DriftingClock(STOOD_STILL_MS);
  readonly #playhead: () => Playhead | null;
  #report: FromSound | null = null;
  #reportedAt = milli(Number.NEGATIVE_INFINITY);
  #newestAt = milli(Number.NEGATIVE_INFINITY);
  #sought = 0;
  #soughtAs: { playhead: Playhead; jumps: number } | null = null;
  #rate = 1;
  decoded = 0;
  outputLatencyMs = 0;

  /**
   * @param playhead null: nothing is played yet
   * @param reported after each report
   */
  constructor(
    clock: Clock,
    make: MakeDecoder<DecodedSound>,
    port: SoundPort,
    drops: Drops,
    playhead: () => Playhead | null,
    failed: (fault: DecoderFault) => void,
    reported: () => void,
  ) {
    this.#clock = clock;
    this.#port = port;
    this.#playhead = playhead;
    this.#buffer = new SoundBuffer(drops);
    const refused = (fault: DecoderFault) => {
      drops.count("undecodable");
      failed(fault);
    };
    this.#decoder = new DecoderSlot(clock, make, (sound) => this.#got(sound), refused);
    port.onmessage = ({ data }) => {
      this.#heard(data);
      reported();
    };
  }

  get underruns(): number {
    return this.#report?.underruns ?? 0;
  }

  push(frame: PlayerFrame): void {
    this.#newestAt = frame.receivedAtMs;
    this.#buffer.push(frame);
  }

  /** Null: it does not play, and does not say what is played. Otherwise whether nothing is left to play. */
  isStarvedAt(now: Milli): boolean | null {
    if (this.#report === null || now - this.#reportedAt > MOST_SILENT_MS || now - this.#newestAt > PAUSED_MS)
      return null;
    return this.#report.isStarved;
  }

  /** Sends what is due to the worklet, and has it play at the playhead's time and rate. */
  play(playhead: Playhead, now: Milli): void {
    this.#follow(playhead, now);
    while (this.#decoder.queued < MOST_IN_DECODER) {
      const frame = this.#buffer.take(playhead.at(now), AHEAD_MS);
      if (frame === null) break;
      this.#decoder.decode(frame);
    }
  }

  close(): void {
    this.#decoder.close();
    this.#port.onmessage = () => undefined;
    this.#post({ type: "clear" });
  }

  #follow(playhead: Playhead, now: Milli): void {
    if (this.#report === null) return;
    const { playhead: before, jumps } = this.#soughtAs ?? {};
    if (before !== playhead || jumps !== playhead.jumps) {
      this.#soughtAs = { playhead, jumps: playhead.jumps };
      this.#sought++;
      // A sample given at this time is heard later: it is the turn of one that was captured later.
      const atMs = playhead.at(now) + this.outputLatencyMs;
      this.#post({ type: "seek", seek: this.#sought, atMs, contextMs: this.#context.toTheirs(now) });
    }
    if (Math.abs(playhead.rate - this.#rate) > LEAST_CHANGE) {
      this.#rate = playhead.rate;
      this.#post({ type: "rate", rate: this.#rate });
    }
  }

  #heard(report: FromSound): void {
    const now = this.#clock.now();
    this.#context.add(report.contextMs, now);
    this.#report = report;
    this.#reportedAt = now;
    if (report.seek !== this.#sought || this.#sought === 0) return;
    const heardAt = milli(this.#context.toOurs(report.contextMs) + this.outputLatencyMs);
    const playhead = this.#playhead();
    if (playhead === this.#soughtAs?.playhead) playhead?.follow(heardAt, report.atMs);
  }

  #got({ data, timestampUs }: DecodedSound): void {
    this.decoded++;
    const { sampleRate, numberOfFrames, numberOfChannels } = data;
    const channels = Array.from({ length: Math.min(MOST_CHANNELS, numberOfChannels) }, (_, planeIndex) => {
      const channel = new Float32Array(numberOfFrames);
      data.copyTo(channel, { planeIndex, format: "f32-planar" });
      return channel;
    });
    data.close();
    const buffers = channels.map(({ buffer }) => buffer);
    this.#post({ type: "piece", atMs: captured({ timestampUs }), sampleRate, channels }, buffers);
  }

  #post(message: ToSound, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}
