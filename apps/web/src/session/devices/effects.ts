import type { Clock } from "@sealcast/time";
import type { EffectEngine } from "./effect-engine.ts";
import {
  type BackgroundChoice,
  type EffectFault,
  type EffectsChoice,
  type EffectsView,
  type EffectView,
  NO_EFFECT,
} from "./effects-view.ts";
import { asItIs, type LocalSource, type Treated } from "./local.ts";

interface EffectsOptions {
  readonly clock: Clock;
  show(effects: EffectsView): void;
  /** The device is to be opened again, as the effects are now. `hidden`: nothing of it may be seen until then. */
  reopen(source: LocalSource, how: { hidden: boolean }): void;
  /** Nothing of the camera may be seen any more. */
  closeCamera(): void;
}

/**
 * Which effects lie between this person's devices and all else, and how they stand. A camera with a background comes out of
 * here treated or not at all; a microphone whose noise cannot be suppressed comes out as it is. What treats tracks is
 * loaded with the first effect.
 */
export class Effects {
  readonly #options: EffectsOptions;
  #view: EffectsView;
  #engine: Promise<EffectEngine> | null = null;

  constructor(options: EffectsOptions, choice: EffectsChoice) {
    this.#options = options;
    const canTreat = "MediaStreamTrackGenerator" in globalThis && "MediaStreamTrackProcessor" in globalThis;
    this.#view = { ...choice, canTreat, camera: NO_EFFECT, microphone: NO_EFFECT };
  }

  get view(): EffectsView {
    return this.#view;
  }

  /** What others get of a device that was opened; null where it could not be treated, and so must not be shown. */
  async treat(source: LocalSource, raw: MediaStreamTrack, signal: AbortSignal): Promise<Treated | null> {
    const { background, noise, microphone } = this.#view;
    const isWanted = source === "camera" ? background !== "none" : noise;
    if (!isWanted) {
      this.#set(source, { ...NO_EFFECT, fault: source === "microphone" ? microphone.fault : null });
      return asItIs(raw);
    }
    this.#set(source, { ...NO_EFFECT, state: "starting" });
    try {
      return await (await this.#load()).treat(source, raw, signal);
    } catch {
      if (!signal.aborted) this.#set(source, { ...NO_EFFECT, fault: "failed" });
      return source === "camera" ? null : asItIs(raw);
    }
  }

  chooseBackground(background: BackgroundChoice): void {
    const before = this.#view.background;
    if (background === before) return;
    const { camera } = this.#view;
    // Another background does not make this computer faster: why the camera is off stays true until it goes on again.
    this.#change({ background, camera: { ...camera, fault: background === "none" ? null : camera.fault } });
    if (before === "none" || background === "none") this.#options.reopen("camera", { hidden: background !== "none" });
    else void this.#engine?.then((engine) => engine.showBackdrop());
  }

  /** It stands behind the person from then on. Null where the file is no picture, or too large; else what to keep of it. */
  async chooseOwnPicture(file: Blob): Promise<string | null> {
    const engine = await this.#load();
    const ownPicture = await engine.readPicture(file);
    if (ownPicture === null) return null;
    this.#change({ ownPicture });
    if (this.#view.background === "own") void engine.showBackdrop();
    else this.chooseBackground("own");
    return ownPicture;
  }

  suppressNoise(noise: boolean): void {
    if (noise === this.#view.noise) return;
    this.#change({ noise, microphone: { ...this.#view.microphone, fault: null } });
    this.#options.reopen("microphone", { hidden: false });
  }

  /** This computer does not keep up. */
  relieve(): void {
    void this.#engine?.then((engine) => engine.relieve());
  }

  /** A background that ends by itself takes the camera with it. Without noise suppression the microphone goes on. */
  #ended(source: LocalSource, fault: EffectFault): void {
    this.#set(source, { ...NO_EFFECT, fault });
    if (source === "camera") return this.#options.closeCamera();
    this.#change({ noise: false });
    this.#options.reopen("microphone", { hidden: false });
  }

  async #load(): Promise<EffectEngine> {
    this.#engine ??= import("./effect-engine.ts").then(({ EffectEngine }) => {
      return new EffectEngine({
        clock: this.#options.clock,
        choice: () => this.#view,
        set: (source, change) => this.#set(source, change),
        ended: (source, fault) => this.#ended(source, fault),
      });
    });
    try {
      return await this.#engine;
    } catch (error) {
      // Tried again the next time: the connection may have been lost.
      this.#engine = null;
      throw error;
    }
  }

  #set(source: LocalSource, change: Partial<EffectView>): void {
    this.#change({ [source]: { ...this.#view[source], ...change } });
  }

  #change(change: Partial<EffectsView>): void {
    this.#view = { ...this.#view, ...change };
    this.#options.show(this.#view);
  }
}
