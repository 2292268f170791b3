import { type Clock, DriftingClock, type Milli, SerialQueue, systemClock } from "@sealcast/time";
import { SOUND_TRACK } from "../shared/publication.ts";
import { free } from "./free.ts";
import type { RelayFeed } from "./relay-feed.ts";
import type { Sealer } from "./sealing/sealer.ts";
import { takeEach } from "./track-pieces.ts";

const MIME_TYPE = "audio/opus";
/** Of one length each, so that lengths tell nothing of what is said. */
const OPUS = {
  codec: "opus",
  bitrate: 64_000,
  bitrateMode: "constant",
  opus: { frameDuration: 40_000, usedtx: false },
} as const;
/** Packets of 40 ms in a second: who joins a stream hears at most one second from before. */
const GROUP = 25;
/** Pieces that find as many before them are left out. */
const MOST_QUEUED = 10;

/**
 * Its time counts samples from the first piece on, whatever the times of later ones say, and a sound card's second is not this
 * computer's.
 */
interface Encoder {
  readonly of: string;
  readonly encoder: AudioEncoder;
  readonly clock: DriftingClock;
  /** By its time, when the next piece begins; milliseconds. */
  counted: number;
}

/** A stream's sound as relays get it: encoded once and sealed once. Only while someone watches it. */
export class PublishedSound {
  readonly #sealer: Sealer;
  readonly #feed: () => RelayFeed | null;
  readonly #clock: Clock;
  readonly #sealing = new SerialQueue();
  #sound: ReadableStream<AudioData> | null = null;
  #encoder: Encoder | null = null;
  #inGroup = 0;

  constructor(sealer: Sealer, feed: () => RelayFeed | null, clock: Clock = systemClock) {
    this.#sealer = sealer;
    this.#feed = feed;
    this.#clock = clock;
  }

  /** From now on this is the sound; null: there is none. */
  hear(sound: ReadableStream<AudioData> | null): void {
    this.#stop();
    this.#sound = sound;
    if (sound === null) return;
    const take = (piece: AudioData) => {
      this.#hearPiece(piece);
      piece.close();
    };
    void takeEach(sound, take, () => sound === this.#sound, this.#clock);
  }

  /** Nothing of it is at the relay. */
  restart(): void {
    this.#inGroup = 0;
  }

  /** An encoder takes what it gets for one after the other, so that one that missed a piece is of no use any more. */
  #hearPiece(piece: AudioData): void {
    const isBehind = (this.#encoder?.encoder.encodeQueueSize ?? 0) >= MOST_QUEUED;
    if (isBehind || !this.#feed()?.isWatched(SOUND_TRACK)) return this.#stop();
    try {
      const its = this.#encoderFor(piece);
      its.counted += (1_000 * piece.numberOfFrames) / piece.sampleRate;
      its.clock.add(its.counted, this.#clock.now());
      its.encoder.encode(piece);
    } catch {
      // A browser that does not encode this sends none: the picture goes on.
      this.#stop();
    }
  }

  #encoderFor({ sampleRate, numberOfChannels, timestamp }: AudioData): Encoder {
    const of = `${sampleRate} ${numberOfChannels}`;
    if (this.#encoder?.of === of && this.#encoder.encoder.state === "configured") return this.#encoder;
    this.#stop();
    const clock = new DriftingClock();
    const encoder = new AudioEncoder({ output: (chunk) => this.#encoded(chunk, clock), error: () => this.#stop() });
    encoder.configure({ ...OPUS, sampleRate, numberOfChannels });
    this.#encoder = { of, encoder, clock, counted: timestamp / 1_000 };
    return this.#encoder;
  }

  #encoded(chunk: EncodedAudioChunk, clock: DriftingClock): void {
    const data = new ArrayBuffer(chunk.byteLength);
    chunk.copyTo(data);
    const [since, at] = [this.#clock.now(), clock.toOurs(chunk.timestamp / 1_000)];
    void this.#sealing.run(() => this.#seal(data, since, at));
  }

  /** What cannot be sealed goes nowhere. */
  async #seal(data: ArrayBuffer, since: Milli, at: Milli): Promise<void> {
    const sealed = await this.#sealer.seal(data, MIME_TYPE, false).catch(() => null);
    const feed = this.#feed();
    if (sealed?.ok && feed !== null) {
      const startsGroup = this.#inGroup === 0;
      this.#inGroup = (this.#inGroup + 1) % GROUP;
      const clear = new Uint8Array(data);
      feed.write(SOUND_TRACK, { ...sealed, clear, mimeType: MIME_TYPE, since, encoding: at }, { startsGroup, at });
      free(sealed.spent);
    }
    free(data);
  }

  #stop(): void {
    if (this.#encoder !== null && this.#encoder.encoder.state !== "closed") this.#encoder.encoder.close();
    this.#encoder = null;
    this.#inGroup = 0;
  }
}
