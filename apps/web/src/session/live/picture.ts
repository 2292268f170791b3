import { openScreen } from "@sealcast/media";
import type { PictureSource } from "./view.ts";

/** What the host shows: the camera, or a screen. Owns the screen's track, not the camera's. */
export class Picture {
  readonly #camera: () => MediaStreamTrack | null;
  readonly #changed: () => void;
  #source: PictureSource = "camera";
  #screen: MediaStreamTrack | null = null;
  #refused = false;

  /** `changed` is called after every change of track or state. */
  constructor(camera: () => MediaStreamTrack | null, changed: () => void) {
    this.#camera = camera;
    this.#changed = changed;
  }

  get source(): PictureSource {
    return this.#source;
  }

  get isRefused(): boolean {
    return this.#refused;
  }

  get track(): MediaStreamTrack | null {
    return this.#source === "camera" ? this.#camera() : this.#screen;
  }

  /** To be called in the task of a click, for a screen. */
  async show(source: PictureSource): Promise<void> {
    if (source === "camera") return this.#showCamera(false);
    const captured = await openScreen();
    if (!captured.ok) return this.#showCamera(true);
    this.close();
    const { track } = captured;
    this.#screen = track;
    this.#source = source;
    this.#refused = false;
    track.addEventListener("ended", () => {
      // The browser's own "Stop sharing".
      if (this.#screen === track) this.#showCamera(false);
    });
    this.#changed();
  }

  close(): void {
    this.#screen?.stop();
    this.#screen = null;
  }

  #showCamera(refused: boolean): void {
    if (!refused) {
      this.close();
      this.#source = "camera";
    }
    this.#refused = refused;
    this.#changed();
  }
}
