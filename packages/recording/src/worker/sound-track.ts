import { SOUND } from "../shared/messages.ts";

/** Sound that is as far from its place is put there; less is left as it comes, one piece after the other. */
const LEEWAY = 0.05 * SOUND.sampleRate;
/** Where no sound came for this long, silence takes its place: the file's fragments have both. */
const LATE = 0.5 * SOUND.sampleRate;

/** Places in a recording's sound are counted in samples of a channel, from its beginning. */
export interface SoundWriter {
  /** Owns the data. */
  sound(data: AudioData, at: number): void;
  silence(at: number, samples: number): void;
}

/** Puts the pieces of sound that come onto a recording's timeline, with neither gaps nor overlaps. */
export class SoundTrack {
  readonly #writer: SoundWriter;
  #end = 0;
  /** From the pieces' own times to the recording's, by the piece that came with the least delay. */
  #offset = Number.POSITIVE_INFINITY;

  constructor(writer: SoundWriter) {
    this.#writer = writer;
  }

  /** A piece that came now, at `seconds` of the recording. */
  take(data: AudioData, seconds: number): void {
    const at = inSamples(data.timestamp / 1e6);
    this.#offset = Math.min(this.#offset, inSamples(seconds) - data.numberOfFrames - at);
    const ahead = at + this.#offset - this.#end;
    if (ahead < -LEEWAY) return data.close();
    if (ahead > LEEWAY) this.#fill(this.#end + ahead);
    const samples = data.numberOfFrames;
    this.#writer.sound(data, this.#end);
    this.#end += samples;
  }

  /** Silence where sound is late by much. */
  keepUp(seconds: number): void {
    if (inSamples(seconds) - this.#end <= LATE) return;
    this.#fill(inSamples(seconds));
    this.#offset = Number.POSITIVE_INFINITY;
  }

  /** The next piece belongs where it comes: time was left out. */
  cut(): void {
    this.#offset = Number.POSITIVE_INFINITY;
  }

  /** Silence up to the recording's end. */
  finish(seconds: number): void {
    this.#fill(inSamples(seconds));
  }

  #fill(until: number): void {
    if (until <= this.#end) return;
    this.#writer.silence(this.#end, until - this.#end);
    this.#end = until;
  }
}

function inSamples(seconds: number): number {
  return Math.round(seconds * SOUND.sampleRate);
}
