import {
  type Backdrop,
  BackgroundEffect,
  type BackgroundEvents,
  canTreat,
  type EffectFault,
  NoiseEffect,
  ownPicture,
} from "@sealcast/effects";
import { type Clock, milli } from "@sealcast/time";
import { hasTooManyPixels } from "../vault/pixels.ts";
import { spawnBackground, spawnNoise } from "../workers.ts";
import type { EffectsChoice, EffectView } from "./effects-view.ts";
import { asItIs, type LocalSource, type Treated } from "./local.ts";

interface EffectEngineOptions {
  readonly clock: Clock;
  choice(): EffectsChoice;
  set(source: LocalSource, change: Partial<EffectView>): void;
  /** An effect that ran has ended by itself. */
  ended(source: LocalSource, fault: EffectFault): void;
}

const OFF = { state: "off", cost: null, isSmaller: false } as const;

/** Between two steps with which effects make way for the rest: what one of them has changed shows only after some seconds. */
const RELIEF_GAP = milli(6_000);

/** Has devices' tracks treated by workers. */
export class EffectEngine {
  readonly #options: EffectEngineOptions;
  #background: BackgroundEffect | null = null;
  #noise: NoiseEffect | null = null;
  #relievedAt = milli(Number.NEGATIVE_INFINITY);

  constructor(options: EffectEngineOptions) {
    this.#options = options;
  }

  /** Null: the camera cannot be treated. Rejects where this browser cannot treat tracks at all. */
  async treat(source: LocalSource, raw: MediaStreamTrack, signal: AbortSignal): Promise<Treated | null> {
    if (!canTreat()) throw new Error("This browser does not give tracks frame by frame.");
    return source === "camera" ? this.#treatCamera(raw, signal) : this.#treatMicrophone(raw, signal);
  }

  /** Another one was chosen. */
  async showBackdrop(): Promise<void> {
    const { choice } = this.#options;
    const { background } = choice();
    const backdrop = await backdropOf(choice());
    if (backdrop !== null && choice().background === background) this.#background?.show(backdrop);
  }

  /** What is kept of it, as a data URL; null where the file is no picture, or too large. */
  async readPicture(file: Blob): Promise<string | null> {
    if (await hasTooManyPixels(file)) return null;
    const picture = await ownPicture(file);
    return picture && dataUrl(picture);
  }

  /** This computer has too much to do: the picture gets smaller, then noise is suppressed no more. The room stays hidden. */
  relieve(): void {
    const now = this.#options.clock.now();
    if (now - this.#relievedAt < RELIEF_GAP) return;
    this.#relievedAt = now;
    if (this.#background?.relieve()) return;
    if (this.#noise === null) return;
    this.#noise.close();
    this.#noise = null;
    this.#options.ended("microphone", "too-slow");
  }

  async #treatCamera(raw: MediaStreamTrack, signal: AbortSignal): Promise<Treated | null> {
    const { choice, clock } = this.#options;
    const { background } = choice();
    const backdrop = await backdropOf(choice());
    if (backdrop === null) throw new Error("The person's own picture cannot be read.");
    if (signal.aborted) return null;
    const events = this.#events("camera", () => this.#background === effect);
    const effect: BackgroundEffect = new BackgroundEffect(spawnBackground(), raw, backdrop, events, clock);
    this.#background = effect;
    const end = () => {
      effect.close();
      if (this.#background !== effect) return;
      this.#background = null;
      this.#options.set("camera", OFF);
    };
    signal.addEventListener("abort", end);
    // Another one was chosen while this one was read.
    if (choice().background !== background) void this.showBackdrop();
    if (await effect.started) return { track: effect.track, end };
    end();
    return null;
  }

  /** Without suppression a microphone is as good as before: it is used as it is. */
  async #treatMicrophone(raw: MediaStreamTrack, signal: AbortSignal): Promise<Treated> {
    const events = this.#events("microphone", () => this.#noise === effect);
    const effect: NoiseEffect = new NoiseEffect(spawnNoise(), raw, events, this.#options.clock);
    this.#noise = effect;
    const end = () => {
      effect.close();
      if (this.#noise !== effect) return;
      this.#noise = null;
      this.#options.set("microphone", OFF);
    };
    signal.addEventListener("abort", end);
    if (await effect.started) return { track: effect.track, end };
    end();
    return asItIs(raw);
  }

  /** Of an effect that another one has replaced nothing is shown. */
  #events(source: LocalSource, isPresent: () => boolean): BackgroundEvents {
    const { set, ended } = this.#options;
    const only = (act: () => void) => isPresent() && act();
    return {
      loading: (loaded) => only(() => set(source, { loaded })),
      running: () => only(() => set(source, { state: "on" })),
      cost: (cost) => only(() => set(source, { cost })),
      smaller: () => only(() => set(source, { isSmaller: true })),
      failed: (why) => only(() => ended(source, why)),
    };
  }
}

/** Null: there is no picture that could be drawn. */
async function backdropOf({ background, ownPicture }: EffectsChoice): Promise<Backdrop | null> {
  if (background === "none" || background === "blur") return { kind: "blur" };
  if (background !== "own") return { kind: "drawn", name: background };
  const image = new Image();
  image.src = ownPicture;
  try {
    await image.decode();
    return { kind: "picture", picture: await createImageBitmap(image) };
  } catch {
    return null;
  }
}

function dataUrl(picture: Blob): Promise<string | null> {
  const reader = new FileReader();
  const read = new Promise<string | null>((resolve) => {
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => resolve(null);
  });
  reader.readAsDataURL(picture);
  return read;
}
