import { type Cancel, type Clock, milli, systemClock } from "@sealcast/time";
import { UnreadableRecording } from "../shared/boxes.ts";
import { type Fragment, type FragmentIndex, indexOf, isFragment, type ReadableSource } from "../shared/fragments.ts";
import { type Movie, movieOf } from "../shared/movie.ts";

/** What is kept ready before the time that is played, and behind it. */
const AHEAD_SECONDS = 10;
const BEHIND_SECONDS = 5;
/** What is read for a seek: the browser decodes from the key frame before the time that is sought, and needs some sound behind it. */
const SOUGHT_SECONDS = 0.5;
/** What follows is read once the browser has found the time, or after this long at the latest: it may need more to find it. */
const LONGEST_SEEK = milli(100);
/** How often is looked whether a file that is not complete has grown. */
const GROWTH_GAP = milli(1_000);
/** A file that did not grow in this many looks is played to its end as it is: its recorder is gone. */
const MOST_IDLE_LOOKS = 5;

/**
 * Plays a fragmented MP4 in a video element through MediaSource: reads the fragments around the time that is played and no
 * others, so memory stays flat, and a seek reads one. A file that still grows plays on as it does.
 */
export class Player {
  readonly #video: HTMLVideoElement;
  readonly #source: ReadableSource;
  readonly #onError: (error: Error) => void;
  readonly #clock: Clock;
  readonly #media = new MediaSource();
  readonly #url = URL.createObjectURL(this.#media);
  readonly #closing = new AbortController();
  /** The fragments that the browser has, by number. */
  readonly #appended = new Set<number>();
  #index: FragmentIndex;
  #hasWalked = false;
  #idleLooks = 0;
  #wake: () => void = () => undefined;
  #cancel: Cancel = () => undefined;

