import { type Clock, type Milli, milli, SerialQueue, systemClock } from "@sealcast/time";
import { SOUND_TRACK } from "../shared/publication.ts";
import { free } from "./free.ts";
import type { RelayFeed } from "./relay-feed.ts";
import type { Sealer } from "./sealing/sealer.ts";

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
/** Sound whose own time differs more from this computer's begins to count again. */
const OFF = milli(100);
/** Pieces that find as many before them are left out. */
const MOST_QUEUED = 10;

/** A stream's sound as relays get it: encoded once and sealed once. Only while someone watches it. */
export class PublishedSound {
  readonly #sealer: Sealer;
  readonly #feed: () => RelayFeed | null;
  readonly #clock: Clock;
  readonly #sealing = new SerialQueue();
  #sound: ReadableStreamDefaultReader<AudioData> | null = null;
  #encoder: { readonly of: string; readonly encoder: AudioEncoder } | null = null;
  /** From the sound's own time to this computer's. */
  #offset: Milli | null = null;
  #inGroup = 0;

  constructor(sealer: Sealer, feed: () => RelayFeed | null, clock: Clock = systemClock) {
    this.#sealer = sealer;
    this.#feed = feed;
    this.#clock = clock;
  }

  /** From now on this is the sound; null: there is none. */
  hear(sound: ReadableStream<AudioData> | null): void {
    this.#stop();
    this.#sound = sound?.getReader() ?? null;
    if (this.#sound !== null) void this.#read(this.#sound);
  }

  /** Nothing of it is at the relay. */
  restart(): void {
    this.#inGroup = 0;
  }

  async #read(sound: ReadableStreamDefaultReader<AudioData>): Promise<void> {
    for (;;) {
      // Rejects where the track failed: the page hears of that.
      const { done, value } = await sound.read().catch(() => ({ done: true, value: undefined }));
      if (done || value === undefined) return;
      if (sound === this.#sound && this.#feed()?.isWatched(SOUND_TRACK)) this.#encode(value);
      value.close();
      // Not before a piece has come: one that is on its way from the page would be dropped without being closed.
      if (sound !== this.#sound) sound.cancel().catch(() => undefined);
    }
  }

  #encode(piece: AudioData): void {
    try {
      const encoder = this.#encoderFor(piece);
      this.#follow(piece);
      if (encoder.encodeQueueSize < MOST_QUEUED) encoder.encode(piece);
    } catch {
      // A browser that does not encode this sends none: the picture goes on.
      this.#stop();
    }
  }

  #encoderFor({ sampleRate, numberOfChannels }: AudioData): AudioEncoder {
    const of = `${sampleRate} ${numberOfChannels}`;
    if (this.#encoder?.of === of && this.#encoder.encoder.state === "configured") return this.#encoder.encoder;
    this.#stop();
    const encoder = new AudioEncoder({ output: (chunk) => this.#encoded(chunk), error: () => this.#stop() });
    encoder.configure({ ...OPUS, sampleRate, numberOfChannels });
    this.#encoder = { of, encoder };
    return encoder;
  }

  /** Pieces come late, and never early: the sound's own time is even. */
  #follow({ timestamp, duration }: AudioData): void {
    const came = this.#clock.now() - (timestamp + duration) / 1_000;
    if (this.#offset === null || Math.abs(came - this.#offset) > OFF) this.#offset = milli(came);
    this.#offset = milli(Math.min(this.#offset, came));
  }

  #encoded(chunk: EncodedAudioChunk): void {
    const data = new ArrayBuffer(chunk.byteLength);
    chunk.copyTo(data);
    const since = this.#clock.now();
    const at = milli(chunk.timestamp / 1_000 + (this.#offset ?? 0));
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
    this.#offset = null;
    this.#inGroup = 0;
  }
}
