import { kindOf, type LineSource } from "@sealcast/network";

/** What comes of one person, as it is played: of each source one track, whichever way it came. */
export class IncomingStreams {
  /** The camera's picture, and the sound while someone listens. A browser that plays a track decodes it, muted or not. */
  readonly stream = new MediaStream();
  readonly screen = new MediaStream();
  /** Apart from the picture: it is heard wherever that is shown, or is not. */
  readonly screenSound = new MediaStream();
  /** Of each source: what comes over the connection itself, and what takes its place. */
  readonly #own = new Map<LineSource, MediaStreamTrack>();
  readonly #others = new Map<LineSource, MediaStreamTrack>();
  #listens: boolean;

  constructor(listens: boolean) {
    this.#listens = listens;
  }

  /** A line came to be. */
  add(source: LineSource, track: MediaStreamTrack): void {
    this.#own.set(source, track);
    this.#follow(source);
  }

  /** That track is played in the place of what comes over the connection; null: that again. */
  replace(source: LineSource, track: MediaStreamTrack | null): void {
    if (track === null) this.#others.delete(source);
    else this.#others.set(source, track);
    this.#follow(source);
  }

  /** Whether sound is played here. */
  listen(on: boolean): void {
    this.#listens = on;
    for (const source of ["microphone", "screen-sound"] as const) this.#follow(source);
  }

  #follow(source: LineSource): void {
    const own = this.#own.get(source);
    const other = this.#others.get(source);
    const stream = this.#streamOf(source);
    const isPlayed = kindOf(source) === "video" || this.#listens;
    const played = isPlayed ? (other ?? own) : undefined;
    // The former one goes first: of two pictures, Firefox's element shows the one that was there, and nothing when that goes.
    for (const track of stream.getTracks())
      if (track.kind === kindOf(source) && track !== played) stream.removeTrack(track);
    if (played !== undefined) stream.addTrack(played);
  }

  #streamOf(source: LineSource): MediaStream {
    if (source === "screen-sound") return this.screenSound;
    return source === "screen-picture" ? this.screen : this.stream;
  }
}
