import { indexOf, Player, UnreadableRecording } from "@sealcast/recording";
import { type OpenFile, VaultError } from "@sealcast/vault";
import { failureOf } from "./failure.ts";
import { hasTooManyPixels } from "./pixels.ts";
import type { Failure } from "./view.ts";
import { wholeOf } from "./whole.ts";

/** `unplayable`: it is as it was sealed, and this browser cannot show it. */
export type PlaybackFailure = Failure | "unplayable";

/**
 * Shows a file of the vault in an element, until `close`. At the first part that does not authenticate it stops, shows
 * nothing any more, and calls `onFailure` once.
 */
export class Playback {
  readonly #element: HTMLImageElement | HTMLMediaElement;
  readonly #onFailure: (failure: PlaybackFailure) => void;
  readonly #closing = new AbortController();
  readonly #freed: (() => void)[] = [];

  constructor(
    open: () => Promise<OpenFile>,
    element: HTMLImageElement | HTMLMediaElement,
    onFailure: (failure: PlaybackFailure) => void,
  ) {
    this.#element = element;
    this.#onFailure = onFailure;
    element.addEventListener("error", () => this.#fail("unplayable"), { signal: this.#closing.signal });
    void this.#play(open).catch((error: unknown) => this.#fail(failureOf(error)));
  }

  close(): void {
    this.#closing.abort();
    // First: it would go on asking for parts of what is not there any more.
    this.#element.removeAttribute("src");
    // Without it a media element keeps what it has.
    if (this.#element instanceof HTMLMediaElement) this.#element.load();
    for (const free of this.#freed.splice(0)) free();
  }

  async #play(open: () => Promise<OpenFile>): Promise<void> {
    const file = await open();
    this.#atEnd(() => void file.close());
    if (await this.#playFragments(file)) return;
    const url = (await this.#served(file)) ?? (await this.#whole(file));
    if (!this.#closing.signal.aborted) this.#element.src = url;
  }

  /** Sound and video are read as they play. Null: it is an image, or the browser does not let us. */
  async #served(file: OpenFile): Promise<string | null> {
    if (!(this.#element instanceof HTMLMediaElement)) return null;
    const served = await file.serve((error) => this.#fail(failureOf(error)));
    if (served === null) return null;
    this.#atEnd(() => served.close());
    return served.url;
  }

  async #whole(file: OpenFile): Promise<string> {
    const whole = await wholeOf(file, this.#closing.signal);
    if (this.#element instanceof HTMLImageElement && (await hasTooManyPixels(whole)))
      throw new VaultError("too-large", "The image has more pixels than are shown.");
    const url = URL.createObjectURL(whole);
    this.#atEnd(() => URL.revokeObjectURL(url));
    return url;
  }

  /** A fragmented MP4, as recordings are, is read as it plays. False: it is something else. */
  async #playFragments(file: OpenFile): Promise<boolean> {
    if (!(this.#element instanceof HTMLVideoElement) || !file.entry.kind.startsWith("video/mp4")) return false;
    try {
      const index = await indexOf(file);
      if (this.#closing.signal.aborted) return true;
      const player = new Player(this.#element, file, index, (error) => this.#fail(playbackFailureOf(error)));
      this.#atEnd(() => player.close());
      return true;
    } catch (error) {
      if (error instanceof UnreadableRecording) return false;
      throw error;
    }
  }

  /** At once where it was closed meanwhile. */
  #atEnd(free: () => void): void {
    if (this.#closing.signal.aborted) free();
    else this.#freed.push(free);
  }

  #fail(failure: PlaybackFailure): void {
    if (this.#closing.signal.aborted) return;
    this.close();
    this.#onFailure(failure);
  }
}

/** Of a player: what is not the vault's is the file's, or the browser's decoder's. */
function playbackFailureOf(error: Error): PlaybackFailure {
  return error instanceof VaultError ? error.code : "unplayable";
}
