import type { DrawnBackdrop, EffectCost, EffectFault } from "@sealcast/effects";

export type { EffectFault };

/** What stands behind this person: the room, the room out of focus, a plain background, or a picture of their own. */
export type BackgroundChoice = "none" | "blur" | DrawnBackdrop | "own";

export interface EffectsChoice {
  readonly background: BackgroundChoice;
  /** A data URL of the person's own picture; "" where they have chosen none. */
  readonly ownPicture: string;
  /** Whether noise around the voice is suppressed. */
  readonly noise: boolean;
}

/** How an effect stands. */
export interface EffectView {
  readonly state: "off" | "starting" | "on";
  /** Of what it takes, so much has been loaded, from 0 to 1. */
  readonly loaded: number;
  /** What it took of this computer in the last half second; null while nothing is known. */
  readonly cost: EffectCost | null;
  /** Frames are smaller than the camera's, since this computer does not keep up otherwise. */
  readonly isSmaller: boolean;
  /** Why it ended by itself; null where it did not. */
  readonly fault: EffectFault | null;
}

export interface EffectsView extends EffectsChoice {
  /** Whether this browser gives what effects are made with. */
  readonly canTreat: boolean;
  readonly camera: EffectView;
  readonly microphone: EffectView;
}

export const NO_EFFECT: EffectView = { state: "off", loaded: 0, cost: null, isSmaller: false, fault: null };
