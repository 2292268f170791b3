import { type CameraShape, Composition, canCompose, openScreen, resizeScreen, type Screen } from "@sealcast/media";
import type { ScreenContent } from "../devices/shared-screen.ts";
import { spawnComposer } from "../workers.ts";

/** `both`: the screen, and the camera small in its corner. */
export type PictureSource = "camera" | "screen" | "both";

/**
 * What the host shows: the camera, a screen, or both in one picture. Owns the screen's tracks and the one that is composed,
 * not the camera's.
 */
export class StreamVideo {
  readonly #changed: () => void;
  #shape: CameraShape;
  #source: PictureSource = "camera";
  #content: ScreenContent = "text";
  #camera: MediaStreamTrack | null = null;
  #screen: Screen | null = null;
  #composed: { of: { camera: MediaStreamTrack; screen: Screen }; composition: Composition } | null = null;
  #refused = false;
  /** The latest; a screen that is chosen after it has changed is let go again. */
  #wish = 0;

  /** `changed` is called after every change of track or state. `shape` is what a screen's picture has at most. */
  constructor(shape: CameraShape, changed: () => void) {
    this.#shape = shape;
    this.#changed = changed;
  }

  get source(): PictureSource {
    return this.#source;
  }

  get canShowBoth(): boolean {
    return canCompose();
  }

  get isRefused(): boolean {
    return this.#refused;
  }

  /** With the camera off, both are the screen alone. */
  get track(): MediaStreamTrack | null {
    if (this.#screen === null) return this.#camera;
    return this.#composed?.composition.track ?? this.#screen.picture;
  }

  /** The screen's own sound; null where the browser gives none, undefined while no screen is shown. */
  get sound(): MediaStreamTrack | null | undefined {
    return this.#screen?.sound;
  }

  setCamera(camera: MediaStreamTrack | null): void {
    this.#camera = camera;
    this.#compose();
  }

  /** Also of a screen that is shown now. */
  setContent(content: ScreenContent): void {
    if (content === this.#content) return;
    this.#content = content;
    this.#compose();
  }

  /** To be called in the task of a click, where a screen is to be chosen. */
  async show(source: PictureSource): Promise<void> {
    const wish = ++this.#wish;
    this.#refused = false;
    if (source === "camera") this.#release();
    else if (this.#screen === null) {
      const screen = await openScreen(this.#shape, { sound: true });
      if (wish !== this.#wish) return stop(screen);
      this.#refused = screen === null;
      this.#take(screen);
    }
    this.#source = this.#screen === null ? "camera" : source;
    this.#compose();
  }

  reshape(shape: CameraShape): void {
    this.#shape = shape;
    if (this.#screen !== null) void resizeScreen(this.#screen.picture, shape);
  }

  close(): void {
    this.#wish++;
    this.#release();
    this.#composed?.composition.close();
  }

  #take(screen: Screen | null): void {
    this.#screen = screen;
    // The browser's own "Stop sharing".
    screen?.picture.addEventListener("ended", () => {
      if (this.#screen === screen) void this.show("camera");
    });
  }

  #release(): void {
    stop(this.#screen);
    this.#screen = null;
  }

  /** Another camera, or another screen, is another composition. */
  #compose(): void {
    const of =
      this.#source === "both" && this.#camera !== null && this.#screen !== null
        ? { camera: this.#camera, screen: this.#screen }
        : null;
    const before = this.#composed;
    if (of?.camera !== before?.of.camera || of?.screen !== before?.of.screen) {
      this.#composed = of && { of, composition: this.#composition(of.screen.picture, of.camera) };
      before?.composition.close();
    }
    if (this.#screen !== null && this.track !== null) this.track.contentHint = this.#content;
    this.#changed();
  }

  #composition(screen: MediaStreamTrack, camera: MediaStreamTrack): Composition {
    return new Composition(spawnComposer(), screen, camera, () => void this.show("screen"));
  }
}

function stop(screen: Screen | null): void {
  screen?.picture.stop();
  screen?.sound?.stop();
}
