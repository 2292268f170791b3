import type { LineSource } from "@sealcast/network";
import type { LocalMedia } from "../devices/local.ts";
import type { Lifetime } from "../lifetime.ts";
import type { FromHost } from "./messages.ts";
import { type PictureSource, StreamVideo } from "./picture.ts";
import { PRESETS, type Quality } from "./preset.ts";
import { StreamSound } from "./sound.ts";

export interface ProgrammeView {
  source: PictureSource;
  /** This browser can make one picture of both. */
  canShowBoth: boolean;
  /** Why the screen is not shown: the person, or the browser, said no. */
  screenRefused: boolean;
  /** Whether the screen's own sound goes with it; null while no screen is shown. */
  screenSound: boolean | null;
  /** What goes out, for the preview. */
  picture: MediaStream;
}

interface ProgrammeOptions {
  local(): LocalMedia;
  show(change: Partial<ProgrammeView>): void;
  /** The picture, or the sound, is another one from now on. */
  changed(): void;
}

/** What goes out to viewers: one picture, of the camera, a screen or both, and one sound. */
export class Programme {
  readonly #options: ProgrammeOptions;
  readonly #picture: StreamVideo;
  readonly #sound = new StreamSound();
  readonly #preview = new MediaStream();
  /** The sound that goes out. */
  #heard: MediaStreamTrack | null = null;

  constructor(life: Lifetime, options: ProgrammeOptions) {
    this.#options = options;
    this.#picture = new StreamVideo(PRESETS.smooth.shape, () => this.#changed());
    life.bind(() => this.close());
  }

  get firstView(): ProgrammeView {
    const { canShowBoth } = this.#picture;
    return { source: "camera", canShowBoth, screenRefused: false, screenSound: null, picture: this.#preview };
  }

  /** What connections name the tracks' stream by. */
  get stream(): MediaStream {
    return this.#preview;
  }

  track(source: LineSource): MediaStreamTrack | null {
    return source === "camera" ? this.#picture.track : this.#heard;
  }

  /** Whether anything is sent now. */
  get sends(): Extract<FromHost, { type: "sends" }> {
    const sound = this.#options.local().view.microphone.on || this.#picture.sound != null;
    return { type: "sends", picture: this.#picture.track !== null, sound };
  }

  /** A device went on or off, or another one was chosen. */
  devicesChanged(): void {
    const local = this.#options.local();
    this.#picture.setContent(local.screen.choice.content);
    this.#picture.setCamera(local.track("camera"));
  }

  /** For a screen, to be called in the task of a click. */
  show(source: PictureSource): void {
    void this.#picture.show(source);
  }

  reshape(quality: Quality): void {
    const { shape } = PRESETS[quality];
    void this.#options.local().reshape(shape);
    this.#picture.reshape(shape);
  }

  close(): void {
    this.#picture.close();
    this.#sound.close();
  }

  #changed(): void {
    const { track, source, sound: shared, isRefused } = this.#picture;
    const { sound } = this.#options.local().view;
    this.#heard = this.#sound.mix([sound, shared].filter((one) => one != null));
    for (const old of this.#preview.getVideoTracks()) if (old !== track) this.#preview.removeTrack(old);
    if (track !== null) this.#preview.addTrack(track);
    const screenSound = shared === undefined ? null : shared !== null;
    this.#options.show({ source, screenRefused: isRefused, screenSound });
    this.#options.changed();
  }
}