  /**
   * @param video the caller's; it shows nothing any more after `close` or an error
   * @param onError once: of the source, of the file or of the browser's decoder. It has stopped then, and may be made again.
   */
  constructor(
    video: HTMLVideoElement,
    source: ReadableSource,
    index: FragmentIndex,
    onError: (error: Error) => void,
    clock = systemClock,
  ) {
    this.#video = video;
    this.#source = source;
    this.#index = index;
    this.#onError = onError;
    this.#clock = clock;
    const { signal } = this.#closing;
    for (const event of ["timeupdate", "seeking", "waiting"])
      video.addEventListener(event, () => this.#wake(), { signal });
    for (const event of ["seeking", "waiting"]) video.addEventListener(event, () => this.#forgetEvicted(), { signal });
    video.addEventListener(
      "error",
      () => this.#fail(new Error(video.error?.message || "The browser cannot play it.")),
      { signal },
    );
    this.#media.addEventListener("sourceopen", () => void this.#play(), { once: true, signal });
    video.src = this.#url;
  }

  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#cancel();
    this.#wake();
    this.#video.removeAttribute("src");
    this.#video.load();
    URL.revokeObjectURL(this.#url);
  }

  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.close();
    this.#onError(error instanceof Error ? error : new Error(String(error)));
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #play(): Promise<void> {
    try {
      const buffer = this.#media.addSourceBuffer(this.#index.mimeType);
      this.#media.duration = this.#index.seconds;
      const init = await this.#read(this.#index.init);
      await this.#append(buffer, init);
      void this.#grow();
      const movie = movieOf(init);
      while (!this.#isClosed) await this.#step(buffer, movie);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Lets go of what is far from the time that is played, and reads one fragment, or waits until one is asked for. */
  async #step(buffer: SourceBuffer, movie: Movie): Promise<void> {
    if (this.#media.readyState === "open" && this.#media.duration < this.#index.seconds)
      this.#media.duration = this.#index.seconds;
    const [first, end] = this.#wanted();
    const number = this.#missing(first, end);
    const fragment = number === null ? undefined : this.#index.fragments[number];
    if (number === null || fragment === undefined) {
      if (await this.#evict(buffer, first, end)) return;
      this.#markEnd();
      return new Promise((wake) => {
        this.#wake = wake;
      });
    }
    if (this.#isAheadOfSeek(fragment) && (await this.#isWoken())) return;
    const [bytes] = await Promise.all([this.#read(fragment), this.#evict(buffer, first, end)]);
    if (this.#isClosed) return;
    if (!isFragment(bytes, movie, fragment.startSeconds)) return this.#walk();
    await this.#append(buffer, bytes);
    this.#appended.add(number);
  }

  /** To open and append it would take from the browser what it decodes with. */
  #isAheadOfSeek({ startSeconds }: Fragment): boolean {
    return this.#video.seeking && startSeconds > this.#video.currentTime + SOUGHT_SECONDS;
  }

  /** True: the time is found, of which a video's `timeupdate` tells, or another is sought. False: neither for too long. */
  #isWoken(): Promise<boolean> {
    return new Promise((done) => {
      const cancel = this.#clock.after(LONGEST_SEEK, () => done(false));
      this.#wake = () => {
        cancel();
        done(true);
      };
    });
  }

  /** The file's own list is wrong. What was appended by it is what it said: a fragment of the time that it names. */
  async #walk(): Promise<void> {
    if (this.#hasWalked) throw new UnreadableRecording("A fragment is not where it was found before.");
    this.#hasWalked = true;
    this.#appended.clear();
    this.#index = await indexOf(this.#source, { ...this.#index, fragments: [] });
  }

  /** The numbers of the fragments that are kept ready: from the first one to before the second. */
  #wanted(): [number, number] {
    const now = this.#video.currentTime;
    const { fragments } = this.#index;
    return [fragmentAt(fragments, now - BEHIND_SECONDS), fragmentAt(fragments, now + AHEAD_SECONDS) + 1];
  }

  /** What is played comes first, then what follows; what was played is not read again. */
  #missing(first: number, end: number): number | null {
    const now = fragmentAt(this.#index.fragments, this.#video.currentTime);
    for (let number = Math.max(first, now); number < end; number++) if (!this.#appended.has(number)) return number;
    return null;
  }

  #read({ at, length }: Pick<Fragment, "at" | "length">): Promise<Uint8Array> {
    return this.#source.read(at, length);
  }

  async #append(buffer: SourceBuffer, bytes: Uint8Array): Promise<void> {
    if (this.#isClosed) return;
    buffer.appendBuffer(new Uint8Array(bytes));
    await updated(buffer);
  }

  /** @returns whether there was anything to let go of */
  async #evict(buffer: SourceBuffer, first: number, end: number): Promise<boolean> {
    const before = [...this.#appended].filter((number) => number < first);
    const after = [...this.#appended].filter((number) => number >= end);
    for (const number of [...before, ...after]) this.#appended.delete(number);
    if (before.length > 0) await this.#remove(buffer, 0, this.#startOf(first));
    if (after.length > 0) await this.#remove(buffer, this.#startOf(end), Number.POSITIVE_INFINITY);
    return before.length + after.length > 0;
  }

  async #remove(buffer: SourceBuffer, from: number, until: number): Promise<void> {
    if (this.#isClosed || from >= until) return;
    buffer.remove(from, until);
    await updated(buffer);
  }

  #startOf(number: number): number {
    return this.#index.fragments[number]?.startSeconds ?? this.#index.seconds;
  }

  /** Browsers let go of media by themselves where memory is short. */
  #forgetEvicted(): void {
    const number = fragmentAt(this.#index.fragments, this.#video.currentTime);
    const fragment = this.#index.fragments[number];
    if (fragment !== undefined && !holds(this.#video.buffered, fragment)) this.#appended.delete(number);
    this.#wake();
  }

  /** Without it the browser would wait for more where there is none. An append takes it back. */
  #markEnd(): void {
    const isWhole = this.#index.isComplete || this.#idleLooks >= MOST_IDLE_LOOKS;
    const last = this.#index.fragments.length - 1;
    if (isWhole && this.#media.readyState === "open" && (last < 0 || this.#appended.has(last)))
      this.#media.endOfStream();
  }

  async #grow(): Promise<void> {
    try {
      while (!this.#isClosed && !this.#index.isComplete) {
        await new Promise<void>((due) => {
          this.#cancel = this.#clock.after(GROWTH_GAP, due);
        });
        const grown = await indexOf(this.#source, this.#index);
        if (!this.#isClosed) this.#take(grown);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(grown: FragmentIndex): void {
    this.#idleLooks = grown.fragments.length > this.#index.fragments.length ? 0 : this.#idleLooks + 1;
    this.#index = grown;
    this.#wake();
  }
}

/** The number of the last fragment that begins at a time or before it; 0 where none does. */
function fragmentAt(fragments: readonly Fragment[], seconds: number): number {
  let [low, high] = [0, fragments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((fragments[middle]?.startSeconds ?? 0) <= seconds) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Edges are those of sound or video, whichever is shorter: the middle says it. */
function holds(buffered: TimeRanges, { startSeconds, seconds }: Fragment): boolean {
  const middle = startSeconds + seconds / 2;
  return Array.from({ length: buffered.length }, (_, range) => range).some(
    (range) => buffered.start(range) <= middle && middle <= buffered.end(range),
  );
}

function updated(buffer: SourceBuffer): Promise<void> {
  return new Promise((done, failed) => {
    const events = new AbortController();
    const { signal } = events;
    const settle = (settled: () => void) => {
      events.abort();
      settled();
    };
    buffer.addEventListener("updateend", () => settle(done), { signal });
    buffer.addEventListener("error", () => settle(() => failed(new Error("The browser cannot play it."))), { signal });
  });
}
